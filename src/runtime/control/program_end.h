// The end of a program's own code: destructors of the program and of its libraries (_fini,
// __attribute__((destructor))), which the loader runs as the last but one of exit()'s handlers.
//
// The loader goes through all libraries, under its lock, and each then looks through all exit handlers for its own. The
// C and C++ libraries have nothing to do there. But going through them writes to a page of each and to two of the
// loader's: for a small program that is a third of the pages that every execution restores. So where a program has no
// other libraries, only its own destructors are run.
//
// exit() itself writes to two pages of libc's for its list of handlers, and what libstdc++ has registered there to two
// of that. Where the program has registered none, there is nothing in the list that anybody could see: then it is left
// alone, too.
#pragma once

namespace heddle::runtime {

// To be called before main() runs: `loader_end` is what the loader wants to have called at the end. Returns what is to
// be called in its place.
void (*watch_program_end(void (*loader_end)()))();

// exit(), as far as the runtime is concerned: comes back where libc has something to do.
void end_program_at_once(int status);

}  // namespace heddle::runtime
