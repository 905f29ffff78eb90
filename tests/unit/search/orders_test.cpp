// Orders of statements: what is learned of good runs, and which choices would bring new ones.
#include "search/orders.h"

#include <gtest/gtest.h>

#include "search/bounded.h"
#include "search/dpor.h"
#include "search/enumeration.h"
#include "search/pretend_target.h"
#include "support/execution_builder.h"

namespace heddle::test {
namespace {

constexpr Site kRead = 0x100000, kWrite = 0x200000, kOtherRead = 0x300000, kLock = 0x400000, kUnlock = 0x500000;

struct Did {
  TaskId task;
  Site site;
};

// What tasks do in turn to one variable, or to one lock.
Execution execution_of(const std::vector<Did>& all, int status = 0) {
  ExecutionBuilder builder;
  builder.task();
  builder.task();
  const ObjectId variable = builder.object(ObjectKind::Memory, 0x4000),
                 lock = builder.object(ObjectKind::Mutex, 0x5000);
  for (const Did& did : all) {
    const bool locks = did.site == kLock, unlocks = did.site == kUnlock, writes = did.site == kWrite;
    StepRecord& step = builder.step(did.task,
                                    locks     ? OperationKind::MutexLock
                                    : unlocks ? OperationKind::MutexUnlock
                                    : writes  ? OperationKind::AtomicStore
                                              : OperationKind::AtomicLoad,
                                    locks || unlocks ? lock : variable, did.site);
    if (locks || unlocks || writes) step.flags |= StepFlags::Wrote;
  }
  return builder.exited(status);
}

StatementOrders learned(const std::vector<Did>& all) {
  StatementOrders orders;
  orders.learn(execution_of(all));
  return orders;
}

TEST(Orders, AReadDependsOnTheWriteOfAnother) {
  const StatementOrders orders = learned({{0, kWrite}, {1, kRead}});
  EXPECT_TRUE(orders.seen(kWrite, kRead));
  EXPECT_FALSE(orders.seen(kRead, kWrite));
  EXPECT_EQ(orders.pairs().size(), 1u);
}

TEST(Orders, AWriteDependsOnTheReadsSinceTheOneBefore) {
  const StatementOrders orders = learned({{0, kWrite}, {1, kRead}, {1, kOtherRead}, {0, kWrite}});
  EXPECT_TRUE(orders.seen(kOtherRead, kWrite));
  EXPECT_FALSE(orders.seen(kRead, kWrite)) << "another access of its thread came between";
}

TEST(Orders, WhatAThreadDoesAfterItselfIsNone) {
  EXPECT_EQ(learned({{0, kWrite}, {0, kRead}, {0, kWrite}}).pairs().size(), 0u);
  EXPECT_EQ(learned({{0, kRead}, {1, kOtherRead}}).pairs().size(), 0u) << "two reads";
}

TEST(Orders, UnlocksAreLeftOut) {
  const StatementOrders orders = learned({{0, kLock}, {0, kUnlock}, {1, kLock}, {1, kUnlock}});
  EXPECT_TRUE(orders.seen(kLock, kLock));
  EXPECT_EQ(orders.pairs().size(), 1u);
}

TEST(Orders, OnlyGoodRunsTeach) {
  StatementOrders orders;
  EXPECT_EQ(orders.learn(execution_of({{0, kWrite}, {1, kRead}}, 256)), 0u);
  EXPECT_EQ(orders.good_runs(), 0u);
  EXPECT_EQ(orders.learn(execution_of({{0, kWrite}, {1, kRead}})), 1u);
  EXPECT_EQ(orders.learn(execution_of({{0, kWrite}, {1, kRead}})), 0u) << "nothing is new";
}

TEST(Orders, ThePossibleOnesAreBothWays) {
  const StatementOrders orders = learned({{0, kWrite}, {1, kRead}});
  EXPECT_TRUE(orders.possible().contains({kWrite, kRead}));
  EXPECT_TRUE(orders.possible().contains({kRead, kWrite}));
  EXPECT_EQ(orders.possible().size(), 2u);
}

// Two callers of one function, with a frame of a library in between: they are two statements where the callers count.
TEST(Orders, TheContextTellsCallersApart) {
  constexpr Site kLibrary = 0x600000, kFill = 0x700000, kDrain = 0x800000, kMain = 0x900000;
  Execution execution = execution_of({{0, kWrite}, {1, kWrite}, {0, kWrite}});
  execution.stacks = {
      {kWrite, kLibrary, kFill, kMain}, {kWrite, kLibrary, kDrain, kMain}, {kWrite, kLibrary, kFill, kMain}};
  const auto learned_with = [&](unsigned functions) {
    StatementOrders orders;
    orders.set_context(functions, [](Site site) { return site != kLibrary; });
    orders.learn(execution);
    return orders;
  };
  const StatementOrders alone = learned_with(1);
  EXPECT_EQ(alone.pairs(), (absl::flat_hash_set<StatementOrders::Pair>{{kWrite, kWrite}}));

  const StatementOrders with_callers = learned_with(2);
  const Site fill = with_callers.statement(kWrite, &execution.stacks[0]);
  const Site drain = with_callers.statement(kWrite, &execution.stacks[1]);
  EXPECT_NE(fill, drain);
  EXPECT_EQ(with_callers.pairs(), (absl::flat_hash_set<StatementOrders::Pair>{{fill, drain}, {drain, fill}}));
  EXPECT_EQ(with_callers.places_of(fill), (std::vector<Site>{kWrite, kLibrary, kFill}));

  // What comes next for a task has its stack, too, also where it was never made.
  execution.steps.pop_back();
  execution.stacks.pop_back();
  PendingRecord pending;
  pending.task = 0;
  pending.operation = OperationKind::AtomicStore;
  pending.object = execution.steps[0].object;
  pending.site = kWrite;
  execution.pending = {pending};
  execution.pending_stacks = {{kWrite, kLibrary, kFill, kMain}};
  Lookahead lookahead;
  lookahead.begin(execution, 0);
  EXPECT_EQ(with_callers.statement(lookahead.made(1)), drain);
  EXPECT_EQ(with_callers.statement(lookahead.next(0, 2)), fill);
  EXPECT_EQ(with_callers.statement(kWrite, nullptr), kWrite) << "without a stack the place decides";
}

TEST(Orders, AChoiceBringsANewOneWhereARaceWouldTurnRound) {
  using K = OperationKind;
  const Program program{
      {{{.kind = K::AtomicStore, .site = kWrite, .argument = 1}}, {{.kind = K::AtomicLoad, .site = kRead}}}, {}};
  const Execution execution = execute(program, Plan());
  ASSERT_EQ(execution.steps[0].task, 0);
  StatementOrders orders;
  orders.learn(execution);
  Lookahead lookahead;
  lookahead.begin(execution, 0);
  NewOrders brings(true);
  brings.begin(lookahead, 0, orders);
  EXPECT_TRUE(brings.are_brought_by(0, {1, 0}));
  orders.learn(execution_of({{1, kRead}, {0, kWrite}}));
  brings.begin(lookahead, 0, orders);
  EXPECT_FALSE(brings.are_brought_by(0, {1, 0}));
}

// 004, section 3.3: a thread polls under a lock until another has set a flag. However often it polls, the same
// statements follow each other, so with all of them seen nothing is left to be run.
TEST(Orders, WithThemAsAGuideABusyWaitConverges) {
  using K = OperationKind;
  const Program program{{{{.kind = K::AtomicLoad, .site = 1u << 20, .loop = 1}},
                         {{.kind = K::AtomicStore, .site = 2u << 20, .argument = 1}}},
                        {}};
  const auto orders = std::make_shared<StatementOrders>();
  BoundedSearch::Options options;
  options.max_preemptions = 8;
  const auto run = [&](bool guided) {
    options.guided = guided;
    options.of_priorities.orders = orders;
    BoundedSearch search(options);
    std::size_t executions = 0;
    for (Next next = search.next(); std::holds_alternative<Plan>(next); next = search.next()) {
      const Execution execution = execute(program, std::get<Plan>(next));
      if (guided) orders->learn(execution);
      search.learn(execution);
      ++executions;
    }
    EXPECT_EQ(search.coverage().guided, guided);
    EXPECT_EQ(search.coverage().bound_proved >= 0, !guided) << "with a guide nothing is proved";
    return executions;
  };
  EXPECT_LE(run(true), 3u);
  EXPECT_GE(run(false), 8u);
}

// As a guide of partial-order reduction, from three walks; also where each schedule is run by another process.
TEST(Orders, AsAGuideOfDporTheyLeaveRacesOut) {
  using K = OperationKind;
  Program program{{{{.kind = K::AtomicLoad, .site = 1u << 20, .loop = 1}},
                   {{.kind = K::AtomicStore, .site = 2u << 20, .argument = 1}}},
                  {}};
  program.limits.fair = false;
  const auto run = [&](bool guided, bool interrupted) {
    const auto orders = std::make_shared<StatementOrders>();
    const OrderGuide::Options guide{.orders = guided ? orders : nullptr, .learn_first = guided ? 3u : 0u};
    auto search = std::make_unique<DporSearch>(true, 1, guide);
    std::size_t executions = 0;
    for (Next next = search->next(); std::holds_alternative<Plan>(next) && executions < 50; next = search->next()) {
      const Execution execution = execute(program, std::get<Plan>(next), 200);
      orders->learn(execution);
      search->learn(execution);
      ++executions;
      if (!interrupted) continue;
      StateWriter writer;
      search->save(writer);
      search = std::make_unique<DporSearch>(true, 1, guide);
      StateReader reader(writer.written());
      EXPECT_TRUE(search->restore(reader));
    }
    EXPECT_EQ(search->coverage().guided, guided);
    EXPECT_FALSE(guided && search->coverage().complete) << "with a guide nothing is proved";
    return executions;
  };
  const std::size_t all = run(false, false);
  EXPECT_GT(all, 1u);
  EXPECT_LT(run(true, false), 3 + all);
  EXPECT_EQ(run(true, true), run(true, false));
}

// Where no order was seen, the guide leaves nothing out.
TEST(Orders, AGuideOfDporThatKnowsNothingLeavesNothingOut) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Program program = mixed_program(seed);
    const auto executions = [&](const OrderGuide::Options& guide) {
      DporSearch search(program.limits.early_timeouts(), 1, guide);
      std::size_t result = 0;
      for (Next next = search.next(); std::holds_alternative<Plan>(next) && result < 400; next = search.next()) {
        search.learn(execute(program, std::get<Plan>(next)));
        ++result;
      }
      EXPECT_FALSE(search.coverage().guided);
      return result;
    };
    const std::size_t all = executions({});
    EXPECT_EQ(executions({.orders = std::make_shared<StatementOrders>()}), all) << program.text();
    compared += all < 400 ? 1 : 0;
  }
  EXPECT_GT(compared, 30u);
}

}  // namespace
}  // namespace heddle::test
