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
#include "runtime/state/runtime.h"
#include "runtime/world/held_output.h"
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
int output = -1;         // our own descriptor of the captured output; -1: not captured
long output_flags = 0;   // at the branching point
long output_before = 0;  // what was printed before the branching point stays at the head of every execution's output

bool is_regular_file(int descriptor) {
  struct stat status {};
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISREG(status.st_mode);
}

// A descriptor of our own, high up and out of the way: the program may close or replace 1 and 2.
void find_output() {
  for (int descriptor : {1, 2}) {
    if (output >= 0 || !is_captured_output(descriptor)) continue;
    output = static_cast<int>(os::system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kOwnDescriptors));
    if (output < 0) output = static_cast<int>(os::system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 3));
  }
  if (output < 0) return;
  output_flags = os::system_call(SYS_fcntl, output, F_GETFL);
  output_before = os::system_call(SYS_lseek, output, 0, SEEK_CUR);
}

}  // namespace

bool is_captured_output(int descriptor) {
  struct stat status {};
  return config.output_inode != 0 && os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 &&
         status.st_dev == config.output_device && status.st_ino == config.output_inode;
}

bool captures_output() { return output >= 0; }

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

long output_size() { return output >= 0 ? os::system_call(SYS_lseek, output, 0, SEEK_END) + held_output_size() : 0; }

long output_size_before() { return output_before; }

void cut_output(long size) {
  if (output < 0) return;
  write_held_output();
  os::system_call(SYS_ftruncate, output, size);
  os::system_call(SYS_lseek, output, size, SEEK_SET);
}

void restore_output_flags() {
  if (os::system_call(SYS_fcntl, output, F_GETFL) != output_flags)
    os::system_call(SYS_fcntl, output, F_SETFL, output_flags);
}

bool read_output(char* to, long offset, std::size_t bytes) {
  write_held_output();
  while (bytes != 0) {
    const long read =
        os::system_call(SYS_pread64, output, reinterpret_cast<long>(to), static_cast<long>(bytes), offset);
    if (read <= 0) return false;
    to += read;
    offset += read;
    bytes -= static_cast<std::size_t>(read);
  }
  return true;
}

void append_output(const char* text, std::size_t bytes) {
  while (bytes != 0) {
    const long written = os::system_call(SYS_write, output, reinterpret_cast<long>(text), static_cast<long>(bytes));
    if (written <= 0) return;
    text += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void replace_output(const char* from, std::size_t bytes) {
  if (bytes == 0) return;
  cut_output(output_before);
  append_output(from, bytes);
}

bool has_known_position(long descriptor) {
  return std::any_of(offsets, offsets + offset_count, [&](const Offset& one) { return one.descriptor == descriptor; });
}

void put_positions_back() {
  for (int i = 0; i < offset_count; ++i) os::system_call(SYS_lseek, offsets[i].descriptor, offsets[i].offset, SEEK_SET);
}

void prepare_descriptors() {
  put_positions_back();
  if (output < 0) return;
  restore_output_flags();
  if (output_size() != output_before) cut_output(output_before);
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
