// The places of loops that wait without yielding, which the driver has found (protocol/places.h), as addresses in this
// process: for the model (model/spin_places.cpp).
#pragma once

namespace heddle::runtime {

// At the branching point. In files that are loaded later, only those count that are given as addresses.
void find_spin_places();

}  // namespace heddle::runtime
