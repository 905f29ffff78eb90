// See assert.h.
#include "trace/assert.h"

#include <string>

namespace heddle {
void fail_assertion(const char* what, const char* condition, const char* file, int line) {
  throw AssertionFailed("this should always be true: " + std::string(what) + " (" + condition + ", at " +
                        within_sources(file) + ":" + std::to_string(line) + ")");
}

}  // namespace heddle
