// See descriptors.h. A forked child shares file offsets with its siblings: without moving them back the first execution
// would read an open file and the second find nothing.
#include "runtime/world/descriptors.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/os/open_descriptors.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/state/runtime.h"
#include "runtime/world/undo_descriptors.h"

extern "C" struct _IO_FILE_plus* _IO_list_all;  // glibc's list of all streams, linked by FILE::_chain

namespace heddle::runtime {
namespace {

constexpr int kHighest = 256;  // descriptors beyond this are left alone

struct Offset {
  int descriptor;
  long offset;
};
HEDDLE_PERMANENT Offset* offsets = nullptr;  // kHighest entries; noted once, and not to be put back for every execution
int offset_count = 0;
bool is_regular_file(int descriptor) {
  struct stat status {};
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void note_descriptors() {
  flush_output();
  if (offsets == nullptr) offsets = static_cast<Offset*>(os::reserve_or_die(sizeof(Offset) * kHighest));
  offset_count = 0;
  find_output();
  os::OpenDescriptors open(kHighest);
  for (int descriptor = 0; (descriptor = open.next()) >= 0;) {
    if (!is_regular_file(descriptor) || is_captured_output(descriptor)) continue;
    const long offset = os::system_call(SYS_lseek, descriptor, 0, SEEK_CUR);
    if (offset >= 0) offsets[offset_count++] = {descriptor, offset};
  }
}

bool has_known_position(long descriptor) {
  return std::any_of(offsets, offsets + offset_count, [&](const Offset& one) { return one.descriptor == descriptor; });
}

void put_positions_back() {
  for (int i = 0; i < offset_count; ++i) os::system_call(SYS_lseek, offsets[i].descriptor, offsets[i].offset, SEEK_SET);
}

void prepare_descriptors() {
  put_positions_back();
  reset_output();
}

// As libc does it, whoever holds a stream's lock. What only this process has is gone with it: where nobody reads any
// more, writing would last for ever.
void flush_all_streams() {
  for (FILE* stream = reinterpret_cast<FILE*>(_IO_list_all); stream != nullptr; stream = stream->_chain) {
    const bool holds_something = stream->_mode > 0 || stream->_IO_write_ptr > stream->_IO_write_base;
    if (holds_something && !is_own_file(stream->_fileno)) fflush_unlocked(stream);
  }
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
