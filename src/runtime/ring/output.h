// The captured output: what the program prints into the file that the driver keeps. The output of an execution on a
// snapshot is held in the memory shared with the driver. It is written to the file when somebody may look there: at the
// end of an execution whose output is wanted, before a system call of the program that could look there, when there is
// too much of it, and where a level is taken. A test framework prints a few lines in every execution, and nobody reads
// them: to write each, and to cut the file afterwards, would cost more than the test. If the process dies, whoever
// finds it dead writes the held output.
#pragma once

#include <cstddef>

namespace heddle::runtime {

// At the branching point.
void find_output();
// Whether the driver keeps what the program prints.
bool captures_output();
bool is_captured_output(int descriptor);
// In bytes; what was printed before the branching point is part of it.
long output_size();
long output_size_before();
void cut_output(long size);
// Its flags are those of the file: what one execution sets, all others have.
void restore_output_flags();
// Has it a number that the program would have, since few are allowed?
bool output_takes_low_number();
// What was printed: `bytes` from `offset` on. False: it is not there.
bool read_output(char* to, long offset, std::size_t bytes);
// What was printed behind the branching point becomes this.
void replace_output(const char* from, std::size_t bytes);
// Before an execution that has nothing of another one: back to what was there at the branching point.
void reset_output();

// ---- held
// False: there is no room for so much at all.
bool hold_text(const char* text, std::size_t bytes);
// Whoever looks into the file next finds all of it there.
void write_held_output();
// At the end of an execution: nobody wants what it holds.
void drop_held_output();

// ---- on a snapshot
// The present execution has written to the file.
void on_output();
// How much has been printed; asks the kernel only where that may have changed.
long output_printed();
// Between two executions: the file is cut to `size`, if it may have another.
void undo_output(long size);

}  // namespace heddle::runtime
