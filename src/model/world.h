// The model: every task and synchronization object of the program as pure state. No threads, no system calls, no clock
// of its own, no allocation after create(): the same choices always give the same states. The runtime drives it with
// the program's calls; unit tests and property tests drive it without a program.
//
// The cycle: publish() says what a task is about to do; decide() says who may go on and what is the default; step()
// lets the chosen task's pending operation take effect. A step either completes the task's call (the program returns
// from it) or leaves it with another pending operation (a condition wait has been enqueued).
//
// World has the cycle and consists of the parts that keep the state: the population (tasks and objects), the schedule
// (who may go on), the clock, the signals. Whatever else concerns several parts is a function of a World: choices.h
// (what may be chosen), evaluation.h (the schedule is brought up to date), fast_way.h (a step without the cycle),
// interrupts.h, spinning.h, holder.h, outside.h.
//
// To add a kind of object: a state struct in object.h, a file with its three functions (enabled, variants, apply) and a
// line in the table of object_model.cpp.
#pragma once

#include <cstdint>

#include "model/clock.h"
#include "model/population.h"
#include "model/schedule.h"
#include "model/signals.h"
#include "model/weak_memory.h"

namespace heddle::model {

// Who may take the next step, and what happens by default.
struct Decision {
  enum class Status : std::uint8_t { Go, Deadlock };
  Status status = Status::Go;
  bool switch_costs = false;     // choosing another task than `last` costs one preemption
  bool nothing_enabled = false;  // only timeouts can go on
  bool yielded = false;          // `last` is at a yield, or just slept or timed out
  TaskId last = 0;               // who ran last
  Choice choice;                 // the default
  std::uint16_t eligible = 0;    // how many tasks are
};

class World {
 public:
  // Starts with one task, number 0.
  static World* create(Allocate allocate, const Limits& limits);
  TaskId add_task(TaskId parent, std::uint64_t address, Site created_at);  // kNoTask when there are kMaxTasks

  // --- the parts
  Population& population() { return population_; }
  const Population& population() const { return population_; }
  Task& task(TaskId id) { return population_.task(id); }
  const Task& task(TaskId id) const { return population_.task(id); }
  Object& object(ObjectId id) { return population_.object(id); }
  const Object& object(ObjectId id) const { return population_.object(id); }
  Schedule& schedule() { return schedule_; }
  const Schedule& schedule() const { return schedule_; }
  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }
  Signals& signals() { return signals_; }
  const Signals& signals() const { return signals_; }

  // --- the cycle
  void publish(TaskId id, const Operation& operation);
  // The same in two halves, without a copy of the operation, which costs more than all the rest of publishing: the
  // operation to be filled in, as Operation() makes it; and its publication.
  Operation& draft(TaskId id);
  void publish_draft(TaskId id);
  const Decision& decide();  // valid until the next call
  Effect step(Choice choice);

  // --- beside the cycle
  void advance_clock(Nanoseconds to);  // ignored when not later than now
  // In a child process that the program forked: only `survivor` goes on, and steps are no longer counted.
  void abandon_others(TaskId survivor);

  // --- for the objects' own files
  // Replaces the pending operation of a task that is released or goes on to a second stage; reevaluates it.
  void set_pending(TaskId id, const Operation& operation);
  // Looks anew at a task, or at every task whose pending operation names `object`. step() does so for the operation's
  // own two objects.
  void reevaluate(TaskId id);
  void reevaluate_object(ObjectId object);

  // Null: a load reads the newest value. It does not belong to the world, and is not restored with it.
  WeakMemory* weak_memory = nullptr;

 private:
  World() = default;

  Population population_;
  Schedule schedule_;
  Decision decision_;
  Clock clock_;
  Signals signals_;
};

}  // namespace heddle::model
