// Is what a rebuilt program did the bug of the trace?
#include "cli/judge_replay.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

TEST(JudgeReplay, LinesAndAddressesMayDiffer) {
  EXPECT_TRUE(same_in_words("t.c:7: main: Assertion `x == 2' failed", "t.c:19: main: Assertion `x == 2' failed"));
  EXPECT_TRUE(same_in_words("first waits for b, which second has locked at a.cpp:3;\nsecond waits for a, at a.cpp:9",
                            "first waits for b, which second has locked at a.cpp:4;\nsecond waits for a, at a.cpp:12"));
  EXPECT_TRUE(same_in_words("segmentation fault at address 0x7f00", "segmentation fault at address 0x10"));
  EXPECT_TRUE(same_in_words("/home/a/t.c:7: failed", "/tmp/t.c:8: failed"));
}

TEST(JudgeReplay, WhatIsSaidMayNot) {
  EXPECT_FALSE(same_in_words("t.c:7: main: Assertion `x == 2' failed", "t.c:7: main: Assertion `y == 2' failed"));
  EXPECT_FALSE(same_in_words("t.c:7: main: Assertion `x == 2' failed", "t.c:7: check: Assertion `x == 2' failed"));
  EXPECT_FALSE(same_in_words("the program ended with exit status 1", "the program ended with exit status 7"));
  EXPECT_FALSE(same_in_words("first waits for b", "first waits for c"));
  EXPECT_FALSE(same_in_words("status:7", "status:1"));
  EXPECT_FALSE(same_in_words("lock of m at a.c:10", "lock of m at other/b.cpp:10"));
}

TEST(JudgeReplay, LongTexts) {
  const std::string text(1'000'000, 'x');
  EXPECT_TRUE(same_in_words(text, text));
  EXPECT_FALSE(same_in_words(text, text + "y"));
}

}  // namespace
}  // namespace heddle::cli
