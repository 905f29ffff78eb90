// Two threads have caught the same exception, and each adds to its text.
// heddle: run
// expect: bug data race at bound 0
// twin: races/ordered_by_exception_ptr.cpp
// build: heddle-cc
#include "races/failure.h"

static void add_to(const std::exception_ptr& caught) {
  try {
    std::rethrow_exception(caught);
  } catch (Failure& failure) {
    failure.text += "y";
  }
}

int main() {
  const std::exception_ptr caught = failure();
  std::thread one(add_to, caught), other(add_to, caught);
  one.join();
  other.join();
}
