// Builds executions by hand, for tests of everything behind the target.
#pragma once

#include <sys/wait.h>

#include <string>
#include <utility>

#include "trace/execution.h"

namespace heddle::test {

class ExecutionBuilder {
 public:
  ExecutionBuilder() { task(); }

  // Adds a thread with its object; returns its number.
  TaskId task(Site entry = 0) {
    TaskRecord record;
    record.task = static_cast<TaskId>(execution.tasks.size());
    record.parent = record.task == 0 ? kNoTask : TaskId{0};
    record.object = object(ObjectKind::Thread);
    record.entry = entry;
    execution.tasks.push_back(record);
    return record.task;
  }

  ObjectId object(ObjectKind kind, std::uint64_t address = 0, Site created_at = 0) {
    ObjectRecord record;
    record.object = static_cast<ObjectId>(execution.objects.size() + 1);
    record.object_kind = kind;
    record.address = address;
    record.created_at = created_at;
    for (const ObjectRecord& other : execution.objects) record.sequence += other.object_kind == kind ? 1 : 0;
    execution.objects.push_back(record);
    return record.object;
  }

  StepRecord& step(TaskId task, OperationKind operation, ObjectId object = kNoObject, Site site = 0x1000) {
    StepRecord record;
    record.task = task;
    record.operation = operation;
    record.object = object;
    record.site = site;
    record.eligible = 1;
    execution.steps.push_back(record);
    return execution.steps.back();
  }

  PendingRecord& pending(TaskId task, OperationKind operation, ObjectId object = kNoObject, TaskId held_by = kNoTask) {
    PendingRecord record;
    record.task = task;
    record.operation = operation;
    record.object = object;
    record.held_by = held_by;
    record.site = 0x2000u + task;
    execution.pending.push_back(record);
    return execution.pending.back();
  }

  ExecutionBuilder& message(MessageKind kind, TaskId task, std::string text) {
    execution.messages.push_back({kind, task, static_cast<std::uint32_t>(execution.steps.size()), std::move(text)});
    return *this;
  }

  ExecutionBuilder& output(std::string text) {
    execution.output = std::move(text);
    return *this;
  }

  Execution end(EndKind kind, int status = 0, TaskId running = 0) {
    execution.end.end = kind;
    execution.end.status = status;
    execution.end.task = running;
    execution.end.steps = static_cast<std::uint32_t>(execution.steps.size());
    execution.end.tasks = static_cast<std::uint16_t>(execution.tasks.size());
    return execution;
  }
  Execution exited(int status) { return end(EndKind::Exited, W_EXITCODE(status, 0)); }
  Execution signalled(int signal) { return end(EndKind::Exited, W_EXITCODE(0, signal)); }

  Execution execution;
};

// Two threads that took two mutexes in opposite order.
inline Execution crossed_locks() {
  ExecutionBuilder builder;
  const TaskId worker = builder.task();
  const ObjectId a = builder.object(ObjectKind::Mutex), b = builder.object(ObjectKind::Mutex);
  builder.step(0, OperationKind::ThreadCreate, builder.execution.tasks[worker].object);
  builder.step(0, OperationKind::MutexLock, a).flags = StepFlags::Wrote;
  StepRecord& start = builder.step(worker, OperationKind::ThreadStart, builder.execution.tasks[worker].object);
  start.flags = StepFlags::Preemption | StepFlags::SwitchCosts;
  builder.step(worker, OperationKind::MutexLock, b).flags = StepFlags::Wrote;
  builder.pending(0, OperationKind::MutexLock, b, worker).held_since = 0x1000;
  builder.pending(worker, OperationKind::MutexLock, a, 0).held_since = 0x1000;
  Execution execution = builder.end(EndKind::Deadlock);
  execution.end.preemptions = 1;
  return execution;
}

}  // namespace heddle::test
