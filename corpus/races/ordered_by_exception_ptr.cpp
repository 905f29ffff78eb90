// A thread's exception is shared with the one that waits for it. libstdc++ counts who has it, and the last one destroys
// it.
// heddle: run
// expect: clean complete
// twin: races/race_exception_shared.cpp
// build: heddle-cc
#include <cassert>
#include <future>

#include "races/failure.h"

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([promise = std::move(promise)]() mutable { promise.set_exception(failure()); });
  try {
    future.get();
  } catch (const Failure& caught) {
    assert(caught.text.size() == 100 && caught.what()[3] == 'x');
  }
  thread.join();
}
