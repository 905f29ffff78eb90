// What failing programs print, in the wordings of the libraries that Heddle knows.
#include "analysis/printed.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Printed, LibstdcxxException) {
  const auto printed = printed_exception(
      "working\nterminate called after throwing an instance of 'std::runtime_error'\n  what():  queue is closed\n");
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->kind, OutcomeKind::Exception);
  EXPECT_EQ(printed->message, "uncaught exception of type std::runtime_error: queue is closed");
}

TEST(Printed, LibstdcxxExceptionWithoutWhat) {
  EXPECT_EQ(printed_exception("terminate called after throwing an instance of 'int'\n")->message,
            "uncaught exception of type int");
}

TEST(Printed, LibcxxException) {
  EXPECT_EQ(printed_exception("libc++abi: terminating with uncaught exception of type std::logic_error: oops: twice\n")
                ->message,
            "uncaught exception of type std::logic_error: oops: twice");
  EXPECT_EQ(printed_exception("libc++abi: terminating due to uncaught exception of type int\n")->message,
            "uncaught exception of type int");
}

TEST(Printed, TerminateWithoutException) {
  for (const char* text : {"terminate called without an active exception\n", "libc++abi: terminating\n"}) {
    const auto printed = printed_exception(text);
    ASSERT_TRUE(printed) << text;
    EXPECT_NE(printed->message.find("joinable"), std::string::npos);
  }
  EXPECT_FALSE(printed_exception("all went well\n"));
}

TEST(Printed, HeapAndStackCorruption) {
  EXPECT_EQ(printed_corruption("free(): invalid pointer\n")->message, "free(): invalid pointer");
  EXPECT_EQ(printed_corruption("x\n*** stack smashing detected ***: terminated\n")->kind, OutcomeKind::Crash);
  EXPECT_TRUE(printed_corruption("double free or corruption (fasttop)\n"));
  EXPECT_FALSE(printed_corruption("freed it\n"));
}

TEST(Printed, Sanitizers) {
  const auto address = printed_sanitizer(
      "=================\n==17==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020 at pc 0x1\n#0 0x1 in "
      "f\n");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->message, "AddressSanitizer: heap-use-after-free on address 0x6020 at pc 0x1");
  EXPECT_EQ(address->identity, "AddressSanitizer: heap-use-after-free");
  const auto summed_up = printed_sanitizer(
      "==17==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x55 bp 0x0f sp 0x7f T2)\n#0 0x55 in pop()\n"
      "SUMMARY: AddressSanitizer: SEGV q.cpp:5 in pop()\n");
  ASSERT_TRUE(summed_up);
  EXPECT_EQ(summed_up->message, "AddressSanitizer: SEGV on unknown address 0x0, at q.cpp:5 in pop()");
  EXPECT_EQ(summed_up->identity, "AddressSanitizer: SEGV q.cpp:5 in pop()");
  EXPECT_EQ(printed_sanitizer("==3==ERROR: LeakSanitizer: detected memory leaks\nSUMMARY: AddressSanitizer: 4 byte(s) "
                              "leaked in 1 allocation(s).\n")
                ->message,
            "LeakSanitizer: detected memory leaks");
  EXPECT_EQ(printed_sanitizer("a\nq.cpp:3:5: runtime error: signed integer overflow\n")->message,
            "q.cpp:3:5: runtime error: signed integer overflow");
  EXPECT_FALSE(printed_sanitizer("no error\n"));
}

TEST(Printed, Assertions) {
  EXPECT_EQ(printed_assertion("bank: bank.c:34: main: Assertion `balance == 100' failed.\n")->message,
            "bank.c:34: main: Assertion `balance == 100' failed.");
  EXPECT_EQ(printed_assertion("/usr/include/c++/12/bits/stl_vector.h:1123: T& std::vector<T>::operator[](size_t) "
                              "[with T = int]: Assertion '__n < this->size()' failed.\n")
                ->message.find("/usr/include"),
            0u);
}

constexpr const char* kGoogle =
    "[==========] Running 2 tests from 1 test suite.\n"
    "[ RUN      ] Queue.Drains\n"
    "queue_test.cpp:41: Failure\n"
    "Expected equality of these values:\n"
    "  drained\n"
    "    Which is: 3\n"
    "  4\n"
    "[  FAILED  ] Queue.Drains (0 ms)\n"
    "[ RUN      ] Queue.Fills\n"
    "queue_test.cpp:51: Failure\nFailed\n"
    "[  FAILED  ] Queue.Fills (0 ms)\n";

TEST(Printed, GoogleTestFailureIsQuoted) {
  const auto printed = printed_test_failure(kGoogle);
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->kind, OutcomeKind::Assertion);
  EXPECT_EQ(printed->message,
            "queue_test.cpp:41: Failure\nExpected equality of these values:\n  drained\n    Which is: 3\n  4");
  EXPECT_EQ(printed->identity, "queue_test.cpp:41: Failure");
}

TEST(Printed, GoogleTestFailureInColours) {
  const auto printed = printed_test_failure(
      "\x1b[0;32m[ RUN      ] \x1b[mQueue.Drains\nq.cpp:1: Failure\nFailed\n\x1b[0;31m[  FAILED  ] "
      "\x1b[mQueue.Drains\n");
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->message, "q.cpp:1: Failure\nFailed");
}

TEST(Printed, GoogleTestThatFailedFirstIsNamed) {
  EXPECT_EQ(failed_google_test(kGoogle), "Queue.Drains");
  const std::string two =
      "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] A.A\n[       OK ] A.A (0 ms)\n";
  EXPECT_EQ(failed_google_test(two + "[ RUN      ] A.B\nq: q.cpp:4: void f(): Assertion `x' failed.\n"), "A.B");
  EXPECT_EQ(failed_google_test(two + "\x1b[0;32m[ RUN      ] \x1b[mA.B\nunknown file: Failure\nC++ exception\n"),
            "A.B");
  EXPECT_EQ(failed_google_test(two), "") << "between tests";
  EXPECT_EQ(failed_google_test("[==========] Running 1 test from 1 test suite.\n[ RUN      ] A.A\n"), "") << "only one";
  EXPECT_EQ(failed_google_test("no such program"), "");
}

TEST(Printed, ExceptionsOfTwoGoogleTestsAreTwoBugs) {
  const auto identity = [](const char* test) {
    return printed_test_failure(std::string("[ RUN      ] ") + test + "\nunknown file: Failure\nC++ exception\n")
        ->identity;
  };
  EXPECT_NE(identity("A.A"), identity("A.B"));
}

TEST(Printed, GoogleTestThatOnlySaysFailed) {
  EXPECT_EQ(printed_test_failure("[  FAILED  ] Queue.Drains (1 ms)\n")->message, "[  FAILED  ] Queue.Drains (1 ms)");
}

TEST(Printed, Catch2FailureIsQuoted) {
  const auto printed = printed_test_failure(
      "\n-------------------------------------------------------------------------------\nqueue drains\n"
      "-------------------------------------------------------------------------------\nqueue.cpp:7\n"
      "...............................................................................\n\n"
      "queue.cpp:9: FAILED:\n  REQUIRE( drained == 4 )\nwith expansion:\n  3 == 4\n\n"
      "===============================================================================\ntest cases: 1 | 1 failed\n");
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->message, "queue.cpp:9: FAILED:\n  REQUIRE( drained == 4 )\nwith expansion:\n  3 == 4");
}

TEST(Printed, CountsGoogleTests) {
  EXPECT_EQ(google_tests_selected(kGoogle), 2u);
  EXPECT_EQ(google_tests_selected("[==========] Running 1 test from 1 test suite.\n"), 1u);
  EXPECT_EQ(google_tests_selected("[==========] Running 0 tests from 0 test suites.\n"), 0u);
  EXPECT_FALSE(google_tests_selected("Running 4 tests\n"));
}

TEST(Printed, LastLine) {
  EXPECT_EQ(last_line("one\ntwo\n\n"), "two");
  EXPECT_EQ(last_line("\x1b[31mred\x1b[0m\n"), "red");
  EXPECT_EQ(last_line(""), "");
  EXPECT_EQ(last_line(std::string(1000, 'x')).size(), 300u);
}

}  // namespace
}  // namespace heddle
