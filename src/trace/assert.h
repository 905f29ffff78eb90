// What a failed HEDDLE_ASSERT (protocol/assert.h) is on Heddle's own side: an exception. It ends the run: targets are
// stopped, scratch folders are removed, written files stay. The command line prints text, place and what to do next
// (exit status 4). The explore loop catches it first: bugs that were found by then are reported as always.
#pragma once

#include <stdexcept>

#include "protocol/assert.h"

namespace heddle {

class AssertionFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace heddle
