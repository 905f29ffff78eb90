// The short cuts of the model's cycle (goes_at_once(), step_at_once(); and the one for which nothing is drafted,
// runtime/schedule/fast_step.h) against the cycle itself: two worlds, the same random operations, one of them by a
// short cut wherever it applies. Effects, decisions and changes must agree.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <random>
#include <vector>

#include "model/choices.h"
#include "model/fast_way.h"
#include "model/mutex.h"
#include "model/world.h"

namespace heddle::model {
namespace {

constexpr unsigned kTasks = 3;
constexpr OperationKind kMutexKinds[] = {OperationKind::MutexLock, OperationKind::MutexTryLock,
                                         OperationKind::MutexUnlock};
constexpr OperationKind kSemaphoreKinds[] = {OperationKind::SemaphoreWait, OperationKind::SemaphorePost,
                                             OperationKind::SemaphoreTryWait};

// Two worlds live side by side here; their memory is kept until the tests end.
void* allocate(std::size_t bytes) {
  static std::vector<std::unique_ptr<std::byte[]>> pieces;
  pieces.push_back(std::make_unique<std::byte[]>(bytes));
  return pieces.back().get();
}

// A world with three tasks, two mutexes and a semaphore, in the middle of exploration.
struct Subject {
  World& world;
  ObjectId mutexes[2];
  ObjectId semaphore;
};

Subject make_subject() {
  World* world = World::create(allocate, Limits());
  world->schedule().begin_branching();
  for (unsigned i = 1; i < kTasks; ++i) world->add_task(0, 0, 0);
  Subject subject{*world, {}, 0};
  for (ObjectId& mutex : subject.mutexes) mutex = world->population().add_object(ObjectKind::Mutex, 0, 0, 0);
  subject.semaphore = world->population().add_object(ObjectKind::Semaphore, 0, 0, 0);
  return subject;
}

// What a step shows to the outside.
struct Shown {
  Choice choice;
  bool switch_costs = false, yielded = false;
  std::uint16_t eligible = 0;
  std::int32_t result = 0;
  bool wrote = false, released = false, completes = false, misuse = false;
  std::vector<std::pair<TaskId, std::uint8_t>> changes;  // before the step
  friend bool operator==(const Shown&, const Shown&) = default;
};

void take_changes(World& world, Shown& shown) {
  Changes::Change change;
  while (world.schedule().changes().take(world.population(), change))
    shown.changes.emplace_back(change.task, change.state);
}

void show(const Decision& decision, const Effect& effect, Shown& shown) {
  shown.choice = decision.choice;
  shown.switch_costs = decision.switch_costs;
  shown.yielded = decision.yielded;
  shown.eligible = decision.eligible;
  shown.result = effect.result;
  shown.wrote = effect.wrote;
  shown.released = effect.released;
  shown.completes = effect.completes;
  shown.misuse = effect.misuse != nullptr;
}

void draft(World& world, TaskId task, OperationKind kind, ObjectId object) {
  Operation& operation = world.draft(task);
  operation.kind = kind;
  operation.object = object;
  operation.site = 1;
}

// The cycle, from the drafted operation on; `preferred`: chosen where that is possible.
Shown go_round(World& world, TaskId task, Choice preferred) {
  world.publish_draft(task);
  Decision decision = world.decide();
  Shown shown;
  take_changes(world, shown);
  if (decision.status == Decision::Status::Deadlock) return shown;
  if (allowed(world, preferred)) decision.choice = preferred;
  const Effect effect = world.step(decision.choice);
  show(decision, effect, shown);
  return shown;
}

// What the record of a step says that was taken without a decision.
Decision decided_at_once(World& world, TaskId task) {
  Decision decision;
  decision.choice = {task, 0};
  decision.yielded = world.task(task).yielded;
  decision.switch_costs = !decision.yielded;
  decision.eligible = world.schedule().eligible_count();
  return decision;
}

Shown go_short(World& world, TaskId task) {
  Shown shown;
  take_changes(world, shown);
  const Decision decision = decided_at_once(world, task);
  world.schedule().steps().add();
  show(decision, step_at_once(world, task), shown);
  return shown;
}

// What the short cut does for which nothing is drafted; false: not here.
bool go_undrafted(World& world, TaskId id, OperationKind kind, ObjectId mutex, Shown& shown) {
  Task& task = world.task(id);
  Object& object = world.object(mutex);
  const bool locks = kind == OperationKind::MutexLock && locks_at_once(object);
  const bool unlocks = kind == OperationKind::MutexUnlock && unlocks_at_once(object, id);
  if ((!locks && !unlocks) || task.published || !goes_on_at_once(world, task, id)) return false;
  take_changes(world, shown);
  show(decided_at_once(world, id), {.released = unlocks}, shown);
  world.schedule().steps().add();
  locks ? lock_at_once(object.mutex, id, 1) : unlock_at_once(object.mutex);
  end_step_at_once(world, task, id, object);
  task.result = 0;
  return true;
}

class ShortCut : public testing::TestWithParam<unsigned> {
 protected:
  // One random operation of `task` in both worlds. False: the tasks can't go on.
  bool step(Subject& plain, Subject& fast, TaskId task) {
    const bool on_mutex = random() % 2 == 0;
    const OperationKind kind = on_mutex ? kMutexKinds[random() % 3] : kSemaphoreKinds[random() % 3];
    const unsigned which = random() % 2;
    const Choice preferred = random() % 4 == 0 ? Choice{static_cast<TaskId>(random() % kTasks), 0} : Choice{task, 0};
    draft(plain.world, task, kind, on_mutex ? plain.mutexes[which] : plain.semaphore);
    if (Shown undrafted; on_mutex && preferred.task == task && random() % 2 == 0 &&
                         go_undrafted(fast.world, task, kind, fast.mutexes[which], undrafted)) {
      const Shown expected = go_round(plain.world, task, preferred);
      EXPECT_EQ(expected, undrafted) << name(kind);
      EXPECT_EQ(plain.world.object(plain.mutexes[which]).mutex.owner,
                fast.world.object(fast.mutexes[which]).mutex.owner);
      ++undrafted_;
      next_ = task;
      return expected == undrafted;
    }
    draft(fast.world, task, kind, on_mutex ? fast.mutexes[which] : fast.semaphore);
    const bool is_short = preferred.task == task && goes_at_once(fast.world, task);
    const Shown expected = go_round(plain.world, task, preferred);
    const Shown seen = is_short ? go_short(fast.world, task) : go_round(fast.world, task, preferred);
    EXPECT_EQ(expected, seen) << name(kind);
    short_cuts_ += is_short ? 1 : 0;
    next_ = expected.choice.task;
    return !expected.misuse && expected.eligible != 0 && expected == seen;
  }

  unsigned random() { return static_cast<unsigned>(generator_()); }

  std::mt19937 generator_{GetParam()};
  unsigned short_cuts_ = 0, undrafted_ = 0;
  TaskId next_ = 0;
};

TEST_P(ShortCut, IsTheCycle) {
  Subject plain = make_subject(), fast = make_subject();
  TaskId task = 0;
  for (int i = 0; i < 200 && step(plain, fast, task); ++i) {
    task = next_;
    EXPECT_EQ(plain.world.schedule().steps().count(), fast.world.schedule().steps().count());
    EXPECT_EQ(plain.world.schedule().steps().preemptions(), fast.world.schedule().steps().preemptions());
    EXPECT_EQ(plain.world.schedule().steps().last_ran(), fast.world.schedule().steps().last_ran());
    for (TaskId id = 0; id < kTasks; ++id) {
      EXPECT_EQ(plain.world.task(id).state, fast.world.task(id).state);
      EXPECT_EQ(plain.world.task(id).result, fast.world.task(id).result);
      EXPECT_EQ(plain.world.task(id).yielded, fast.world.task(id).yielded);
    }
  }
  RecordProperty("short_cuts", static_cast<int>(short_cuts_));
  RecordProperty("undrafted", static_cast<int>(undrafted_));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShortCut, testing::Range(0u, 300u));

TEST(ShortCutApplies, ToAFreeMutex) {
  Subject subject = make_subject();
  draft(subject.world, 0, OperationKind::MutexLock, subject.mutexes[0]);
  EXPECT_FALSE(goes_at_once(subject.world, 1));
  EXPECT_TRUE(goes_at_once(subject.world, 0));
  subject.world.schedule().steps().add();
  EXPECT_EQ(step_at_once(subject.world, 0).result, 0);
  EXPECT_EQ(subject.world.object(subject.mutexes[0]).mutex.owner, 0);
}

TEST(ShortCutApplies, ToAFreeMutexUndrafted) {
  Subject subject = make_subject();
  World& world = subject.world;
  Shown shown;
  ASSERT_TRUE(go_undrafted(world, 0, OperationKind::MutexLock, subject.mutexes[0], shown));
  EXPECT_FALSE(go_undrafted(world, 0, OperationKind::MutexLock, subject.mutexes[0], shown));
  EXPECT_FALSE(go_undrafted(world, 1, OperationKind::MutexLock, subject.mutexes[1], shown));  // 0 ran last
  world.object(subject.mutexes[1]).mutex.robust = true;
  EXPECT_FALSE(go_undrafted(world, 0, OperationKind::MutexLock, subject.mutexes[1], shown));
  ASSERT_TRUE(go_undrafted(world, 0, OperationKind::MutexUnlock, subject.mutexes[0], shown));
  EXPECT_EQ(world.schedule().steps().count(), 2u);
}

// The new thread's start is pending on the object that the second step names, and nothing changes for it.
// Whoever waits for it is looked at anew.
TEST(ShortCutApplies, ToAMutexThatOthersWaitFor) {
  Subject subject = make_subject();
  World& world = subject.world;
  draft(world, 0, OperationKind::MutexLock, subject.mutexes[0]);
  world.schedule().steps().add();
  step_at_once(world, 0);
  Operation lock;
  lock.kind = OperationKind::MutexLock;
  lock.object = subject.mutexes[0];
  world.publish(1, lock);
  EXPECT_EQ(world.task(1).state & TaskState::Enabled, 0);
  draft(world, 0, OperationKind::MutexUnlock, subject.mutexes[0]);
  ASSERT_TRUE(goes_at_once(world, 0));
  world.schedule().steps().add();
  step_at_once(world, 0);
  EXPECT_NE(world.task(1).state & TaskState::Enabled, 0);
}

TEST(ShortCutApplies, ToTheCreationOfAThread) {
  Subject plain = make_subject(), fast = make_subject();
  draft(plain.world, 0, OperationKind::ThreadCreate, kNoObject);
  draft(fast.world, 0, OperationKind::ThreadCreate, kNoObject);
  ASSERT_TRUE(goes_at_once(fast.world, 0));
  EXPECT_EQ(go_round(plain.world, 0, {0, 0}), go_short(fast.world, 0));
  for (World* world : {&plain.world, &fast.world}) {
    const TaskId made = world->add_task(0, 0, 0);
    Operation start;
    start.kind = OperationKind::ThreadStart;
    start.object = world->task(made).thread;
    world->publish(made, start);
    draft(*world, 0, OperationKind::ThreadCreated, start.object);
  }
  ASSERT_TRUE(goes_at_once(fast.world, 0));
  EXPECT_EQ(go_round(plain.world, 0, {0, 0}), go_short(fast.world, 0));
  EXPECT_EQ(plain.world.schedule().steps().count(), fast.world.schedule().steps().count());
  const auto last = static_cast<TaskId>(plain.world.population().task_count() - 1);
  EXPECT_EQ(plain.world.task(last).state, fast.world.task(last).state);
  EXPECT_TRUE(fast.world.task(last).published);
}

TEST(ShortCutApplies, NotToAYieldNorToAnEnd) {
  Subject subject = make_subject();
  draft(subject.world, 0, OperationKind::Yield, kNoObject);
  EXPECT_FALSE(goes_at_once(subject.world, 0));
  draft(subject.world, 0, OperationKind::ProcessExit, kNoObject);
  EXPECT_FALSE(goes_at_once(subject.world, 0));
  draft(subject.world, 0, OperationKind::ThreadExit, subject.world.task(0).thread);
  EXPECT_FALSE(goes_at_once(subject.world, 0));
}

}  // namespace
}  // namespace heddle::model
