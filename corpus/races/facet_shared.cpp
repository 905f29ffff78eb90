// Two threads look at a facet, each through a copy of the locale; the last copy that goes destroys it.
// heddle: run
// expect: clean complete
// twin: races/race_facet.cpp
// build: heddle-cc
#include <cassert>

#include "races/facet.h"

int main() {
  auto* const shared = new std::locale(std::locale::classic(), new Words);
  std::thread other([mine = *shared]() mutable {
    assert(std::use_facet<Words>(mine).text[3] == 'x');
    mine = std::locale::classic();
  });
  {
    const std::locale copy = *shared;
    assert(std::use_facet<Words>(copy).text[2] == 'x');
  }
  delete shared;
  other.join();
}
