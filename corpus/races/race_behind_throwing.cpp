// Two threads count without a lock, behind an exception whose destructor throws: accesses are looked at again by then.
// heddle: run
// expect: bug data race at bound 0
// says: reads counter
// twin: races/race_behind_throwing_fixed.cpp
// build: heddle-cc
#include "races/throwing.h"

static int counter;

static void count() {
  catch_one_behind_another();
  ++counter;
}

int main() {
  std::thread one(count), other(count);
  one.join();
  other.join();
}
