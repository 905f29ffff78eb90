// Asks the kernel whether it can access a pointer of the program's: so a wrong one gives EFAULT, as natively, and the
// runtime does not fault.
#pragma once

#include <cstddef>

namespace heddle::runtime {

// For objects of up to a page. can_write() prepares a snapshot for what the kernel then writes there.
bool can_read(const void* object, std::size_t bytes);
bool can_write(void* object, std::size_t bytes);

template <typename T>
bool can_read(const T* object) {
  return can_read(object, sizeof(T));
}
template <typename T>
bool can_write(T* object) {
  return can_write(object, sizeof(T));
}

// For any size. What the runtime reads by itself, the kernel has not looked at.
bool is_readable(long address, std::size_t bytes);

}  // namespace heddle::runtime
