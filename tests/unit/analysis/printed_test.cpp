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
  EXPECT_EQ(printed_corruption("exit(): a block was written past its end\n")->message,
            "exit(): a block was written past its end");
  EXPECT_FALSE(printed_corruption("freed it\n"));
  EXPECT_FALSE(printed_corruption("exit(): 3\n"));
}

TEST(Printed, ALargeBlockThatWasFreedMayBeForgotten) {
  const auto once_more = printed_corruption("free(): double free detected (of a large block)\n");
  const auto unknown = printed_corruption("free(): invalid pointer (a large block that was freed before, …)\n");
  EXPECT_EQ(once_more->identity, unknown->identity);
  EXPECT_NE(once_more->message, unknown->message);
  for (const char* other :
       {"realloc(): double free detected (of a large block)\n", "free(): double free detected\n",
        "free(): invalid pointer (not given out by malloc, …)\n", "free(): corrupted block (written to)\n"})
    EXPECT_NE(printed_corruption(other)->identity, once_more->identity) << other;
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

TEST(Printed, LastLine) {
  EXPECT_EQ(last_line("one\ntwo\n\n"), "two");
  EXPECT_EQ(last_line("\x1b[31mred\x1b[0m\n"), "red");
  EXPECT_EQ(last_line("\x1b[1;31;49m*** 1 failure\n\x1b[0;39;49m"), "*** 1 failure") << "the last line has no text";
  EXPECT_EQ(last_line(""), "");
  EXPECT_EQ(last_line(std::string(1000, 'x')).size(), 300u);
}

TEST(Printed, OfPythonsTracebacksTheLastException) {
  const auto found = printed_traceback(
      "Exception in thread Thread-1 (take):\nTraceback (most recent call last):\n"
      "  File \"/usr/lib/python3.11/threading.py\", line 1038, in _bootstrap_inner\n    self.run()\n"
      "  File \"/home/me/box.py\", line 7, in take\n    box.pop()\nIndexError: pop from empty list\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, OutcomeKind::Exception);
  EXPECT_EQ(found->message, "uncaught exception of type IndexError: pop from empty list, raised at box.py:7");
  EXPECT_EQ(found->place, "box.py:7");
}

TEST(Printed, AnExceptionOfPythonMayHaveNoText) {
  const auto found = printed_traceback(
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    f()\nqueue.Empty\n\n"
      "During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n"
      "  File \"a.py\", line 5, in <module>\n    assert False\nAssertionError\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message, "uncaught exception of type AssertionError, raised at a.py:5");
  EXPECT_EQ(found->place, "a.py:5");
}

TEST(Printed, OfRustsPanicsTheFirst) {
  const auto found = printed_panic(
      "note\nthread '<unnamed>' panicked at src/queue.rs:40:13:\nthe queue is empty\nnote: run with `RUST_BACKTRACE=1` "
      "…\n"
      "thread 'main' panicked at src/main.rs:7:3:\ncalled `Result::unwrap()` on an `Err` value: Any { .. }\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, OutcomeKind::Exception);
  EXPECT_EQ(found->message, "panic: the queue is empty, at src/queue.rs:40");
  EXPECT_EQ(found->place, "src/queue.rs:40");
}

TEST(Printed, APanicOfAnAssertionHasItsValues) {
  const auto found = printed_panic(
      "thread 'lost' (4194305) panicked at tests.rs:6:3:\nassertion `left == right` failed: an update was lost\n"
      "  left: 1\n right: 2\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, OutcomeKind::Assertion);
  EXPECT_EQ(found->message,
            "panic: assertion `left == right` failed: an update was lost, left: 1, right: 2, at tests.rs:6");
}

TEST(Printed, OlderPanicsAreOneLine) {
  const auto found = printed_panic("thread 'main' panicked at 'it can't be, or can it', src/main.rs:3:5\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message, "panic: it can't be, or can it, at src/main.rs:3");
  const auto values = printed_panic(
      "thread 'lost' panicked at 'assertion failed: `(left == right)`\n  left: `1`,\n"
      " right: `2`: an update was lost', tests.rs:6:3\n");
  ASSERT_TRUE(values);
  EXPECT_EQ(values->message,
            "panic: assertion failed: `(left == right)`, left: `1`,, right: `2`: an update was lost, at tests.rs:6");
}

TEST(Printed, CutOffPanicsDoNoHarm) {
  for (const char* text : {"thread 'main' panicked at ", "thread 'main' panicked at '", "thread 'main' panicked at ',",
                           "thread 'main' panicked at ::", "thread 'main' panicked at a.rs:1:2:\n",
                           "thread 'a' panicked at a.rs:1:2:\nx\n  left: 1"})
    (void)printed_panic(text);
  EXPECT_FALSE(printed_panic("somebody panicked at noon\n"));
}

TEST(Printed, ATracebackThatWasCutOffTellsNothing) {
  EXPECT_FALSE(printed_traceback("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n"));
  EXPECT_FALSE(printed_traceback("nothing of that kind\n"));
}

}  // namespace
}  // namespace heddle
