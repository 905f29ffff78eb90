// The part of the runtime's own memory that is restored between executions: its variables before and after the
// permanent ones (HEDDLE_PERMANENT), and its tables as far as they are used.
#pragma once

#include <cstddef>

#include "runtime/state/memory_map.h"

namespace heddle::runtime {

// Before the others.
void find_own_memory(const OwnImage& image);
// So much does it take now.
std::size_t own_memory_size();
// How much of the tables was in use.
std::size_t save_own_memory(char* to);
void restore_own_memory(const char* from, std::size_t pieces_size);

}  // namespace heddle::runtime
