// What the test frameworks print, in their own words.
#include "analysis/test_frameworks.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

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

TEST(TestFrameworks, GoogleTestFailureIsQuoted) {
  const auto printed = printed_test_failure(kGoogle);
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->kind, OutcomeKind::Assertion);
  EXPECT_EQ(printed->message,
            "queue_test.cpp:41: Failure\nExpected equality of these values:\n  drained\n    Which is: 3\n  4");
  EXPECT_EQ(printed->identity, "queue_test.cpp:41: Failure");
}

TEST(TestFrameworks, GoogleTestFailureInColours) {
  const auto printed = printed_test_failure(
      "\x1b[0;32m[ RUN      ] \x1b[mQueue.Drains\nq.cpp:1: Failure\nFailed\n\x1b[0;31m[  FAILED  ] "
      "\x1b[mQueue.Drains\n");
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->message, "q.cpp:1: Failure\nFailed");
}

TEST(TestFrameworks, GoogleTestThatFailedFirstIsNamed) {
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

TEST(TestFrameworks, ExceptionsOfTwoGoogleTestsAreTwoBugs) {
  const auto identity = [](const char* test) {
    return printed_test_failure(std::string("[ RUN      ] ") + test + "\nunknown file: Failure\nC++ exception\n")
        ->identity;
  };
  EXPECT_NE(identity("A.A"), identity("A.B"));
}

TEST(TestFrameworks, GoogleTestThatOnlySaysFailed) {
  EXPECT_EQ(printed_test_failure("[  FAILED  ] Queue.Drains (1 ms)\n")->message, "[  FAILED  ] Queue.Drains (1 ms)");
}

TEST(TestFrameworks, Catch2FailureIsQuoted) {
  const auto printed = printed_test_failure(
      "\n-------------------------------------------------------------------------------\nqueue drains\n"
      "-------------------------------------------------------------------------------\nqueue.cpp:7\n"
      "...............................................................................\n\n"
      "queue.cpp:9: FAILED:\n  REQUIRE( drained == 4 )\nwith expansion:\n  3 == 4\n\n"
      "===============================================================================\ntest cases: 1 | 1 failed\n");
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->message, "queue.cpp:9: FAILED:\n  REQUIRE( drained == 4 )\nwith expansion:\n  3 == 4");
}

TEST(TestFrameworks, CountsGoogleTests) {
  EXPECT_EQ(google_tests_selected(kGoogle), 2u);
  EXPECT_EQ(google_tests_selected("[==========] Running 1 test from 1 test suite.\n"), 1u);
  EXPECT_EQ(google_tests_selected("[==========] Running 0 tests from 0 test suites.\n"), 0u);
  EXPECT_FALSE(google_tests_selected("Running 4 tests\n"));
}

void expect_failure(const char* output, const char* message, const char* identity) {
  const auto printed = printed_test_failure(output);
  ASSERT_TRUE(printed) << output;
  EXPECT_EQ(printed->kind, OutcomeKind::Assertion);
  EXPECT_EQ(printed->message, message);
  EXPECT_EQ(printed->identity, identity);
}

void expect_selected(const char* output, const char* framework, unsigned count) {
  const auto selected = selected_tests(output);
  ASSERT_TRUE(selected) << output;
  EXPECT_STREQ(selected->framework->name, framework);
  EXPECT_EQ(selected->count, count) << framework;
}

constexpr const char* kDoctest =
    "[doctest] doctest version is \"2.4.9\"\n[doctest] run with \"--help\" for options\n"
    "queue.cpp:1: ERROR: the program's own\n"
    "===============================================================================\n"
    "\x1b[0;37mqueue.cpp:4:\nTEST CASE:  drains\n\n"
    "\x1b[0mqueue.cpp:6: \x1b[1;31mFATAL ERROR: \x1b[0mREQUIRE( drained == 2 ) is NOT correct!\n"
    "  values: REQUIRE( 1 == 2 )\n  logged: note 1\n\n"
    "===============================================================================\n"
    "[doctest] test cases:  2 | 1 passed | 1 failed | 0 skipped\n";

TEST(TestFrameworks, DoctestFailureIsQuoted) {
  expect_failure(kDoctest,
                 "queue.cpp:6: FATAL ERROR: REQUIRE( drained == 2 ) is NOT correct!\n"
                 "  values: REQUIRE( 1 == 2 )\n  logged: note 1",
                 "queue.cpp:6");
}

TEST(TestFrameworks, DoctestExceptionIsQuoted) {
  expect_failure(
      "[doctest] run with \"--help\" for options\n"
      "===============================================================================\nq.cpp:5:\nTEST CASE:  "
      "throws\n\n"
      "q.cpp:5: ERROR: test case THREW exception: boom\n\n",
      "q.cpp:5: ERROR: test case THREW exception: boom", "q.cpp:5");
}

constexpr const char* kBoost =
    "Running 2 test cases...\n"
    "queue.cpp(10): \x1b[1;31;49merror: in \"queue/drains\": check false has failed\n"
    "Failure occurred in a following context:\n    round 3\x1b[0;39;49m\n"
    "queue.cpp(11): \x1b[1;31;49merror: in \"queue/fills\": err\x1b[0;39;49m\n\n"
    "\x1b[1;31;49m*** 2 failures are detected in the test module \"queues\"\n\x1b[0;39;49m";

TEST(TestFrameworks, BoostFailureIsQuoted) {
  expect_failure(kBoost,
                 "queue.cpp(10): error: in \"queue/drains\": check false has failed\n"
                 "Failure occurred in a following context:\n    round 3",
                 "queue.cpp(10)");
  expect_failure(
      "Running 1 test case...\nq.cpp(7): fatal error: in \"a/b\": critical check 1 == 2 has failed [1 != 2]\n\n*** 1 "
      "f\n",
      "q.cpp(7): fatal error: in \"a/b\": critical check 1 == 2 has failed [1 != 2]", "q.cpp(7)");
}

TEST(TestFrameworks, BoostExceptionsAreToldApartByWhatWasPassedLast) {
  expect_failure(
      "Running 1 test case...\nunknown location(0): fatal error: in \"a/b\": std::runtime_error: boom\n"
      "q.cpp(9): last checkpoint\n\n*** 1 failure is detected\n",
      "unknown location(0): fatal error: in \"a/b\": std::runtime_error: boom\nq.cpp(9): last checkpoint",
      "in \"a/b\" q.cpp(9)");
}

TEST(TestFrameworks, SignalsThatFrameworksCatchAreCrashes) {
  const auto boost = printed_test_failure(
      "Running 1 test case...\nunknown location(0): fatal error: in \"a\": memory access violation at address: "
      "0x00000000: "
      "no mapping at fault address\nq.cpp(7): last checkpoint: \"a\" test entry\n\n*** 1 failure\n");
  ASSERT_TRUE(boost);
  EXPECT_EQ(boost->kind, OutcomeKind::Crash);
  const auto cmocka = printed_test_failure(
      "[==========] Running 1 test(s).\n[ RUN      ] seg\n"
      "[  ERROR   ] --- Test failed with exception: Segmentation fault(11)\n[  FAILED  ] seg\n");
  ASSERT_TRUE(cmocka);
  EXPECT_EQ(cmocka->kind, OutcomeKind::Crash);
}

constexpr const char* kCppUTest =
    "\nqueue.cpp:7: error: Failure in TEST(Queue, drains)\n\tCHECK(drained >= 0) failed\n\n"
    "..\nErrors (1 failures, 2 tests, 2 ran, 2 checks, 0 ignored, 0 filtered out, 0 ms)\n\n";

TEST(TestFrameworks, CppUTestFailureIsQuoted) {
  expect_failure(kCppUTest, "queue.cpp:7: error: Failure in TEST(Queue, drains)\n\tCHECK(drained >= 0) failed",
                 "queue.cpp:7");
  expect_failure(
      "\nq.cpp:11: error: Failure in TEST(G, helped)\nhelper.h:3: error:\n\texpected <4>\n\tbut was  <3>\n\n",
      "q.cpp:11: error: Failure in TEST(G, helped)\nhelper.h:3: error:\n\texpected <4>\n\tbut was  <3>", "helper.h:3");
}

constexpr const char* kCppUnit =
    ".F.E\n\n\n!!!FAILURES!!!\nTest Results:\nRun:  2   Failures: 1   Errors: 1\n\n\n"
    "1) test: Queue::drains (F) line: 7 queue.cpp\nequality assertion failed\n- Expected: 30\n- Actual  : 31\n\n\n"
    "2) test: Queue::throws (E) \nuncaught exception of type std::exception (or derived).\n- boom\n\n\n";

TEST(TestFrameworks, CppUnitFailureIsQuoted) {
  expect_failure(kCppUnit,
                 "1) test: Queue::drains (F) line: 7 queue.cpp\nequality assertion failed\n"
                 "- Expected: 30\n- Actual  : 31",
                 "queue.cpp:7");
  expect_failure("!!!FAILURES!!!\n1) test: Queue::throws (E) \nuncaught exception\n- boom\n",
                 "1) test: Queue::throws (E) \nuncaught exception\n- boom", "test: Queue::throws (E)");
}

TEST(TestFrameworks, CppUnitFailureAsCompilersWriteIt) {
  expect_failure("q.cpp:7:Assertion\nTest name: T::eq\nassertion failed\n\nFailures !!!\n",
                 "q.cpp:7:Assertion\nTest name: T::eq\nassertion failed", "q.cpp:7");
  expect_failure("##Failure Location unknown## : Error\nTest name: T::thr\n- boom\n\n",
                 "##Failure Location unknown## : Error\nTest name: T::thr\n- boom", "Test name: T::thr");
}

constexpr const char* kPoco =
    "\nt: FAILURE\n\n!!!FAILURES!!!\nRuns: 1   Failures: 1   Errors: 0\n\nThere was 1 failure: \n"
    " 1: N5QueueE.drains\n    \"drained >= 0\"\n    in \"/src/queue.cpp\", line 7\n\n";

TEST(TestFrameworks, CppUnitFailureAsPocoWritesIt) {
  expect_failure(kPoco, "1: N5QueueE.drains\n    \"drained >= 0\"\n    in \"/src/queue.cpp\", line 7",
                 "/src/queue.cpp:7");
  expect_failure("!!!FAILURES!!!\n 1: N1QE.b\n    \"N4Poco9ExceptionE: boom\"\n    in \"<unknown>\", line -1\n\n",
                 "1: N1QE.b\n    \"N4Poco9ExceptionE: boom\"\n    in \"<unknown>\", line -1",
                 "\"N4Poco9ExceptionE: boom\"");
  EXPECT_FALSE(printed_test_failure(" 1: one\n \"two\"\n in \"three.cpp\", line 3\n"));  // not theirs
}

constexpr const char* kAcutest =
    "Test fills...                                   [ OK ]\n"
    "Test drains...                                  [ FAILED ]\n  queue.c:7: Check drained >= 0... failed\n"
    "    drained: -1\nTest throws...                                  [ FAILED ]\n  queue.c:9: Check 0... failed\n"
    "FAILED: 2 of 3 unit tests have failed.\n";

TEST(TestFrameworks, AcutestFailureIsQuoted) {
  expect_failure(kAcutest,
                 "Test drains...                                  [ FAILED ]\n"
                 "  queue.c:7: Check drained >= 0... failed\n    drained: -1",
                 "queue.c:7");
  expect_failure("Test a...    [ FAILED ]\n  Test interrupted by SIGSEGV.\nFAILED: 1 of 1 unit tests has failed.\n",
                 "Test a...    [ FAILED ]\n  Test interrupted by SIGSEGV.", "Test a...    [ FAILED ]");
  EXPECT_FALSE(printed_test_failure("Test a...    [ OK ]\n  queue.c:7: Check 0... failed\n"));
}

constexpr const char* kCmocka =
    "[==========] Running 2 test(s).\n[ RUN      ] drains\n"
    "[  ERROR   ] --- difference at offset 2 0x63 0x78\n1 bytes of 0x55d9b0ee400d and 0x55d9b0ee4008 differ\n"
    "[   LINE   ] --- queue.c:6: error: Failure!\n[  FAILED  ] drains\n[ RUN      ] fills\n[       OK ] fills\n"
    "[==========] 2 test(s) run.\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] drains\n";

TEST(TestFrameworks, CmockaFailureIsQuoted) {
  expect_failure(kCmocka,
                 "[  ERROR   ] --- difference at offset 2 0x63 0x78\n"
                 "1 bytes of 0x55d9b0ee400d and 0x55d9b0ee4008 differ\n"
                 "[   LINE   ] --- queue.c:6: error: Failure!\n[  FAILED  ] drains",
                 "queue.c:6");
  expect_failure(
      "[ RUN      ] fl\nERROR: my 3\n[  ERROR   ] --- [   LINE   ] --- m.c:9: error: Failure!\n"
      "[  FAILED  ] fl\n",
      "ERROR: my 3\n[  ERROR   ] --- [   LINE   ] --- m.c:9: error: Failure!\n[  FAILED  ] fl", "m.c:9");
}

constexpr const char* kCheck =
    "Running suite(s): queue\n0%: Checks: 2, Failures: 1, Errors: 1\n"
    "queue.c:3:F:drains:drains_all:0: Assertion '1 == 2' failed: 1 == 1, 2 == 2\n"
    "queue.c:4:E:fills:fills_all:0: (after this point) Received signal 11 (Segmentation fault)\n";

TEST(TestFrameworks, CheckFailureIsQuoted) {
  expect_failure(kCheck, "queue.c:3:F:drains:drains_all:0: Assertion '1 == 2' failed: 1 == 1, 2 == 2", "queue.c:3");
  expect_failure("0%: Checks: 1, Failures: 0, Errors: 1\nq.c:4:E:c:b:0: (after this point) Early exit\n",
                 "q.c:4:E:c:b:0: (after this point) Early exit", "q.c:4");
}

constexpr const char* kUnittest =
    ".F\n"
    "======================================================================\n"
    "FAIL: test_lost (test_account.Account.test_lost)\n"
    "----------------------------------------------------------------------\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/me/test_account.py\", line 17, in test_lost\n"
    "    self.assertEqual(balance, 120)\n"
    "AssertionError: 110 != 120\n"
    "\n"
    "----------------------------------------------------------------------\n"
    "Ran 2 tests in 0.002s\n"
    "\n"
    "FAILED (failures=1)\n";

TEST(TestFrameworks, UnittestFailureIsQuoted) {
  const auto printed = printed_test_failure(kUnittest);
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->kind, OutcomeKind::Assertion);
  EXPECT_EQ(printed->message,
            "FAIL: test_lost (test_account.Account.test_lost): AssertionError: 110 != 120, raised at "
            "test_account.py:17");
  EXPECT_EQ(printed->identity, "FAIL: test_lost (test_account.Account.test_lost)");
  EXPECT_EQ(printed->place, "test_account.py:17");
}

constexpr const char* kLibtest =
    "\nrunning 1 test\ntest queue::lost ... FAILED\n\nfailures:\n\n---- queue::lost stdout ----\n\n"
    "thread 'queue::lost' (4194305) panicked at src/queue.rs:6:3:\nassertion failed: full\n\n\nfailures:\n"
    "    queue::lost\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 2 filtered out; finished in "
    "0s\n";

TEST(TestFrameworks, Libtest) {
  const auto printed = printed_test_failure(kLibtest);
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->kind, OutcomeKind::Assertion);
  EXPECT_EQ(printed->message, "panic: assertion failed: full, at src/queue.rs:6");
  EXPECT_EQ(printed->place, "src/queue.rs:6");
}

TEST(TestFrameworks, AnErrorOfUnittestIsAnException) {
  std::string text = kUnittest;
  text.replace(text.find("FAIL: "), 6, "ERROR: ");
  EXPECT_EQ(printed_test_failure(text).value().kind, OutcomeKind::Exception);
}

TEST(TestFrameworks, PlacesAreFilesAndLines) {
  const auto place = [](const std::string& output) { return printed_test_failure(output).value().place; };
  EXPECT_EQ(place(kGoogle), "queue_test.cpp:41");
  EXPECT_EQ(place(kDoctest), "queue.cpp:6");
  EXPECT_EQ(place(kBoost), "queue.cpp:10");
  EXPECT_EQ(place(kCppUTest), "queue.cpp:7");
  EXPECT_EQ(place(kCppUnit), "queue.cpp:7");
  EXPECT_EQ(place(kAcutest), "queue.c:7");
  EXPECT_EQ(place(kCmocka), "queue.c:6");
  EXPECT_EQ(place(kCheck), "queue.c:3");
  EXPECT_EQ(place("../a b/q.cpp:9: FAILED:\n  REQUIRE( x )\n\n"), "../a b/q.cpp:9");
}

TEST(TestFrameworks, WhatWasThrownHasNoPlace) {
  const auto place = [](const char* output) { return printed_test_failure(output).value().place; };
  EXPECT_EQ(place("[ RUN      ] A.A\nunknown file: Failure\nC++ exception\n"), "");
  EXPECT_EQ(place("[  FAILED  ] Queue.Drains (1 ms)\n"), "");
  EXPECT_EQ(place("Running 1 test case...\nunknown location(0): fatal error: in \"a/b\": boom\n"
                  "q.cpp(9): last checkpoint\n\n"),
            "");
  EXPECT_EQ(place("!!!FAILURES!!!\n1) test: Queue::throws (E) \nuncaught exception\n- boom\n"), "");
}

TEST(TestFrameworks, TestsAreCounted) {
  expect_selected(kDoctest, "doctest", 2);
  expect_selected(kBoost, "Boost.Test", 2);
  expect_selected(kCppUTest, "CppUTest", 2);
  expect_selected(kCppUnit, "CppUnit", 2);
  expect_selected(kAcutest, "acutest", 3);
  expect_selected(kCmocka, "cmocka", 2);
  expect_selected(kCheck, "check", 2);
  expect_selected(kUnittest, "unittest", 2);
  expect_selected(kLibtest, "libtest", 1);
  expect_selected(kGoogle, "GoogleTest", 2);
  expect_selected("===\nAll tests passed (2 assertions in 3 test cases)\n\n", "Catch2", 3);
  expect_selected("===\ntest cases:  12 |  1 passed | 11 failed\n", "Catch2", 12);
  expect_selected(".\nOK (2 tests, 1 ran, 1 checks, 0 ignored, 1 filtered out, 0 ms)\n", "CppUTest", 1);
  expect_selected("..\n\n\nOK (2 tests)\n\n\n", "CppUnit", 2);
}

TEST(TestFrameworks, ThatNoTestWasRunIsCountedToo) {
  expect_selected("[doctest] test cases: 0 | 0 passed | 0 failed | 2 skipped\n", "doctest", 0);
  expect_selected("Test setup error: no test cases matching filter or all test cases were disabled\n", "Boost.Test", 0);
  expect_selected("Errors (ran nothing, 2 tests, 0 ran, 0 checks, 0 ignored, 2 filtered out, 0 ms)\n", "CppUTest", 0);
  expect_selected("Filters: xx\nNo test cases matched 'xx'\n===\nNo tests ran\n\n", "Catch2", 0);
  expect_selected(
      "running 1 test\ntest a::slow ... ignored\n\ntest result: ok. 0 passed; 0 failed; 1 ignored; 0 measured\n",
      "libtest", 0);
  expect_selected("Running suite(s):100%: Checks: 0, Failures: 0, Errors: 0\n", "check", 0);
}

TEST(TestFrameworks, WhatPassedIsNoFailure) {
  for (const char* output :
       {"[doctest] run with \"--help\" for options\n"
        "===============================================================================\n"
        "[doctest] test cases: 2 | 2 passed | 0 failed | 0 skipped\n",
        "Running 2 test cases...\n\n\x1b[1;32;49m*** No errors detected\n\x1b[0;39;49m",
        "..\nOK (2 tests, 2 ran, 2 checks, 0 ignored, 0 filtered out, 0 ms)\n\n", "..\n\n\nOK (2 tests)\n\n\n",
        "[==========] Running 1 test(s).\n[ RUN      ] a\n[       OK ] a\n[  PASSED  ] 1 test(s).\n",
        "Running suite(s): a\n100%: Checks: 2, Failures: 0, Errors: 0\n",
        "===\nAll tests passed (2 assertions in 2 test cases)\n\n",
        "[==========] Running 1 test from 1 test suite.\n[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n"})
    EXPECT_FALSE(printed_test_failure(output)) << output;
}

TEST(TestFrameworks, ErrorsOfTheProgramsOwnAreNoFailure) {
  for (const char* output :
       {"input.txt:12: ERROR: a bracket is missing\n", "input.txt(12): error: in \"main\": a bracket is missing\n",
        "input.txt:12: error: Failure in reading\n", "12) test: it (F) line: 3 x\n", "a.c:3:F:x:y:0: text\n",
        "[doctest] run\nlog.txt:3: ERROR: before any test\n", "Assertion\nTest name: x\n", "12) a list\n",
        "Running 2 test cases...\nsomething: error: in \"no place\": x\n"})
    EXPECT_FALSE(printed_test_failure(output)) << output;
}

TEST(TestFrameworks, WhatOnlyLooksLikeACountIsNone) {
  for (const char* output :
       {"test cases: many\n", "Running 2 test cases\n", "OK (2 tests, all good)\n", "Run:  2 miles\n",
        "[==========] Running tests\n", "Checks: 2, Failures: 1\n", "2 tests, 2 ran, home\n"})
    EXPECT_FALSE(selected_tests(output)) << output;
}

TEST(TestFrameworks, AssertionsOfThreadsAreFailuresToo) {
  const std::string failed = "q.cpp:5: FAILED:\n  REQUIRE( 1 == 2 )\n\n";
  const auto printed = printed_test_abort(
      failed + "terminate called after throwing an instance of 'Catch::TestFailureException'\n" +
      "q.cpp:5: FAILED:\ndue to a fatal error condition:\n  SIGABRT - Abort (abnormal termination) signal\n");
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->message,
            "q.cpp:5: FAILED:\n  REQUIRE( 1 == 2 )\n\nterminate called after throwing an instance of "
            "'Catch::TestFailureException'");
  EXPECT_FALSE(printed_test_abort(failed + "terminate called after throwing an instance of 'int'\n"));
  EXPECT_FALSE(printed_test_abort(failed));
}

TEST(TestFrameworks, QuotationsAreBounded) {
  const auto printed =
      printed_test_failure("\nq.cpp:7: error: Failure in TEST(A, b)\n\t" + std::string(9000, 'x') + "\n");
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->message.size(), 1500u);
}

TEST(TestFrameworks, CmockaIsNoGoogleTest) {
  EXPECT_FALSE(google_tests_selected(kCmocka));
  EXPECT_EQ(failed_google_test(kCmocka), "");
}

}  // namespace
}  // namespace heddle
