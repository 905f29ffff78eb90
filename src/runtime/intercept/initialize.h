// Calls that initialize synchronization objects. While there are other threads they are steps: a thread may use the
// object before it is initialized (its old content, or zeros), so their order matters.
#pragma once

#include "runtime/state/objects.h"

namespace heddle::runtime {

inline bool others_are_there() { return runtime.world->population().live_tasks() > 1; }

// The step alone, where it is known what is there: the number of the new object.
ObjectId take_initializing_step(ObjectId there, ObjectKind kind, const void* address, Site site);

// Before the call: the number that the new object will have; kNoObject: it need not be a step. `makes_one()`: tried
// elsewhere, would the call make an object of ours? Else what is there stays.
template <typename MakesOne>
ObjectId begin_initializing(ObjectKind kind, void* address, Site site, MakesOne makes_one) {
  if (!others_are_there() || !makes_one()) return kNoObject;
  return take_initializing_step(find_object(kind, address, site).id, kind, address, site);
}
// After it. The object is new, whatever was there; `set_state(id)` gives it the state that was asked for.
template <typename SetState>
void end_initializing(ObjectId begun, ObjectKind kind, void* address, Site site, SetState set_state) {
  if (begun == kNoObject) return set_state(new_object(kind, address, site));
  mark_object(begun, address);
  set_state(begun);
  runtime.world->reevaluate_object(begun);  // others may be about to use it
}

}  // namespace heddle::runtime
