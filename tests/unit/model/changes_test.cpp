// Of many tasks that change at once one entry speaks for those that wait for the same object. What a reader makes of
// the entries must be the states that the tasks have, and there must be few entries.
#include "model/changes.h"

#include <random>
#include <utility>
#include <vector>

#include "model/fixture.h"
#include "trace/execution.h"

namespace heddle::model {
namespace {

class Crowd : public ModelTest {
 protected:
  // As the runtime does it. Returns how many entries there are for this decision.
  std::size_t record() {
    Changes& changes = world.schedule().changes();
    const std::size_t before = execution.changes.size();
    const auto put = [this](const Changes::Change& change) {
      execution.changes.push_back({decisions, change.task, change.state, change.yields});
    };
    if (changes.many()) {
      changes.take_many(world.population(), put);
    } else {
      for (Changes::Change change; changes.take(world.population(), change);) put(change);
    }
    if (execution.changes.size() >= execution.landmarks.due()) execution.landmarks.extend(execution.changes);
    return execution.changes.size() - before;
  }

  std::vector<std::uint8_t> states() const {
    std::vector<std::uint8_t> result;
    for (std::uint32_t task = 0; task < world.population().task_count(); ++task)
      result.push_back(world.task(static_cast<TaskId>(task)).state);
    return result;
  }

  template <typename StateOf>
  static void expect_states(const std::vector<std::uint8_t>& expected, std::uint32_t step, StateOf state_of) {
    for (std::uint32_t task = 0; task < expected.size(); ++task)
      ASSERT_EQ(state_of(static_cast<TaskId>(task)), expected[task]) << "task " << task << ", step " << step;
  }

  Execution execution;
  std::uint32_t decisions = 0;
};

TEST_F(Crowd, OneEntryForAllWhoWaitForAMutex) {
  constexpr unsigned kTasks = 200, kRounds = 100;
  world.schedule().begin_branching();
  const ObjectId mutex = add(ObjectKind::Mutex);
  std::vector<TaskId> tasks;
  for (unsigned i = 0; i < kTasks; ++i) {
    tasks.push_back(add_task());
    publish(tasks.back(), operation(OperationKind::MutexLock, mutex));
  }
  std::size_t entries = 0, changed = 0;
  std::vector<std::uint8_t> before = states();
  for (unsigned i = 0; i < kRounds * 2; ++i) {
    const TaskId task = tasks[i / 2 % kTasks];
    const bool holds = i % 2 != 0;
    step(task);
    publish(task, operation(holds ? OperationKind::MutexLock : OperationKind::MutexUnlock, mutex));
    world.decide();
    const std::vector<std::uint8_t> now = states();
    for (std::size_t one = 0; one < now.size(); ++one) changed += now[one] != before[one] ? 1 : 0;
    before = now;
    const std::size_t recorded = record();
    if (i >= 2) entries += recorded;  // at first each of them comes to the gate
  }
  EXPECT_GT(changed, kRounds * 2 * (kTasks - 2));
  EXPECT_LE(entries, kRounds * 2 * 3);  // the gate, who comes to it, who leaves it
}

// Tasks that lock, unlock, read, write, wait with and without a deadline, post and yield, in any order.
class RandomCrowd : public Crowd {
 protected:
  Operation next_for(TaskId task) {
    Operation& held = holds[task];
    if (held.kind != OperationKind::None) return std::exchange(held, {});
    const auto draw = [this](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    switch (draw(8)) {
      case 0:
        return operation(OperationKind::Yield);
      case 1:
        return operation(OperationKind::SemaphorePost, semaphore);
      case 2:
        return operation(OperationKind::SemaphoreWait, semaphore);
      case 3:
        return held = operation(OperationKind::RwUnlock, rwlock), operation(OperationKind::ReadLock, rwlock);
      case 4:
        return held = operation(OperationKind::RwUnlock, rwlock), operation(OperationKind::WriteLock, rwlock);
      default:
        const ObjectId mutex = mutexes[draw(2)];
        const Operation lock = operation(OperationKind::MutexLock, mutex);
        held = operation(OperationKind::MutexUnlock, mutex);
        return draw(5) == 0 ? until(world.clock().now() + 1'000'000'000'000, lock) : lock;
    }
  }

  void begin(unsigned count) {
    world.schedule().begin_branching();
    mutexes[0] = add(ObjectKind::Mutex);
    mutexes[1] = add(ObjectKind::Mutex);
    rwlock = add(ObjectKind::RwLock);
    semaphore = add(ObjectKind::Semaphore);
    holds.assign(count + 1, Operation());
    for (unsigned i = 0; i < count; ++i) {
      const TaskId task = add_task();
      publish(task, next_for(task));
    }
    publish(0, operation(OperationKind::Yield));
  }

  // Takes a step that may be taken; false: there is none. No wait ends by its time.
  bool go() {
    const auto count = world.population().task_count();
    const auto first = static_cast<std::uint32_t>(random() % count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto task = static_cast<TaskId>((first + i) % count);
      if (!allowed(world, {task, 0})) continue;
      EXPECT_EQ(world.step({task, 0}).misuse, nullptr);
      if (task == 0)
        publish(0, operation(OperationKind::Yield));
      else
        publish(task, next_for(task));
      return true;
    }
    return false;
  }

  std::mt19937_64 random;
  ObjectId mutexes[2] = {}, rwlock = 0, semaphore = 0;
  std::vector<Operation> holds;  // by task: how it gives back what it is about to take, or has
};

TEST_F(RandomCrowd, ReadersKnowTheStatesOfAll) {
  constexpr std::uint32_t kDecisions = 4000;
  begin(60);
  std::vector<std::vector<std::uint8_t>> expected;
  for (decisions = 0; decisions < kDecisions; ++decisions) {
    world.decide();
    record();
    expected.push_back(states());
    ASSERT_TRUE(go());
  }
  std::size_t gates = 0;
  for (const StateChange& change : execution.changes) gates += names_gate(change.task) ? 1 : 0;
  EXPECT_GT(gates, 500u);
  StateCursor cursor(execution);
  for (std::uint32_t step = 0; step < kDecisions; ++step) {
    cursor.advance_to(step);
    expect_states(expected[step], step, [&](TaskId task) { return cursor.state(task); });
  }
  for (std::uint32_t step = 7; step < kDecisions; step += 97) {  // from a landmark on
    cursor.restart(execution, step);
    cursor.advance_to(step);
    expect_states(expected[step], step, [&](TaskId task) { return cursor.state(task); });
  }
  std::vector<std::uint8_t> read(expected[0].size());
  each_change(execution, 0, [&](const StateChange& change) { read[change.task] = change.state; });
  expect_states(expected.back(), kDecisions, [&](TaskId task) { return read[task]; });
}

}  // namespace
}  // namespace heddle::model
