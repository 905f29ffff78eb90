// Which function a call went to, by the instruction in front of the address that it returns to. Of one that was jumped
// to behind it (a tail call) the caller is whoever had called before.
#pragma once

#include <cstdint>

namespace heddle::runtime {

// 0: that is not known, as where the address of the function was in a register. `behind`: in a loaded file.
std::uintptr_t called_function(const void* behind);

}  // namespace heddle::runtime
