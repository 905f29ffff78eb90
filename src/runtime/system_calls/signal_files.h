// Descriptors that are read to take signals (signalfd), namely those that the model keeps. To the kernel each is an
// eventfd. It is made readable, or not, before anybody looks at it: what can be read depends on the reader.
#pragma once

#include "protocol/operations.h"
#include "runtime/state/program_call.h"

namespace heddle::runtime {

bool is_signal_file(long descriptor);
// read(): as the kernel does it.
long read_signal_file(const SystemCall& call, Site site);

// In a child that the program has forked. Its signals are the kernel's again, and these files, too. (A wait at an epoll
// set from before the fork is for its parent's files.)
void make_signal_files_real();

}  // namespace heddle::runtime
