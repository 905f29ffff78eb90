// Hashes of happens-before graphs against the graphs themselves, over all schedules of small programs.
#include "analysis/happens_before.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "analysis/distinct_executions.h"
#include "search/bounded.h"
#include "search/pretend_target.h"
#include "support/execution_builder.h"

namespace heddle::test {
namespace {

bool failed(const StepRecord& step) {
  return step.result == EBUSY || step.result == EAGAIN;  // of what random programs do, only tries say so
}

bool writes(const StepRecord& step) {
  return (traits(step.operation) & OperationTraits::Write) != 0 && (step.flags & StepFlags::Wrote) != 0 &&
         !failed(step);
}

std::set<ObjectId> objects_of(const StepRecord& step) {
  std::set<ObjectId> result{step.object};
  if (step.operation == OperationKind::ConditionWait) result.insert(step.object2);
  result.erase(kNoObject);
  return result;
}

bool depend(const StepRecord& a, const StepRecord& b) {
  if (a.task == b.task) return true;
  if (((traits(a.operation) | traits(b.operation)) & OperationTraits::All) != 0) return true;
  if (!writes(a) && !writes(b)) return false;
  const auto of_a = objects_of(a), of_b = objects_of(b);
  return std::any_of(of_a.begin(), of_a.end(), [&](ObjectId id) { return of_b.count(id) != 0; });
}

// The whole graph in words: every step by task and number within it, with all that it depends on.
std::string graph_of(const Execution& execution) {
  std::map<TaskId, unsigned> taken;
  std::vector<std::string> names;
  std::set<std::string> lines;
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    names.push_back(std::to_string(step.task) + "." + std::to_string(taken[step.task]++));
    std::set<std::string> past;
    for (std::size_t j = 0; j < i; ++j)
      if (depend(execution.steps[j], step)) past.insert(names[j]);
    // A timeout is the end of a wait by its deadline like any other.
    const Variant variant = step.variant == kTimeout ? Variant{0} : step.variant;
    std::string line = names.back() + " " + name(step.operation) + " " + std::to_string(step.object) + " " +
                       std::to_string(variant) + " " + std::to_string(step.result) + " <-";
    for (const std::string& other : past) line += " " + other;
    lines.insert(line);
  }
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

std::string words_of(const GraphHash& hash) { return std::to_string(hash.a) + " " + std::to_string(hash.b); }

void each_execution(const Program& program, unsigned bound, const std::function<void(const Execution&)>& see) {
  BoundedSearch search({.max_preemptions = bound});
  for (int most = 0; most < 3000; ++most) {
    Next next = search.next();
    if (!std::holds_alternative<Plan>(next)) return;
    const Execution execution = execute(program, std::get<Plan>(next));
    see(execution);
    search.learn(execution);
  }
}

TEST(HappensBefore, EqualHashesAreEqualGraphs) {
  std::size_t executions = 0, graphs = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Program program = random_program(seed);
    std::map<std::string, std::string> graph_by_hash, hash_by_graph;
    HappensBefore analysis;
    each_execution(program, 3, [&](const Execution& execution) {
      const auto hash = analysis.hash(execution);
      ASSERT_TRUE(hash.has_value());
      const std::string graph = graph_of(execution), in_words = words_of(*hash);
      EXPECT_EQ(graph_by_hash.emplace(in_words, graph).first->second, graph) << program.text();
      EXPECT_EQ(hash_by_graph.emplace(graph, in_words).first->second, in_words) << program.text();
      ++executions;
    });
    graphs += graph_by_hash.size();
    if (HasFailure()) break;
  }
  EXPECT_GT(executions, 10'000u);
  EXPECT_LT(graphs, executions / 2) << "most differ in the order of independent steps only";
}

Plan every_choice(Execution& execution) {
  Plan plan{.id = 1, .deltas = {}};
  for (std::uint32_t i = 0; i < execution.steps.size(); ++i)
    plan.deltas.push_back({i, {execution.steps[i].task, execution.steps[i].variant}});
  return plan;
}

TEST(HappensBefore, SwappingIndependentStepsChangesNothing) {
  std::size_t swapped = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program = random_program(seed);
    each_execution(program, 1, [&](Execution execution) {
      const auto hash = HappensBefore().hash(execution);
      for (std::size_t i = 0; i + 1 < execution.steps.size(); ++i) {
        if (depend(execution.steps[i], execution.steps[i + 1])) continue;
        Plan plan = every_choice(execution);
        std::swap(plan.deltas[i].choice, plan.deltas[i + 1].choice);
        const Execution other = execute(program, plan);
        if (other.steps.size() != execution.steps.size()) continue;  // fairness or time did not allow it
        const bool same = graph_of(other) == graph_of(execution);
        EXPECT_EQ(HappensBefore().hash(other) == hash, same) << program.text();
        swapped += same ? 1 : 0;
      }
    });
    if (HasFailure()) break;
  }
  EXPECT_GT(swapped, 2'000u);
}

// Tasks with sections of one lock each: the graphs are the orders of the sections.
TEST(HappensBefore, CountsTheOrdersOfSections) {
  const auto count = [](unsigned tasks, unsigned sections) {
    Program program;
    program.tasks.resize(tasks);
    for (auto& calls : program.tasks)
      for (unsigned i = 0; i < sections; ++i)
        calls.insert(calls.end(), {{OperationKind::MutexLock, 0}, {OperationKind::MutexUnlock, 0}});
    DistinctExecutions distinct;
    HappensBefore analysis;
    each_execution(program, BoundedSearch::kNoBound,
                   [&](const Execution& execution) { distinct.add(*analysis.hash(execution)); });
    EXPECT_FALSE(distinct.full());
    return distinct.count();
  };
  EXPECT_EQ(count(2, 1), 2u);
  EXPECT_EQ(count(2, 2), 6u);
  EXPECT_EQ(count(2, 3), 20u);
  EXPECT_EQ(count(3, 1), 6u);
}

// Which of two unrelated threads was created first, and which of two mutexes was met first, gives them their numbers.
TEST(HappensBefore, NumbersDoNotMatter) {
  const auto two_branches = [](bool swapped) {
    ExecutionBuilder builder;
    const TaskId one = builder.task(), two = builder.task();  // both by task 0
    TaskId of_one = builder.task(), of_two = builder.task();
    if (swapped) std::swap(of_one, of_two);
    builder.execution.tasks[of_one].parent = one;
    builder.execution.tasks[of_two].parent = two;
    ObjectId a = builder.object(ObjectKind::Mutex), b = builder.object(ObjectKind::Mutex);
    if (swapped) std::swap(a, b);
    const auto lock = [&](TaskId task, ObjectId object) {
      builder.step(task, OperationKind::MutexLock, object).flags = StepFlags::Wrote;
    };
    if (swapped) lock(of_two, b);
    lock(of_one, a);
    if (!swapped) lock(of_two, b);
    return builder.exited(0);
  };
  const Execution straight = two_branches(false), swapped = two_branches(true);
  EXPECT_EQ(HappensBefore().hash(straight), HappensBefore().hash(swapped));
}

// One object that sees many executions names tasks as one that sees each alone.
TEST(HappensBefore, NamesHoldOnlyWhereTasksWereCreatedAlike) {
  const auto created_by = [](TaskId of_second, unsigned tasks) {
    ExecutionBuilder builder;
    for (unsigned i = 0; i < tasks; ++i) builder.task();
    builder.execution.tasks[2].parent = of_second;
    builder.step(2, OperationKind::Yield);
    return builder.exited(0);
  };
  HappensBefore all;
  for (const auto& execution :
       {created_by(0, 2), created_by(1, 2), created_by(1, 3), created_by(0, 3), created_by(0, 2), created_by(0, 2)})
    EXPECT_EQ(all.hash(execution), HappensBefore().hash(execution));
  EXPECT_NE(all.hash(created_by(0, 2)), all.hash(created_by(1, 2)));
}

TEST(HappensBefore, TheEndOfTheProcessDependsOnEverything) {
  const auto ends = [](bool early) {
    ExecutionBuilder builder;
    const TaskId other = builder.task();
    if (!early) builder.step(other, OperationKind::Yield);
    builder.step(0, OperationKind::ProcessExit);
    if (early) builder.step(other, OperationKind::Yield);
    return builder.exited(0);
  };
  EXPECT_NE(HappensBefore().hash(ends(true)), HappensBefore().hash(ends(false)));
}

// Long executions, each of which shares a beginning with the one before.
TEST(HappensBefore, GoesOnFromACheckpoint) {
  std::mt19937_64 draw(1);
  HappensBefore analysis;
  Execution execution;
  execution.tasks.resize(4);
  for (TaskId task = 1; task < 4; ++task) execution.tasks[task].parent = 0;
  for (PlanId plan = 1; plan < 200; ++plan) {
    execution.kept_of = plan % 7 == 0 ? 0 : execution.plan;
    execution.kept_steps = plan % 7 == 0 ? 0 : static_cast<std::uint32_t>(draw() % (execution.steps.size() + 1));
    execution.plan = plan;
    execution.steps.resize(execution.kept_steps);
    for (auto more = draw() % 2000; more > 0; --more) {
      StepRecord step;
      step.task = static_cast<TaskId>(draw() % 6);
      step.operation = OperationKind::MutexLock;
      step.flags = draw() % 2 == 0 ? StepFlags::Wrote : 0;
      step.object = static_cast<ObjectId>(draw() % 50);
      execution.steps.push_back(step);
    }
    Execution whole = execution;
    whole.kept_steps = 0;
    ASSERT_EQ(analysis.hash(execution), HappensBefore().hash(whole)) << plan;
  }
}

// Executions that go on from bookmarks: beginnings of any execution before.
TEST(HappensBefore, GoesOnFromABookmark) {
  struct Bookmark {
    RecordList<StepRecord> steps;
    std::uint64_t number = 0;
  };
  std::mt19937_64 draw(2);
  HappensBefore analysis;
  std::vector<Bookmark> bookmarks(5);
  std::uint64_t made_in_all = 0;
  for (PlanId plan = 1; plan < 300; ++plan) {
    const Bookmark& bookmark = bookmarks[draw() % bookmarks.size()];
    Execution execution;
    execution.plan = plan;
    execution.tasks.resize(4);
    for (TaskId task = 1; task < 4; ++task) execution.tasks[task].parent = 0;
    execution.steps = bookmark.steps;
    execution.bookmark = bookmark.number;
    execution.resumed_at = static_cast<std::uint32_t>(bookmark.steps.size());
    for (auto more = draw() % 600; more > 0; --more) {
      StepRecord step;
      step.task = static_cast<TaskId>(draw() % 6);
      step.operation = OperationKind::MutexLock;
      step.flags = draw() % 2 == 0 ? StepFlags::Wrote : 0;
      step.object = static_cast<ObjectId>(draw() % 50);
      execution.steps.push_back(step);
    }
    std::uint32_t at = execution.resumed_at;
    for (auto more = draw() % 4; more > 0; --more) {
      at += static_cast<std::uint32_t>(draw() % (execution.steps.size() - at + 1));
      execution.bookmarks_made.push_back({++made_in_all, at});
    }
    Execution whole = execution;
    whole.bookmark = 0;
    whole.bookmarks_made.clear();
    ASSERT_EQ(analysis.hash(execution), HappensBefore().hash(whole)) << plan;
    for (const BookmarkMade& one : execution.bookmarks_made) {
      Bookmark& made = bookmarks[draw() % bookmarks.size()];
      made = {execution.steps, one.number};
      made.steps.resize(one.step);
    }
  }
}

TEST(HappensBefore, NonsenseHasNoHash) {
  ExecutionBuilder builder;
  builder.step(0, OperationKind::MutexLock, ~ObjectId{0});
  HappensBefore analysis;
  EXPECT_FALSE(analysis.hash(builder.exited(0)).has_value());
  Execution damaged;
  damaged.damaged = true;
  EXPECT_FALSE(analysis.hash(damaged).has_value());
  EXPECT_TRUE(analysis.hash(crossed_locks()).has_value());
}

}  // namespace
}  // namespace heddle::test
