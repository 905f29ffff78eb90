// An exception whose destructor throws: what catches it is left by another exception.
#pragma once

#include <exception>
#include <thread>

struct Throws {
  ~Throws() noexcept(false) {
    if (std::uncaught_exceptions() == 0) throw 1;
  }
};

inline void catch_one_behind_another() {
  try {
    try {
      throw Throws();
    } catch (Throws&) {
    }
  } catch (int) {
  }
}
