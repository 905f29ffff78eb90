// Libraries that are not the user's and do not order the program's threads: those of C and C++, the compiler's,
// Heddle's own, Python's, and test frameworks.
#pragma once

#include <algorithm>
#include <string_view>

namespace heddle {

// What their files' names begin with.
inline constexpr std::string_view kKnownLibraries[] = {"libc.so",
                                                       "libc-2.",
                                                       "libstdc++.so",
                                                       "libc++.so",
                                                       "libc++abi.so",
                                                       "libgcc_s",
                                                       "libpthread.so",
                                                       "libpthread-2.",
                                                       "ld-linux",
                                                       "libm.so",
                                                       "libdl.so",
                                                       "librt.so",
                                                       "libatomic.so",
                                                       "libunwind",
                                                       "linux-vdso",
                                                       "libheddle.so",
                                                       "heddle_trace.so",
                                                       "python3.",
                                                       "libpython3.",
                                                       "libasan.so",
                                                       "libubsan.so",
                                                       "libgtest",
                                                       "libgmock",
                                                       "libboost_unit_test_framework",
                                                       "libboost_prg_exec_monitor",
                                                       "libCatch2",
                                                       "libcppunit",
                                                       "libCppUTest",
                                                       "libcmocka",
                                                       "libcheck.so",
                                                       "libQt5Test",
                                                       "libQt6Test"};

// `file`: without folders.
constexpr bool is_known_library(std::string_view file) {
  return std::ranges::any_of(kKnownLibraries, [&](std::string_view name) { return file.starts_with(name); });
}

// Do programs take its locks by code in its headers, which is not seen in a plain build?
constexpr bool has_locks_in_headers(std::string_view file) {
  return file.starts_with("libQt6Core.so") || file.starts_with("libtbb.so");
}

// Is this file the system's, and not the program's or its libraries'? By its folder, /lib or /usr/lib.
constexpr bool is_of_the_system(std::string_view path) {
  constexpr std::string_view kBeginnings[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "linux-vdso"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) { return path.starts_with(beginning); });
}

}  // namespace heddle
