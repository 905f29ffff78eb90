// The end of a program's own code: destructors of the program and of its libraries (_fini,
// __attribute__((destructor))), which the loader runs as the last but one of exit()'s handlers.
//
// The loader goes through all libraries, under its lock, and each then looks through all exit handlers for its own. The
// C and C++ libraries have nothing to do there. But going through them writes to a page of each and to two of the
// loader's: for a small program that is a third of the pages that every execution puts back. So where a program has no
// other libraries, only its own destructors are run. Whatever libstdc++ has registered for its end is run behind that,
// by exit() itself.
#pragma once

namespace heddle::runtime {

// To be called before main() runs: `loader_end` is what the loader wants to have called at the end. Returns what is to
// be called in its place.
void (*watch_program_end(void (*loader_end)()))();

}  // namespace heddle::runtime
