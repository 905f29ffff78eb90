// Why a search ends before it has come to its end.
#include "driver/explore/ending.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(Ending, TheFirstReasonCounts) {
  Ending ending;
  EXPECT_FALSE(ending.decided());
  EXPECT_EQ(ending.reason(), StopReason::None);
  ending.stop(StopReason::Time);
  ending.stop(StopReason::Bug);
  EXPECT_TRUE(ending.decided());
  EXPECT_EQ(ending.reason(), StopReason::Time);
  EXPECT_EQ(ending.no_verdict(), "");
}

TEST(Ending, WhoGivesUpSaysWhyThereIsNoVerdict) {
  Ending ending;
  ending.give_up(StopReason::Error, "the worker died");
  ending.give_up(StopReason::NothingToExplore, "no test was run");
  EXPECT_EQ(ending.reason(), StopReason::Error);
  EXPECT_EQ(ending.no_verdict(), "the worker died");
}

}  // namespace
}  // namespace heddle::test
