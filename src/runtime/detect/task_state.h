// A hash of the state that a task's next instructions depend on, apart from shared memory: its registers, and the top
// of its stack. model/spinning.h says what it is for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/read_history.h"

namespace heddle::runtime {

// Where to begin: to be called at the head of the function that the program's module has called, and nowhere deeper. It
// makes that function save the registers that it must preserve right below its frame address; above are the frames of
// the program.
#define HEDDLE_TASK_STATE (__builtin_unwind_init(), static_cast<const std::uint64_t*>(__builtin_frame_address(0)) - 5)

// What is left of calls on the stack below the caller's frame: nothing. A loop's functions lie there in its next round,
// with places that they don't write to, and what the runtime leaves in them depends on how a step was taken (at once or
// not, on a snapshot or not, by which carrier). So behind what keeps a history of reads (model/spinning.h) it is
// cleared: the hash of a round is to be the same wherever the round is run.
extern "C" void heddle_clear_dead_frames();

// Of the present task. `besides`: what else it depends on. Never 0.
std::uint64_t task_state(const std::uint64_t* from, std::uint64_t besides);

// Objects that threads share may lie on a task's stack. What others change there is no progress of its own: it is as if
// the states in its history had been taken with the new values. This is what lay there when a task with a state in its
// history let others take steps.
class KeptState {
 public:
  // Of the present task. `frame`: of the caller; what lies below is no part of the state.
  explicit KeptState(const void* frame);
  // Before a step of the task: all that has changed was changed by others.
  void leave_out_changes(model::ReadHistory& history) const;
  // Behind its step, which may have changed its stack, too.
  void renew();

 private:
  // So much of the stack is looked at. A loop's own variables are in registers or near; above every thread's frames
  // there is more than this (its descriptor, the environment).
  static constexpr std::size_t kWords = 96;
  friend std::uint64_t task_state(const std::uint64_t* from, std::uint64_t besides);

  const std::uint64_t* end_;
  std::size_t count_;
  std::uint64_t words_[kWords];  // the first `count_`: those before `end_`
};

}  // namespace heddle::runtime
