// Libraries that are neither the user's nor a party in how the program's threads are ordered: those of the C and C++
// languages, the compiler's, Heddle's own, and test frameworks.
#pragma once

#include <algorithm>
#include <string_view>

namespace heddle {

// What their files' names begin with.
inline constexpr std::string_view kKnownLibraries[] = {
    "libc.so",    "libc-",        "libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s", "libpthread",
    "ld-linux",   "libheddle.so", "libgtest",     "libgmock",  "libm.so",      "libdl.so", "librt.so",
    "libasan.so", "libubsan.so",  "libatomic.so", "libunwind", "linux-vdso"};

// `file`: without folders.
constexpr bool is_known_library(std::string_view file) {
  return std::ranges::any_of(kKnownLibraries, [&](std::string_view name) { return file.starts_with(name); });
}

}  // namespace heddle
