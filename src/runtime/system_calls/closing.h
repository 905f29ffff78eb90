// What happens to calls on a descriptor that another thread closes. A call that is already inside the kernel keeps the
// open file. A call that has not looked the number up yet finds what the number means later: nothing, or another file.
// A published call that has not taken a step yet can be either. So a step that closes has an alternative for each
// combination of these calls; by default all are inside.
#pragma once

#include "model/world.h"

namespace heddle::runtime {

struct NumberRange {
  long first, last;
};

// Before `numbers` are closed: the step, and what becomes of the others. `descriptor` is the number that names it;
// where `is_step` is false, as nobody can be waiting there, all are inside.
void take_closing_step(NumberRange numbers, long descriptor, bool is_step, Site site);
// Before the flags of an open file change, which say whether calls on it block. Those who stand there go by the flags
// that they have found, or find the new ones.
void take_flags_step(long descriptor, Site site);

}  // namespace heddle::runtime
