// The attributes that a real thread is created with: what the program asked for, but on a stack of ours where it named
// none.
#pragma once

#include <pthread.h>

namespace heddle::runtime {

class StackAttributes {
 public:
  // `wanted` may be null (defaults). Falls back to a stack of glibc's when our region has no room.
  explicit StackAttributes(const pthread_attr_t* wanted);
  const pthread_attr_t* get() const { return use_; }

 private:
  pthread_attr_t attributes_;
  const pthread_attr_t* use_ = nullptr;
};

// The program gave a stack, or wants a larger one than the default.
bool wants_own_stack(const pthread_attr_t* wanted);
// For the fiber carrier: where such a stack begins; null when there is no room.
void* own_stack_top(const pthread_attr_t* wanted);

}  // namespace heddle::runtime
