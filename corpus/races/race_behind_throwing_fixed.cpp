// As race_behind_throwing.cpp, with a lock.
// heddle: run
// expect: clean complete
// twin: races/race_behind_throwing.cpp
// build: heddle-cc
#include <mutex>

#include "races/throwing.h"

static int counter;
static std::mutex lock;

static void count() {
  catch_one_behind_another();
  const std::lock_guard<std::mutex> guard(lock);
  ++counter;
}

int main() {
  std::thread one(count), other(count);
  one.join();
  other.join();
}
