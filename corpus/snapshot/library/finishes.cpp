// See ../library_finishes.cpp: its destructor function runs before those of its objects, in every execution.
#include <cstdlib>

namespace {

bool finished = false;

__attribute__((destructor)) void finish() { finished = true; }

struct Last {
  ~Last() {
    if (!finished) std::abort();
  }
} last;

}  // namespace

int of_the_library() { return finished ? 0 : 1; }
