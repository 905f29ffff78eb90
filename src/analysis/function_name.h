// Function names as people say them: "Queue::drain", without return type, parameters and template arguments.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// The text a mangled C++ name stands for; the name itself where it is not mangled.
std::string demangle(const char* name);

inline constexpr const char* kLambda = "lambda";

// "void Queue<int>::drain(int) const" -> "Queue::drain"; "main::{lambda()#1}::operator()() const" -> "lambda in main".
std::string short_function_name(std::string_view demangled);

}  // namespace heddle
