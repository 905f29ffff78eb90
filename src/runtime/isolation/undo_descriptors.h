// What an execution on a snapshot may do to descriptors of files, since it is put back: what it opens to read is closed
// at its end, regular files from before that it closes come back to their numbers, and positions are moved back. So a
// test that reads a file, loads a library or asks for the local time needs no process of its own.
#pragma once

#include "runtime/isolation/effects.h"

namespace heddle::runtime {

// Of descriptors that were there before; `is_file`: it leads to a regular file.
bool undoes_closing(long descriptor, bool is_file);
bool undoes_moving(long descriptor);
// A regular file that is only read, a folder or a memory device: is there room to remember one more?
bool undoes_opening();
bool is_opened_here(long descriptor);

// Around each call that is made on a snapshot.
void before_descriptor_call(const SystemCall& call);
void after_descriptor_call(const SystemCall& call, long result);

bool descriptors_changed();
void undo_descriptors();

}  // namespace heddle::runtime
