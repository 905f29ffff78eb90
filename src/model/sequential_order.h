// The order S of the operations with memory_order_seq_cst in one execution (C++20, [atomics.order]). Nobody chooses it
// as a whole. It is known as far as something decides it:
//   - what happens before, by the vector clocks
//   - two such operations on one variable: where in its modification order they read or write (coherence-ordered
//     before)
//   - fences of memory_order_seq_cst stand where the run made them
// An operation that reads an old value, or stands before newer stores, comes in S before those that it missed, although
// it runs later. That may not close a cycle. All else that decides S leads from what ran earlier to what runs later, so
// only then could one be closed.
//
// Where we deviate from C++20: happens-before orders two operations here also where "strongly happens before" does not.
// The fences of a run have one order with all operations. Both forbid more than C++ does.
//
// Everything is forgotten with begin_execution(), and lies in memory of `reserve`.
#pragma once

#include <cstdint>

#include "model/vector_clocks.h"

namespace heddle::model {

class SequentialOrder {
 public:
  static constexpr std::uint32_t kTasks = 32;
  using Number = std::uint16_t;  // of an operation among those of its task, from 1 on; 0: there is none

  // Of each task, the first so many operations, or all from one on.
  struct Past {
    Number upto[kTasks] = {};
  };
  struct Future {
    Number from[kTasks] = {};  // 0: none
  };

  bool make(Reserve reserve);  // false: there is no address space
  void begin_execution();

  // Before the next operation of the task: by happens-before, and by fences.
  Past past_of(TaskId task, const VectorClocks& clocks) const;
  // Operation `number` of the task, and what comes before it, comes before as well.
  void add(Past& past, TaskId task, Number number) const;
  void add(Past& past, const Past& more) const;
  static void add(Future& future, TaskId task, Number number);
  // May an operation behind `past` come before `future`? Not when that is known to come before it. `past` becomes all
  // of what is known.
  bool may_precede(Past& past, const Future& future) const;

  // The task's next operation, which may_precede() allowed for `future`; its number. `epoch`: of the task by now. With
  // 0, there is no room: from then on each operation comes behind all that ran before.
  Number note(TaskId task, Epoch epoch, const Past& past, const Future& future);
  void fence();
  // Something is no longer known that could decide.
  void give_up() { gave_up_ = true; }
  // Were there more operations, or tasks with such, than there is room for?
  bool is_full() const { return full_; }

 private:
  static constexpr std::uint32_t kOperations = 4096, kLate = 64;
  struct Noted {
    Epoch epoch;
    Past past;
  };
  // Comes before what ran earlier.
  struct Late {
    TaskId task;
    Number number;
    Future future;
  };

  const Noted& noted(std::uint32_t task, Number number) const { return all_[task * kOperations + number - 1]; }

  Noted* all_ = nullptr;  // of each task kOperations
  Number counts_[kTasks] = {};
  Past at_fence_;
  Late late_[kLate];
  std::uint32_t lates_ = 0;
  std::uint32_t tasks_ = 0;  // those behind have made none
  bool gave_up_ = false, full_ = false;
};

}  // namespace heddle::model
