// File descriptors across executions: what one execution moves, the next must find where it was.
#pragma once

#include <cstddef>

namespace heddle::runtime {

// At the branching point: remembers the offsets of the regular files that are open, and writes out what stdio holds.
void note_descriptors();
// Whether the driver keeps what the program prints.
bool captures_output();
bool is_captured_output(int descriptor);
// In bytes; what was printed before the branching point is part of it.
long output_size();
long output_size_before();
void append_output(const char* text, std::size_t bytes);
void cut_output(long size);
// Its flags are those of the file: what one execution sets, all others have.
void restore_output_flags();
// What was printed: `bytes` from `offset` on. False: it is not there.
bool read_output(char* to, long offset, std::size_t bytes);
// What was printed behind the branching point becomes this.
void replace_output(const char* from, std::size_t bytes);
// Regular files that were open then: is it one of them whose position is known? And where they were.
bool has_known_position(long descriptor);
void put_positions_back();
// Before each execution: cuts the captured output back to what was there at the branching point and moves the offsets
// back.
void prepare_descriptors();
// Before an execution is cut short: writes out what the program has printed and stdio still holds.
void flush_output();
// As the end of a process does for all streams that hold something, not only the standard ones.
void flush_all_streams();

}  // namespace heddle::runtime
