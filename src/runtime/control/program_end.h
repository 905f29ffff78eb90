// The end of a program's own code: destructors of the program and of its libraries (_fini,
// __attribute__((destructor))), which the loader runs as the second last of exit()'s handlers.
//
// The loader goes through all libraries, under its lock, and each then looks through all exit handlers for its own. The
// C and C++ libraries have nothing to do there. But going through them writes to a page of each and to two of the
// loader's: for a small program that is a third of the pages that every execution restores. So where a program has no
// other libraries, only its own destructors are run.
//
// exit() itself writes to two pages of libc for its list of handlers, and libstdc++'s handlers write to two pages of
// libstdc++. If the program has registered no handler, nobody can see the list run: then it is skipped, too.
#pragma once

namespace heddle::runtime {

// To be called before main() runs: `loader_end` is what the loader wants to have called at the end. Returns what is to
// be called in its place.
void (*watch_program_end(void (*loader_end)()))();

// exit(), as far as the runtime is concerned: comes back where libc has something to do.
void end_program_at_once(int status);

}  // namespace heddle::runtime
