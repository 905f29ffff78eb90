// The attributes that a real thread is created with: what the program asked for, but on a stack of ours where it named
// none.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

class StackAttributes {
 public:
  // `wanted` may be null (defaults). Falls back to a stack of glibc's when our region has no room.
  explicit StackAttributes(const pthread_attr_t* wanted);
  const pthread_attr_t* get() const { return use_; }
  // The lowest address of the stack, where it is one of our region; else 0.
  std::uintptr_t low() const { return low_; }

 private:
  pthread_attr_t attributes_;
  const pthread_attr_t* use_ = nullptr;
  std::uintptr_t low_ = 0;
};

// The program gave a stack, or wants a larger one than the default.
bool wants_own_stack(const pthread_attr_t* wanted);
// How large a stack has to be that is smaller than the default, with what Heddle needs of it; 0: it is to be no
// smaller.
std::size_t small_stack_size(const pthread_attr_t* wanted);
// For the fiber carrier: where a stack of its own begins; null when there is no room.
void* own_stack_top(const pthread_attr_t* wanted);

}  // namespace heddle::runtime
