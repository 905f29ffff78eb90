// sigaction() without libc's function, whose system call would have to be caught; the effect is the same. A test
// framework makes some twenty such calls around each test.
#pragma once

#include <signal.h>

namespace heddle::runtime {

// At the branching point: by what handlers return that libc sets.
void learn_restorer();
// As sigaction(), errno included. Not for signals that libc refuses.
int change_action(int signal, const struct sigaction* wanted, struct sigaction* old);

}  // namespace heddle::runtime
