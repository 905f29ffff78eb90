// Random small programs, explored in every way, against three references that share nothing with the model: an oracle
// of who holds and waits for what, the fair algorithm of fairness.h in sets, and a fresh look at every task.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <random>

#include "model/explore.h"

namespace heddle::model {
namespace {

using enum OperationKind;

constexpr int kMutexes = 2;

struct Objects {
  std::array<ObjectId, kMutexes> mutexes{};
  ObjectId condition = kNoObject, semaphore = kNoObject;
};

enum class Action {
  Section,
  Nested,
  TimedSection,
  TrySection,
  Wait,
  TimedWait,
  Signal,
  Broadcast,
  Post,
  Take,
  Yield,
  Sleep,
  Count
};

struct Recipe {
  std::vector<std::vector<Action>> tasks;
};

Recipe draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  Recipe recipe;
  recipe.tasks.resize(2 + below(2));
  for (auto& actions : recipe.tasks)
    for (std::size_t i = 0, count = 1 + below(recipe.tasks.size() == 2 ? 3 : 2); i < count; ++i)
      actions.push_back(static_cast<Action>(below(static_cast<std::size_t>(Action::Count))));
  return recipe;
}

// The order of two nested locks depends on the task, so that some programs deadlock. The condition belongs to mutex 0.
Body perform(const World& world, std::vector<Action> actions, Objects objects, std::size_t task) {
  const ObjectId outer = objects.mutexes[task % kMutexes], inner = objects.mutexes[(task + 1) % kMutexes];
  const ObjectId guard = objects.mutexes[0];
  for (const Action action : actions) {
    switch (action) {
      case Action::Section:
        co_await operation(MutexLock, outer);
        co_await operation(MutexUnlock, outer);
        break;
      case Action::Nested:
        co_await operation(MutexLock, outer);
        co_await operation(MutexLock, inner);
        co_await operation(MutexUnlock, outer);
        co_await operation(MutexUnlock, inner);
        break;
      case Action::TimedSection:
        if (co_await until(world.clock().now() + 10, operation(MutexLock, inner)) == 0)
          co_await operation(MutexUnlock, inner);
        break;
      case Action::TrySection:
        if (co_await operation(MutexTryLock, outer) == 0) co_await operation(MutexUnlock, outer);
        break;
      case Action::Wait:
      case Action::TimedWait:
        co_await operation(MutexLock, guard);
        co_await until(action == Action::Wait ? kNoDeadline : world.clock().now() + 10,
                       wait_on(objects.condition, guard));
        co_await operation(MutexUnlock, guard);
        break;
      case Action::Signal:
        co_await operation(ConditionSignal, objects.condition);
        break;
      case Action::Broadcast:
        co_await operation(ConditionBroadcast, objects.condition);
        break;
      case Action::Post:
        co_await operation(SemaphorePost, objects.semaphore);
        break;
      case Action::Take:
        co_await operation(SemaphoreWait, objects.semaphore);
        break;
      case Action::Yield:
        co_await operation(OperationKind::Yield);
        break;
      default:
        co_await until(world.clock().now() + 5, operation(OperationKind::Sleep));
        break;
    }
  }
}

// Who holds and waits for what, told only of operations and their results.
class Oracle {
 public:
  void observe(const Operation& operation, TaskId task, const Effect& effect) {
    EXPECT_EQ(effect.misuse, nullptr);
    switch (operation.kind) {
      case MutexLock:
      case MutexTryLock:
        if (effect.result == 0) take(operation.object, task);
        break;
      case MutexReacquire:
        take(operation.object, task);
        break;
      case MutexUnlock:
        let_go(operation.object, task);
        break;
      case ConditionWait:
        let_go(operation.object2, task);
        waiting_.push_back(task);
        break;
      case ConditionWake:
        std::erase(waiting_, task);
        break;
      case ConditionBroadcast:
        waiting_.clear();
        break;
      case SemaphorePost:
        ++value_;
        break;
      case SemaphoreWait:
        EXPECT_GE(--value_, 0);
        break;
      default:
        break;
    }
  }
  void observe_signal(Variant variant) {
    if (!waiting_.empty()) waiting_.erase(waiting_.begin() + variant);
  }
  // Whether the task must be able to go on without a timeout.
  bool enabled(const World& world, TaskId task) const {
    const Operation& pending = world.task(task).pending;
    EXPECT_EQ(pending.kind == ConditionWake, std::ranges::count(waiting_, task) == 1);
    if (pending.deadline <= world.clock().now()) return true;
    switch (pending.kind) {
      case MutexLock:
      case MutexReacquire:
        return !owners_.contains(pending.object);
      case ConditionWake:
      case Sleep:
        return false;
      case SemaphoreWait:
        return value_ > 0;
      default:
        return true;
    }
  }

 private:
  void take(ObjectId mutex, TaskId task) { EXPECT_TRUE(owners_.emplace(mutex, task).second) << "taken twice"; }
  void let_go(ObjectId mutex, TaskId task) {
    EXPECT_EQ(owners_[mutex], task);
    owners_.erase(mutex);
  }
  std::map<ObjectId, TaskId> owners_;
  std::vector<TaskId> waiting_;  // in the order of arrival
  int value_ = 0;
};

// The fair algorithm of fairness.h, one bit per task.
class FairReference {
 public:
  explicit FairReference(std::uint64_t enabled) : enabled_(enabled) { scheduled_.fill(~std::uint64_t{0}); }
  void step(TaskId task, std::uint64_t enabled_now) {
    for (std::size_t u = 0; u < kTasks; ++u) {
      waits_for_[u] &= ~bit(task);
      throughout_[u] &= enabled_now;
      scheduled_[u] |= bit(task);
    }
    disabled_[task] |= enabled_ & ~enabled_now;
    enabled_ = enabled_now;
  }
  void yield(TaskId task) {
    waits_for_[task] |= (throughout_[task] | disabled_[task]) & ~scheduled_[task] & ~bit(task);
    throughout_[task] = enabled_;
    disabled_[task] = scheduled_[task] = 0;
  }
  bool eligible(TaskId task) const { return (enabled_ & bit(task)) != 0 && (waits_for_[task] & enabled_) == 0; }

 private:
  static constexpr std::size_t kTasks = 8;
  static std::uint64_t bit(TaskId task) { return std::uint64_t{1} << task; }
  std::array<std::uint64_t, kTasks> waits_for_{}, throughout_{}, disabled_{}, scheduled_{};
  std::uint64_t enabled_;
};

std::uint64_t enabled_tasks(const World& world) {
  std::uint64_t set = 0;
  for (std::uint32_t task = 0; task < world.population().task_count(); ++task)
    if (is_enabled(world, static_cast<TaskId>(task))) set |= std::uint64_t{1} << task;
  return set;
}

// Watches one execution after the other.
class Watcher {
 public:
  void start(World& world) {
    oracle_ = Oracle();
    fair_ = std::make_unique<FairReference>(enabled_tasks(world));
    for (std::uint32_t task = 0; task < world.population().task_count(); ++task)
      note_yield(world, static_cast<TaskId>(task));
    last_ = {};
  }
  void after_step(const Operation& operation, Choice choice, const Effect& effect) {
    operation.kind == ConditionSignal ? oracle_.observe_signal(choice.variant)
                                      : oracle_.observe(operation, choice.task, effect);
    last_ = {true, choice.task, effect.timed_out, effect.completes};
  }
  void at_decision(World& world) {
    expect_consistent(world);
    if (last_.stepped) fair_->step(last_.task, enabled_tasks(world));
    if (last_.stepped && last_.timed_out) fair_->yield(last_.task);
    if (last_.stepped && last_.completed) note_yield(world, last_.task);
    for (std::uint32_t task = 0; task < world.population().task_count(); ++task)
      examine(world, static_cast<TaskId>(task));
  }

 private:
  void note_yield(const World& world, TaskId task) {
    if (!world.task(task).ended && world.task(task).pending.kind == Yield) fair_->yield(task);
  }
  void examine(const World& world, TaskId task) const {
    if (world.task(task).ended) return;
    EXPECT_EQ(is_enabled(world, task), oracle_.enabled(world, task)) << "task " << task;
    EXPECT_EQ((world.task(task).state & TaskState::Eligible) != 0, fair_->eligible(task)) << "task " << task;
  }

  struct Last {
    bool stepped = false;
    TaskId task = 0;
    bool timed_out = false;
    bool completed = false;
  };
  Oracle oracle_;
  std::unique_ptr<FairReference> fair_;
  Last last_;
};

void set_up(Program& program, const Recipe& recipe) {
  Objects objects;
  for (ObjectId& mutex : objects.mutexes) mutex = program.add(ObjectKind::Mutex);
  objects.condition = program.add(ObjectKind::Condition);
  objects.semaphore = program.add(ObjectKind::Semaphore);
  for (std::size_t task = 0; task < recipe.tasks.size(); ++task)
    program.add_task(perform(program.world(), recipe.tasks[task], objects, task));
}

Exploration explore_watched(const Recipe& recipe, const Limits& limits, std::uint64_t max_executions) {
  Watcher watcher;
  ExploreOptions options;
  options.limits = limits;
  options.max_executions = max_executions;
  options.at_start = [&](World& world) { watcher.start(world); };
  options.at_decision = [&](World& world, const Decision&) { watcher.at_decision(world); };
  options.after_step = [&](World&, const Operation& operation, Choice choice, const Effect& effect) {
    watcher.after_step(operation, choice, effect);
  };
  return explore([&](Program& program) { set_up(program, recipe); }, options);
}

class RandomPrograms : public testing::TestWithParam<Limits> {};

TEST_P(RandomPrograms, EveryStateOfEveryScheduleIsWhatTheReferencesSay) {
  constexpr std::uint64_t kPrograms = 200, kMaxExecutions = 500;
  std::uint64_t complete = 0, deadlocks = 0, ends = 0;
  for (std::uint64_t seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Exploration result = explore_watched(draw(seed), GetParam(), kMaxExecutions);
    EXPECT_EQ(result.cut_off, 0u);
    complete += result.complete;
    deadlocks += result.deadlocks;
    ends += result.executions - result.deadlocks;
  }
  // The programs are such that all of it really occurs.
  EXPECT_GT(complete, kPrograms / 8);
  EXPECT_GT(deadlocks, 0u);
  EXPECT_GT(ends, 0u);
}

std::string limits_name(const testing::TestParamInfo<Limits>& info) {
  if (info.param.spurious_wakeups != 0) return "SpuriousWakeups";
  if (info.param.timeouts == Timeouts::Ordered) return "OrderedTimeouts";
  return info.param.early_timeouts() ? "EarlyTimeouts" : "LateTimeouts";
}

INSTANTIATE_TEST_SUITE_P(With, RandomPrograms,
                         testing::Values(Limits{.timeouts = Timeouts::Early, .spurious_wakeups = 0},
                                         Limits{.timeouts = Timeouts::Late, .spurious_wakeups = 0},
                                         Limits{.timeouts = Timeouts::Ordered, .spurious_wakeups = 0},
                                         Limits{.timeouts = Timeouts::Early, .spurious_wakeups = 2}),
                         limits_name);

}  // namespace
}  // namespace heddle::model
