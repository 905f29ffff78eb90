// An exception with memory of its own.
#pragma once
#include <exception>
#include <string>
#include <thread>

struct Failure : std::exception {
  std::string text = std::string(100, 'x');
  const char* what() const noexcept override { return text.c_str(); }
};

// Thrown once, as it is by what fails.
inline std::exception_ptr failure() {
  try {
    throw Failure();
  } catch (...) {
    return std::current_exception();
  }
}
