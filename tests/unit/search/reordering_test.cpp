// Another order of an execution's steps: it exists, it has the same happens-before graph, and all that the model knows
// comes out the same.
#include "search/reordering.h"

#include <gtest/gtest.h>

#include "analysis/happens_before.h"
#include "search/bounded.h"
#include "search/pretend_target.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

constexpr OperationKind kLock = OperationKind::MutexLock, kUnlock = OperationKind::MutexUnlock;

Plan plan_of(const std::vector<Choice>& choices) {
  Plan plan;
  plan.deltas.reserve(choices.size());
  for (std::uint32_t step = 0; step < choices.size(); ++step) plan.deltas.push_back({step, choices[step]});
  return plan;
}

std::vector<TaskId> tasks_of(const std::vector<Choice>& choices) {
  std::vector<TaskId> tasks;
  tasks.reserve(choices.size());
  for (const Choice choice : choices) tasks.push_back(choice.task);
  return tasks;
}

std::optional<GraphHash> graph_of(const Execution& execution) {
  return HappensBefore(HappensBefore::Relation::Careful).hash(execution);
}

TEST(Reordering, WhatIsIndependentChangesPlaces) {
  const Program program{{{{kLock, 0}, {kUnlock, 0}}, {{kLock, 1}, {kUnlock, 1}}}, {}};
  const Execution execution = execute(program, {});
  ASSERT_EQ(tasks_of(schedule_of(execution)), (std::vector<TaskId>{0, 0, 0, 1, 1, 1}));
  Reordering reordering(true);
  EXPECT_EQ(tasks_of(reordering.of(execution, Reordering::Way::Reversed)), (std::vector<TaskId>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(tasks_of(reordering.of(execution, Reordering::Way::InTurn)), (std::vector<TaskId>{1, 0, 1, 0, 1, 0}));
}

TEST(Reordering, WhatDependsHasOneOrder) {
  const Program program{{{{kLock, 0}, {kUnlock, 0}}, {{kLock, 0}, {kUnlock, 0}}}, {}};
  Execution execution = execute(program, {});
  execution.steps.pop_back();  // the ends of the tasks are independent
  execution.steps.erase(execution.steps.begin() + 2, execution.steps.begin() + 3);
  ASSERT_EQ(execution.steps.size(), 4u);
  Reordering reordering(true);
  for (const auto way : {Reordering::Way::Reversed, Reordering::Way::InTurn})
    EXPECT_TRUE(reordering.of(execution, way).empty());
}

TEST(Reordering, NothingGoesPastAStepThatIsOrderedWithAll) {
  const Program program{{{{kLock, 0}, {OperationKind::Sleep, 0, 0, 10}, {kUnlock, 0}}, {{kLock, 1}, {kUnlock, 1}}}, {}};
  const Execution execution = execute(program, {});
  for (const auto way : {Reordering::Way::Reversed, Reordering::Way::InTurn}) {
    const auto other = Reordering(true).of(execution, way);
    if (other.empty()) continue;
    EXPECT_EQ(graph_of(execute(program, plan_of(other))), graph_of(execution));
  }
}

void examine(const Program& program, const Execution& execution, unsigned& other_orders) {
  Reordering reordering(true);
  for (const auto way : {Reordering::Way::Reversed, Reordering::Way::InTurn}) {
    const auto choices = reordering.of(execution, way);
    if (choices.empty()) continue;
    ++other_orders;
    const Execution other = execute(program, plan_of(choices));
    ASSERT_NE(other.end.end, EndKind::Diverged) << program.text() << text(schedule_of(execution));
    EXPECT_EQ(schedule_of(other), choices) << program.text();
    EXPECT_EQ(graph_of(other), graph_of(execution)) << program.text() << text(schedule_of(execution));
    EXPECT_EQ(other.output, execution.output) << program.text() << text(schedule_of(execution));
    EXPECT_EQ(other.end.end, execution.end.end) << program.text();
  }
}

TEST(Reordering, OfRandomProgramsExistsAndIsEquivalent) {
  constexpr unsigned kExecutions = 30;
  unsigned other_orders = 0;
  const Seeds all = seeds(300);
  for (std::uint64_t seed = all.first; seed < all.end; ++seed) {
    const Program program = mixed_program(seed);
    BoundedSearch search(BoundedSearch::Options{});
    for (unsigned i = 0; i < kExecutions; ++i) {
      Next next = search.next();
      if (!std::holds_alternative<Plan>(next)) break;
      const Execution execution = execute(program, std::get<Plan>(next));
      search.learn(execution);
      const EndKind end = execution.end.end;
      if (end == EndKind::Exited || end == EndKind::Deadlock) examine(program, execution, other_orders);
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(other_orders, 1000u);
}

}  // namespace
}  // namespace heddle::test
