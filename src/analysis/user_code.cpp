// Which frames of a call stack are the user's own; see symbolizer.h.
#include <algorithm>
#include <array>

#include "analysis/symbolizer.h"
#include "protocol/known_libraries.h"
#include "trace/module_names.h"

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

// Rust's own libraries: as its makers ship them, from source (-Zbuild-std), as Debian ships them.
bool is_rust_library(std::string_view file) {
  return (file.starts_with("/rustc/") || file.starts_with("/usr/src/rustc-") ||
          file.find("/lib/rustlib/src/rust/") != std::string_view::npos) &&
         file.find("/library/") != std::string_view::npos;
}

// Wherever their code was compiled into: clang gives parts of it lines of the user's file.
constexpr std::array<std::string_view, 11> kNamespaces = {"std::",         "execute_native_thread_routine",
                                                          "__gnu_cxx::",   "__gthread_",
                                                          "testing::",     "Catch::",
                                                          "_start",        "__libc_",
                                                          "heddle_choose", "heddle_point",
                                                          "__rust_"};

constexpr std::array<std::string_view, 2> kInstalled = {"/usr/include/", "/usr/local/include/"};

// What heddle-cc links into a program is in its module, but not its code. The compiler writes the names of these files
// as it writes that of this one.
bool is_instrumentation(std::string_view file) {
  constexpr std::string_view kThisFile = __FILE__;
  constexpr std::string_view kSources = kThisFile.substr(0, kThisFile.rfind("analysis/"));
  return file.starts_with(kSources) && file.substr(kSources.size()).starts_with("instrument/");
}

}  // namespace

bool is_installed_header(const Frame& frame) { return starts_with_any(frame.file, kInstalled); }

bool is_heddle_library(std::string_view path) { return file_name(path).starts_with("libheddle.so"); }
bool is_of_heddle(const Frame& frame) { return is_heddle_library(frame.module); }

bool is_user_code(const Frame& frame) {
  if (frame.module.empty() || is_known_library(file_name(frame.module))) return false;
  return !starts_with_any(frame.file, kFolders) && !is_rust_library(frame.file) && !is_instrumentation(frame.file) &&
         !starts_with_any(frame.function, kNamespaces);
}

}  // namespace heddle
