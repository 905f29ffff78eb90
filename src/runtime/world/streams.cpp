// See streams.h.
#include "runtime/world/streams.h"

#include <stdio.h>

#include "runtime/os/real.h"
#include "runtime/world/undo_descriptors.h"

extern "C" struct _IO_FILE_plus* _IO_list_all;  // glibc's list of all streams, linked by FILE::_chain

namespace heddle::runtime {

// As libc does it, whoever holds a stream's lock. What only this process has is gone with it: where nobody reads any
// more, writing would last for ever.
void flush_all_streams() {
  for (FILE* stream = reinterpret_cast<FILE*>(_IO_list_all); stream != nullptr; stream = stream->_chain) {
    const bool holds_something = stream->_mode > 0 || stream->_IO_write_ptr > stream->_IO_write_base;
    if (holds_something && !is_own_file(stream->_fileno)) fflush_unlocked(stream);
  }
}

// glibc gives those no descriptor.
bool program_has_streams_of_its_own() {
  for (FILE* stream = reinterpret_cast<FILE*>(_IO_list_all); stream != nullptr; stream = stream->_chain)
    if (stream->_fileno < 0) return true;
  return false;
}

void flush_output() {
  // A task may stand inside stdio with the stream's lock held; whoever can't get it must not wait for ever.
  for (FILE* stream : {stdout, stderr})
    if (real::ftrylockfile(stream) == 0) {
      fflush_unlocked(stream);
      real::funlockfile(stream);
    }
}

}  // namespace heddle::runtime
