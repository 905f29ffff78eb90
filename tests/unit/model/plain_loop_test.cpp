// Loops that wait for a plain variable, told apart from long computations by their accesses.
#include "model/plain_loop.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::model {
namespace {

using Verdict = PlainLoop::Verdict;

TEST(PlainLoop, TheSameReadsRoundByRound) {
  PlainLoop loop;
  for (unsigned round = 0; round < PlainLoop::kRounds; ++round) {
    ASSERT_EQ(loop.note(1, 100, false), Verdict::Unknown) << round;
    ASSERT_EQ(loop.note(2, 200, false), Verdict::Unknown) << round;
  }
  EXPECT_EQ(loop.note(1, 100, false), Verdict::Loop);
  EXPECT_EQ(std::vector<Site>(loop.begin(), loop.end()), (std::vector<Site>{1, 2}));
}

TEST(PlainLoop, AWriteIsNone) {
  PlainLoop loop;
  EXPECT_EQ(loop.note(1, 100, false), Verdict::Unknown);
  EXPECT_EQ(loop.note(2, 200, true), Verdict::NoLoop);
}

TEST(PlainLoop, ReadingOnIsNone) {
  PlainLoop loop;
  Verdict verdict = Verdict::Unknown;
  for (std::uint64_t i = 0; i < PlainLoop::kMaxReads; ++i) verdict = loop.note(1, 100 + 8 * i, false);
  EXPECT_EQ(verdict, Verdict::Unknown);
  EXPECT_EQ(loop.note(1, 0, false), Verdict::NoLoop);
}

TEST(PlainLoop, WhatIsReadForTheFirstTimeInALaterRoundIsNone) {
  PlainLoop loop;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(loop.note(1, 100, false), Verdict::Unknown);
  EXPECT_EQ(loop.note(1, 108, false), Verdict::NoLoop);
}

}  // namespace
}  // namespace heddle::model
