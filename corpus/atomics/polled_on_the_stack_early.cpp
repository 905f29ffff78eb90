// As polled_on_the_stack.cpp, but told before all is there.
//
// heddle: run
// expect: bug assertion at bound 1
// twin: polled_on_the_stack.cpp
// build: heddle-cc
#include "polled_on_the_stack.h"

int main() {
  Flags flags;
  std::thread beside([&] { flags.beside.fetch_add(1); });
  std::thread teller([&] {
    flags.ready.store(1);
    flags.beside.fetch_add(2);
  });
  poll(flags);
  assert(flags.beside.load() >= 2);
  beside.join();
  teller.join();
}
