// The default, with what partial-order reduction wants to know of each step (PolicyTrait::Steps): for searches by
// preemptions that look for races (search/reversals.h).
#include "runtime/schedule/policy/policy.h"

namespace heddle::runtime {

extern const Policy kMarkedPolicy = {};

}  // namespace heddle::runtime
