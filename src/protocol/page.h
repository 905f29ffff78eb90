// The size of a page of memory on x86-64, whatever larger pages there are besides.
#pragma once

#include <cstddef>

namespace heddle {

inline constexpr std::size_t kPageBytes = 4096;

}  // namespace heddle
