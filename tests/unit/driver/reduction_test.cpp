// Which smaller schedules are tried, without executions.
#include "driver/explore/reduction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/execution_builder.h"

namespace heddle::test {
namespace {

using Segments = std::vector<Segment>;

Segments alternating(unsigned count) {
  Segments result;
  for (unsigned i = 0; i < count; ++i) result.push_back({{static_cast<TaskId>(i % 3), 0}, i + 1});
  return result;
}

struct Reduced {
  Segments segments;
  unsigned tried = 0;
};

// Fails whatever `fails` says.
Reduced reduce(const Segments& segments, const std::function<bool(const Segments&)>& fails) {
  Reduced result{segments};
  SegmentReducer reducer;
  reducer.begin(segments);
  while (const auto tried = reducer.next()) {
    ++result.tried;
    if (!fails(*tried) || tried->size() >= result.segments.size()) continue;
    result.segments = *tried;
    reducer.take(*tried);
  }
  return result;
}

bool has(const Segments& segments, std::uint32_t steps) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& one) { return one.steps == steps; });
}

TEST(SegmentReducer, NothingIsNeeded) {
  const Reduced reduced = reduce(alternating(40), [](const Segments&) { return true; });
  EXPECT_TRUE(reduced.segments.empty());
  EXPECT_LE(reduced.tried, 2u);
}

TEST(SegmentReducer, WhatIsNeededStays) {
  const Reduced reduced =
      reduce(alternating(64), [](const Segments& tried) { return has(tried, 9) && has(tried, 50); });
  ASSERT_EQ(reduced.segments.size(), 2u);
  EXPECT_EQ(reduced.segments[0].steps, 9u);
  EXPECT_EQ(reduced.segments[1].steps, 50u);
  EXPECT_LE(reduced.tried, 150u);
}

TEST(SegmentReducer, WhereNothingCanBeLeftOutItEnds) {
  const Reduced reduced = reduce(alternating(20), [](const Segments&) { return false; });
  EXPECT_EQ(reduced.segments.size(), 20u);
  EXPECT_LE(reduced.tried, 100u);
}

// A segment that goes on to its thread's next wait makes the preemption behind it unnecessary.
TEST(SegmentReducer, SegmentsAreMadeLonger) {
  SegmentReducer reducer;
  reducer.begin(alternating(2));
  bool longer = false;
  while (const auto tried = reducer.next())
    longer = longer || (tried->size() == 2 && (*tried)[0].steps == UINT32_MAX && (*tried)[1].steps == 2);
  EXPECT_TRUE(longer);
}

TEST(Segments, OfAnExecution) {
  ExecutionBuilder builder;
  builder.task();
  builder.step(0, OperationKind::Yield);
  builder.step(0, OperationKind::Yield);
  builder.step(1, OperationKind::Yield);
  builder.step(1, OperationKind::MutexLock).variant = kTimeout;
  builder.step(1, OperationKind::Yield);
  const Segments segments = segments_of(builder.exited(0));
  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments[0].steps, 2u);
  EXPECT_EQ(segments[1].choice, (Choice{1, 0}));
  EXPECT_EQ(segments[2].choice, (Choice{1, kTimeout}));
  EXPECT_EQ(segments[3].steps, 1u);
}

TEST(ScheduleCost, PreemptionsCountFirst) {
  EXPECT_TRUE((ScheduleCost{1, 9, 900} < ScheduleCost{2, 3, 10}));
  EXPECT_TRUE((ScheduleCost{1, 3, 900} < ScheduleCost{1, 4, 10}));
  EXPECT_FALSE((ScheduleCost{1, 3, 10} < ScheduleCost{1, 3, 10}));
}

}  // namespace
}  // namespace heddle::test
