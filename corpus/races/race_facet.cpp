// As facet_shared.cpp, but the facet counts how often it is looked at.
// heddle: run
// expect: bug data race at bound 0
// twin: races/facet_shared.cpp
// build: heddle-cc
#include "races/facet.h"

static void look(const std::locale& locale) { ++std::use_facet<Words>(locale).uses; }

int main() {
  const std::locale shared(std::locale::classic(), new Words);
  std::thread other([mine = shared] { look(mine); });
  look(shared);
  other.join();
}
