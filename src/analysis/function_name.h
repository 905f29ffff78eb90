// Function names as people say them: "Queue::drain", without return type, parameters and template arguments.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// The text a mangled name of C++ or Rust stands for; the name itself where it is not mangled. Rust's are given as
// paths: what stands in angle brackets in "<Vec<T> as Drop>::drop" is left out, but for the type ("Vec::drop").
std::string demangle(const char* name);

inline constexpr const char* kLambda = "lambda";
inline constexpr const char* kClosure = "closure";
// Of a name that short_function_name() gave: the function has no name of its own.
bool is_nameless(std::string_view short_name);

// "void Queue<int>::drain(int) const" -> "Queue::drain"; "main::{lambda()#1}::operator()() const" -> "lambda in main",
// "queue::main::{closure#0}" -> "closure in queue::main".
std::string short_function_name(std::string_view demangled);

}  // namespace heddle
