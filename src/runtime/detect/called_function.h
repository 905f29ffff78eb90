// Which function a call went to, read from the instruction before its return address. After a tail call the caller is
// the function that made the original call.
#pragma once

#include <cstdint>

namespace heddle::runtime {

// 0: that is not known, as where the address of the function was in a register. `behind`: in a loaded file.
std::uintptr_t called_function(const void* behind);

}  // namespace heddle::runtime
