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
  EXPECT_EQ(difference->expected, "main: mutex lock (mutex 3), result 0");
  EXPECT_EQ(difference->seen, "main: mutex lock (mutex 3), result 22");
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

TEST(Compare, AFailedAssertionIsCalledSo) {
  Execution shorter = test::crossed_locks();
  shorter.steps.pop_back();
  shorter.end.end = EndKind::Crashed;
  EXPECT_EQ(compare(test::crossed_locks(), shorter)->seen, "no step: the execution had ended (crashed)");
  shorter.messages.push_back(ExecutionMessage{MessageKind::AssertionFailed, 0, 3, "done"});
  EXPECT_EQ(compare(test::crossed_locks(), shorter)->seen, "no step: the execution had ended (a failed assertion)");
}

TEST(Compare, AScheduleThatCannotBeFollowedIsSaidSo) {
  Execution shorter = test::crossed_locks();
  shorter.steps.pop_back();
  shorter.end.end = EndKind::Diverged;
  EXPECT_EQ(compare(test::crossed_locks(), shorter)->seen, "the thread that the schedule has go on here can't");
}

TEST(CompareExactly, EqualExecutions) { EXPECT_FALSE(compare_exactly(test::crossed_locks(), test::crossed_locks())); }

TEST(CompareExactly, StepsAreComparedFirst) {
  Execution other = test::crossed_locks();
  other.steps[0].site += 1;
  other.steps[2].result = 22;
  EXPECT_EQ(compare_exactly(test::crossed_locks(), other)->step, 2u);
}

TEST(CompareExactly, CodeAddressesMatter) {
  Execution other = test::crossed_locks();
  other.steps[1].site = 0x1234;
  const auto difference = compare_exactly(test::crossed_locks(), other);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->step, 1u);
  EXPECT_EQ(difference->expected, "a call at 0x1000");
  EXPECT_EQ(difference->seen, "one at 0x1234");
}

TEST(CompareExactly, AddressesOfObjectsMatter) {
  Execution other = test::crossed_locks();
  other.objects[2].address += 16;
  const auto difference = compare_exactly(test::crossed_locks(), other);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->step, other.steps.size());
  EXPECT_EQ(difference->expected, "mutex 3 at 0x0");
  EXPECT_EQ(difference->seen, "0x10");
  other = test::crossed_locks();
  other.objects[3].created_at = 0x99;
  EXPECT_TRUE(compare_exactly(test::crossed_locks(), other));
}

TEST(CompareExactly, TheEndMatters) {
  const auto differs = [](auto change) {
    Execution other = test::crossed_locks();
    change(other);
    const auto difference = compare_exactly(test::crossed_locks(), other);
    return difference && difference->step == other.steps.size();
  };
  EXPECT_TRUE(differs([](Execution& other) { other.end.end = EndKind::StepLimit; }));
  EXPECT_TRUE(differs([](Execution& other) { other.end.status = 256; }));
  EXPECT_TRUE(differs([](Execution& other) { other.end.preemptions = 2; }));
  EXPECT_TRUE(differs([](Execution& other) { other.objects.push_back(other.objects.back()); }));
}

}  // namespace
}  // namespace heddle
