// Was the code that runs now called by a library that is not instrumented? Memory that is freed there is often freed by
// a destructor that the library has put off until no thread uses the block any more (hazard pointers, epochs, RCU).
// Heddle does not see how the library knows that. So such a free is not reported to the detector.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// Before executions, where accesses are reported to the detector.
void prepare_callbacks();
// Any file may be loaded from now on.
void expect_more_files();
bool in_callback_of_library();
// Of a call that returns there: was it of a function of such a library? By a jump at its end it has called what runs
// now, and is not on the stack any more.
bool calls_library(const void* caller);
// Is this an instrumented module, or the C++ library, which does at once what it is called for?
bool is_instrumented_or_cpp(Site site);

}  // namespace heddle::runtime
