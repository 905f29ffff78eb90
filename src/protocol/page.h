// The size of an ordinary page of memory on x86-64.
#pragma once

#include <cstddef>

namespace heddle {

inline constexpr std::size_t kPageBytes = 4096;

}  // namespace heddle
