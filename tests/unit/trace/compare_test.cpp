// Comparison of executions: the first difference, in words.
#include "trace/compare.h"

#include <gtest/gtest.h>

#include "support/execution_builder.h"

namespace heddle {
namespace {

TEST(Compare, EqualExecutions) { EXPECT_FALSE(compare(test::crossed_locks(), test::crossed_locks())); }

TEST(Compare, AddressesDoNotMatter) {
  Execution moved = test::crossed_locks();
  for (StepRecord& step : moved.steps) step.site += 0x5000;
  for (ObjectRecord& object : moved.objects) object.address += 0x5000;
  EXPECT_FALSE(compare(test::crossed_locks(), moved));
}

TEST(Compare, AnotherResult) {
  Execution other = test::crossed_locks();
  other.steps[1].result = 22;
  const auto difference = compare(test::crossed_locks(), other);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->step, 1u);
  EXPECT_EQ(difference->expected, "thread 0: mutex lock (mutex 3), result 0");
  EXPECT_EQ(difference->seen, "thread 0: mutex lock (mutex 3), result 22");
}

TEST(Compare, AnotherTaskOrObjectOrVariant) {
  Execution other = test::crossed_locks();
  other.steps[3].task = 0;
  EXPECT_EQ(compare(test::crossed_locks(), other)->step, 3u);
  other = test::crossed_locks();
  other.steps[3].object = 3;
  EXPECT_EQ(compare(test::crossed_locks(), other)->step, 3u);
  other = test::crossed_locks();
  other.steps[3].variant = kTimeout;
  EXPECT_NE(compare(test::crossed_locks(), other)->seen.find("timing out"), std::string::npos);
  other = test::crossed_locks();
  other.objects[2].object_kind = ObjectKind::RwLock;
  EXPECT_EQ(compare(test::crossed_locks(), other)->step, 1u);
}

TEST(Compare, OneEndsEarlier) {
  Execution shorter = test::crossed_locks();
  shorter.steps.pop_back();
  const auto difference = compare(test::crossed_locks(), shorter);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->step, 3u);
  EXPECT_EQ(difference->seen, "no step: the execution had ended (deadlock)");
}

}  // namespace
}  // namespace heddle
