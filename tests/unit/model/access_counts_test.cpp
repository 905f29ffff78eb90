// The counts of the accesses monitor.
#include "model/access_counts.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

TEST(AccessCounts, CountEachTask) {
  AccessCounts counts;
  counts.add(1, false);
  counts.add(1, false);
  counts.add(1, true);
  counts.add(2, true);
  EXPECT_EQ(counts.of(0).reads + counts.of(0).writes, 0u);
  EXPECT_EQ(counts.of(1).reads, 2u);
  EXPECT_EQ(counts.of(1).writes, 1u);
  EXPECT_EQ(counts.of(2).writes, 1u);
}

TEST(AccessCounts, CountTasksWithHighNumbersTogether) {
  AccessCounts counts;
  counts.add(AccessCounts::kMaxTasks, true);
  counts.add(AccessCounts::kMaxTasks + 7, true);
  EXPECT_EQ(counts.of(AccessCounts::kMaxTasks - 1).writes, 2u);
}

}  // namespace
}  // namespace heddle::model
