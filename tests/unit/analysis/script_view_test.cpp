// Locks and joins of a script, which CPython makes of semaphores.
#include "analysis/script_view.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "analysis/interpreter_lock.h"
#include "protocol/interpreter.h"
#include "protocol/scripts.h"

namespace heddle {
namespace {

constexpr ObjectId kThread = 1, kInterpreter = 2, kLock = 3, kWait = 4, kEnd = 5;
constexpr Site kElsewhere = 0x1000;

Site line(unsigned number) { return script_site(kFirstScript, number); }

class ScriptViewTest : public testing::Test {
 protected:
  ScriptViewTest() {
    for (TaskId task = 0; task < 2; ++task) {
      TaskRecord record;
      record.task = task;
      if (task != 0) record.object = kThread;
      execution_.tasks.push_back(record);
    }
    add_object(kThread, ObjectKind::Thread, 0, line(9));
    add_object(kInterpreter, ObjectKind::Mutex, 0, kElsewhere);
    add_object(kLock, ObjectKind::Semaphore, 0, line(2));
    add_object(kWait, ObjectKind::Semaphore, 1, line(4));
    add_object(kEnd, ObjectKind::Semaphore, 1, kElsewhere);
    execution_.end.end = EndKind::Deadlock;
  }

  void add_interpreter() {
    using namespace std::string_literals;
    execution_.messages.push_back({MessageKind::MemoryName, 0, 0, "200 28\0"s + kInterpreterLock});
  }

  void add_object(ObjectId id, ObjectKind kind, TaskId creator, Site site) {
    ObjectRecord record;
    record.object = id;
    record.object_kind = kind;
    record.task = creator;
    record.address = id * 0x100;
    record.created_at = site;
    execution_.objects.push_back(record);
  }

  void add_step(TaskId task, OperationKind operation, ObjectId object, Site site, std::int32_t result = 0) {
    StepRecord record;
    record.task = task;
    record.operation = operation;
    record.object = object;
    record.site = site;
    record.result = result;
    execution_.steps.push_back(record);
  }

  void add_wait(TaskId task, ObjectId object, Site site) {
    PendingRecord record;
    record.task = task;
    record.operation = OperationKind::SemaphoreWait;
    record.object = object;
    record.site = site;
    execution_.pending.push_back(record);
  }

  Execution execution_;
};

TEST_F(ScriptViewTest, ALockIsAMutexWithItsHolder) {
  add_interpreter();
  add_step(1, OperationKind::SemaphoreTryWait, kLock, line(3));
  add_step(0, OperationKind::SemaphoreTryWait, kLock, line(6), EAGAIN);
  add_wait(0, kLock, line(6));
  const ScriptView view(execution_);
  const Execution& seen = view.execution();
  EXPECT_EQ(seen.object(kLock)->object_kind, ObjectKind::Mutex);
  EXPECT_EQ(seen.steps[0].operation, OperationKind::MutexLock);
  EXPECT_EQ(seen.steps[1].operation, OperationKind::MutexTryLock);
  EXPECT_EQ(seen.steps[1].result, EBUSY);
  EXPECT_EQ(seen.pending[0].operation, OperationKind::MutexLock);
  EXPECT_EQ(seen.pending[0].held_by, 1);
  EXPECT_EQ(seen.pending[0].held_since, line(3));
}

TEST_F(ScriptViewTest, AReleasedLockHasNoHolder) {
  add_interpreter();
  add_step(1, OperationKind::SemaphoreWait, kLock, line(3));
  add_step(1, OperationKind::SemaphorePost, kLock, line(3));
  add_wait(0, kLock, line(6));
  const ScriptView view(execution_);
  EXPECT_EQ(view.execution().steps[1].operation, OperationKind::MutexUnlock);
  EXPECT_EQ(view.execution().pending[0].held_by, kNoTask);
}

TEST_F(ScriptViewTest, WhatIsTakenWhereItIsMadeIsAWait) {
  add_interpreter();
  add_step(1, OperationKind::SemaphoreTryWait, kWait, line(4));
  add_wait(1, kWait, line(4));
  const ScriptView view(execution_);
  EXPECT_TRUE(is_wait_of_script(view.execution(), kWait));
  EXPECT_FALSE(is_wait_of_script(view.execution(), kLock));
  EXPECT_EQ(view.execution().pending[0].operation, OperationKind::SemaphoreWait);
  EXPECT_EQ(view.execution().pending[0].held_by, kNoTask);
}

TEST_F(ScriptViewTest, TheEndOfAThreadIsJoined) {
  add_interpreter();
  add_step(1, OperationKind::SemaphoreTryWait, kEnd, kElsewhere);
  add_step(0, OperationKind::SemaphoreTryWait, kEnd, line(10));
  add_wait(0, kEnd, line(11));
  const ScriptView view(execution_);
  EXPECT_EQ(view.execution().steps[0].operation, OperationKind::SemaphoreTryWait);
  EXPECT_EQ(view.execution().steps[1].operation, OperationKind::ThreadJoin);
  EXPECT_EQ(view.execution().steps[1].object, kThread);
  EXPECT_EQ(view.execution().pending[0].operation, OperationKind::ThreadJoin);
  EXPECT_EQ(view.execution().pending[0].held_by, 1);
}

TEST_F(ScriptViewTest, WithoutAnInterpreterNothingChanges) {
  add_step(1, OperationKind::SemaphoreTryWait, kLock, line(3));
  const ScriptView view(execution_);
  EXPECT_EQ(&view.execution(), &execution_);
}

}  // namespace
}  // namespace heddle
