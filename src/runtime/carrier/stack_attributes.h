// Where the frames of tasks lie, the same under both carriers. Each kernel thread has a stack of ours of the default
// size, whatever the program asked for, with its thread storage at the upper end: so pthread_t and thread-local
// variables are at the same addresses in every execution. A task that asked for another stack has its frames there.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// The attributes that a kernel thread is created with.
class StackAttributes {
 public:
  // Falls back to a stack of glibc's when our region has no room.
  StackAttributes();
  const pthread_attr_t* get() const { return &attributes_; }
  // The lowest address of the stack, where it is one of our region; else 0.
  std::uintptr_t low() const { return low_; }
  // No thread came of it: whichever comes next gets this stack, so that the n-th thread has the n-th.
  void give_back() const;

 private:
  pthread_attr_t attributes_;
  std::uintptr_t low_ = 0;
};

// What a task asked for.
struct WantedStack {
  std::uintptr_t low = 0;  // 0: its kernel thread's
  std::size_t size = 0;    // of that its lower end; 0: all of it
  std::size_t guard = 0;   // for pthread_getattr_np() only: below all of our stacks is one page
};
inline constexpr std::size_t kDefaultGuard = SIZE_MAX;  // the default at the time that it is asked for
// `wanted` may be null (defaults). A stack larger than the default is allocated. False: there is no room.
bool find_stack(const pthread_attr_t* wanted, WantedStack& stack);
// Where the task's frames begin; on its kernel thread's stack, which ends at `low`, they begin at `top`. Frames of a
// task that wants less than the default begin so near to that end that they run into what is not mapped there when they
// are too many. (`low` may be 0: then that is not known.)
void* frames_top(const WantedStack& stack, std::uintptr_t low, void* top);
// For pthread_getattr_np(): TaskData::stack_low, stack_size and guard_size.
void note_stack(TaskId task, const WantedStack& stack, std::uintptr_t low);

}  // namespace heddle::runtime
