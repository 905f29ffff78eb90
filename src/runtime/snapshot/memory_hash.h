// A hash of the program's private memory without stacks, of which only a part is alive (live_stack() in carrier.h).
#pragma once

#include <cstddef>

#include "model/state_hash.h"

namespace heddle::runtime {

void hash_bytes(model::StateHash& hash, const void* bytes, std::size_t size);

// Both add to `hash`; false: it can't be told. Their results are not to be compared with each other's.
using HashMemory = bool (*)(model::StateHash& hash);
// On a snapshot: what differs from the branching point. Some ten nanoseconds for each dirty page.
bool hash_dirty_pages(model::StateHash& hash);
// Everywhere: all that the program can write. Reads all memory of the process.
bool hash_all_memory(model::StateHash& hash);

}  // namespace heddle::runtime
