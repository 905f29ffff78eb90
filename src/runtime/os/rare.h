// A variable of the runtime that few programs need. The runtime's memory is restored before each execution and copied
// for each checkpoint. Until it is used, such a variable takes eight bytes of that, whatever its size.
#pragma once

#include <new>

#include "runtime/os/system_call.h"

namespace heddle::runtime {

template <typename T>
class Rare {
 public:
  bool used() const { return value_ != nullptr; }
  // As T() makes it at the first use.
  T& operator*() {
    if (value_ == nullptr) value_ = new (os::allocate(sizeof(T))) T();
    return *value_;
  }
  T* operator->() { return &**this; }

 private:
  T* value_ = nullptr;
};

}  // namespace heddle::runtime
