// The streams of stdio, which hold what the program has printed.
#pragma once

namespace heddle::runtime {

// Before an execution is cut short: writes out what the program has printed and stdio still holds.
void flush_output();
// As the end of a process does for all streams that hold something, not only the standard ones.
void flush_all_streams();
// Is there a stream of the program's whose functions, and not the kernel, take what it holds (fopencookie)?
bool program_has_streams_of_its_own();

}  // namespace heddle::runtime
