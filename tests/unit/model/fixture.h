// What the model's tests share: a fresh World per test, and one line per operation.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>

#include "model/choices.h"
#include "model/world.h"

namespace heddle::model {

// A World in memory that is used again by the next one: only one is alive at a time.
World& fresh_world(const Limits& limits = {});

inline Operation operation(OperationKind kind, ObjectId object = kNoObject) {
  Operation result;
  result.kind = kind;
  result.object = object;
  result.site = 0x1000 + static_cast<Site>(kind);
  return result;
}

inline Operation until(Nanoseconds deadline, Operation operation) {
  operation.deadline = deadline;
  return operation;
}

inline Operation wait_on(ObjectId condition, ObjectId mutex) {
  Operation result = operation(OperationKind::ConditionWait, condition);
  result.object2 = mutex;
  return result;
}

inline bool is_enabled(const World& world, TaskId task) { return (world.task(task).state & TaskState::Enabled) != 0; }

class ModelTest : public testing::Test {
 protected:
  explicit ModelTest(const Limits& limits = {}) : world(fresh_world(limits)) {}

  TaskId add_task() { return world.add_task(0, 0, 0); }
  ObjectId add(ObjectKind kind) { return world.population().add_object(kind, 0, 0, 0); }
  void publish(TaskId task, const Operation& operation) { world.publish(task, operation); }
  bool enabled(TaskId task) const { return is_enabled(world, task); }
  OperationKind pending(TaskId task) const { return world.task(task).pending.kind; }

  // Lets the pending operation of `task` take effect; it must be allowed to.
  Effect step(TaskId task, Variant variant = 0) {
    world.decide();
    EXPECT_TRUE(allowed(world, {task, variant})) << "task " << task << ", variant " << variant;
    return world.step({task, variant});
  }
  Effect run(TaskId task, const Operation& operation, Variant variant = 0) {
    publish(task, operation);
    return step(task, variant);
  }
  Effect run(TaskId task, OperationKind kind, ObjectId object = kNoObject) {
    return run(task, operation(kind, object));
  }

  World& world;
};

inline void expect_misuse(const Effect& effect, const char* sentence) { EXPECT_STREQ(effect.misuse, sentence); }

// The call is over with an error, and the object is as it was.
inline void expect_refused(const Effect& effect, int error) {
  EXPECT_EQ(effect.misuse, nullptr);
  EXPECT_EQ(effect.result, error);
  EXPECT_TRUE(effect.completes);
  EXPECT_FALSE(effect.wrote);
  EXPECT_FALSE(effect.released);
}

inline void expect_timed_out(const Effect& effect) {
  expect_refused(effect, ETIMEDOUT);
  EXPECT_TRUE(effect.timed_out);
}

}  // namespace heddle::model
