// The program's names for pieces of its memory (heddle_name), for pages: recorded in executions that also record call
// stacks.
#pragma once

#include <cstddef>

namespace heddle::runtime {

void name_memory(const volatile void* address, std::size_t size, const char* name);
// At the beginning of an execution: those that were given before it.
void record_memory_names();

}  // namespace heddle::runtime
