// Sleep sets (Godefroid 1996): choices that need not be made now, since what they lead to was explored from an
// equivalent place. A choice sleeps until a step is taken that depends on it.
//
// Pure, so that unit tests can use it without a target.
#pragma once

#include <cstdint>

#include "model/world.h"
#include "protocol/dependence.h"
#include "protocol/plan.h"

namespace heddle::model {

class SleepSet {
 public:
  void clear() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  // It sleeps from now on. Not taken when there is no room: that costs an execution, and loses none.
  void add(const World& world, const Sleeper& sleeper);
  bool asleep(Choice choice) const;
  // A step was taken: `task` and whatever depends on it wake up.
  void on_step(TaskId task, const Access& step);

 private:
  static constexpr std::uint32_t kCapacity = 256;
  struct Entry {
    Choice choice;
    Access access;  // as it was about to be made: a step that gives the task something else to do wakes it
  };
  std::uint32_t count_ = 0;
  Entry entries_[kCapacity] = {};
};

// What a step has accessed that was taken just now, by the driver's idea of it (search/races.h).
struct StepTaken {
  OperationKind kind;
  ObjectId object, object2;
  std::uint8_t marks;
};
Access access_of_step(const StepTaken& step, Choice choice, const Effect& effect, bool early_timeouts);

// The choice by default among those that don't sleep. Behind a yield, the next task in turn. Where nothing else is
// awake, a timeout. False: all of them sleep.
bool choose_awake(const World& world, const Decision& decision, const SleepSet& sleep, Choice& choice);

// StepMarks of the object that a step is about to access: what could go on now.
std::uint8_t open_marks(const World& world, const Operation& operation);
// All StepMarks of a step that is about to be taken.
std::uint8_t marks_of_step(const World& world, const Operation& operation, bool early_timeouts);

}  // namespace heddle::model
