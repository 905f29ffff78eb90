// Which frames of a call stack are the user's own; see symbolizer.h.
#include <algorithm>
#include <array>

#include "analysis/symbolizer.h"
#include "protocol/known_libraries.h"

namespace heddle {
namespace {

bool starts_with_any(std::string_view text, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; });
}

// Headers of the C and C++ libraries and of test frameworks.
constexpr std::array<std::string_view, 9> kFolders = {"/usr/include/c++/",
                                                      "/usr/include/x86_64-linux-gnu/c++/",
                                                      "/usr/include/x86_64-linux-gnu/bits/",
                                                      "/usr/lib/gcc/",
                                                      "/usr/lib/llvm-",
                                                      "/usr/include/gtest/",
                                                      "/usr/include/gmock/",
                                                      "/usr/include/catch2/",
                                                      "/usr/src/googletest/"};

// Wherever their code was compiled into: clang gives parts of it lines of the user's file. What heddle-cc puts into a
// program is among them.
constexpr std::array<std::string_view, 12> kNamespaces = {"std::",         "execute_native_thread_routine",
                                                          "__gnu_cxx::",   "__gthread_",
                                                          "testing::",     "Catch::",
                                                          "_start",        "__libc_",
                                                          "heddle_choose", "heddle_point",
                                                          "__tsan_",       "heddle::instrument::"};

constexpr std::array<std::string_view, 2> kInstalled = {"/usr/include/", "/usr/local/include/"};

}  // namespace

bool is_installed_header(const Frame& frame) { return starts_with_any(frame.file, kInstalled); }

bool is_heddle_library(std::string_view path) { return file_name(path).starts_with("libheddle.so"); }
bool is_of_heddle(const Frame& frame) { return is_heddle_library(frame.module); }

bool is_user_code(const Frame& frame) {
  if (frame.module.empty() || is_known_library(file_name(frame.module))) return false;
  return !starts_with_any(frame.file, kFolders) && !starts_with_any(frame.function, kNamespaces);
}

}  // namespace heddle
