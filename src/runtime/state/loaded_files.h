// The files that are loaded: the program, its libraries, the vdso.
#pragma once

#include <link.h>

#include <cstddef>

namespace heddle::runtime {

// Before executions begin.
void note_loaded_files();

// As dl_iterate_phdr(), but in an execution without the loader's lock: a task that runs code of the program under it
// (the callback of a dl_iterate_phdr(), a constructor that dlopen() calls) may have been switched away, and the one
// that we are on must not wait for it. What is just being loaded, or unloaded, is left out, and what was loaded since
// executions began with its program headers elsewhere than at its beginning. `visit` gets dlpi_addr,
// dlpi_name, dlpi_phdr and dlpi_phnum. Returns what the last call of it did.
int for_each_loaded_file(int (*visit)(dl_phdr_info* info, std::size_t size, void* argument), void* argument);

}  // namespace heddle::runtime
