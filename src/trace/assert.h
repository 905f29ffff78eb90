// HEDDLE_ASSERT(condition, "what must be true"): for Heddle's own side, what holds unless Heddle itself is wrong:
// preconditions, postconditions, and what a comment calls "always" or "never". On in every build. What a program or a
// file may bring is never asserted but checked as input, with an error for the user.
//
// A failure is an exception. It ends what goes on (targets are stopped, scratch folders removed, files that were
// written stay), and the command line prints text, place and what to do next (exit status 4). The explore loop
// catches it first: bugs that were found by then are reported as always.
#pragma once

#include <stdexcept>

namespace heddle {

class AssertionFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws it. `file` as the compiler names it; the message has what follows the last "src/".
[[noreturn, gnu::cold]] void fail_assertion(const char* what, const char* condition, const char* file, int line);

}  // namespace heddle

#define HEDDLE_ASSERT(condition, what) \
  ((condition) ? static_cast<void>(0) : ::heddle::fail_assertion(what, #condition, __FILE__, __LINE__))
