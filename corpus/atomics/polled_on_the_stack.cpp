// heddle: run
// expect: clean complete
// says: or is equivalent to one that was
// twin: polled_on_the_stack_early.cpp
// build: heddle-cc
#include "polled_on_the_stack.h"

int main() {
  Flags flags;
  std::thread beside([&] { flags.beside.fetch_add(1); });
  std::thread teller([&] {
    flags.beside.fetch_add(2);
    flags.ready.store(1);
  });
  poll(flags);
  assert(flags.beside.load() >= 2);
  beside.join();
  teller.join();
}
