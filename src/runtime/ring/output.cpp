// See output.h. The file is written only at its end (O_APPEND), so held output comes after what is already there.
#include "runtime/ring/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/open_descriptors.h"
#include "runtime/os/permanent.h"
#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

struct ProcessOutput {
  int descriptor = -1;  // our own descriptor of the captured output; -1: not captured
  long flags = 0;       // at the branching point
  long before = 0;      // what was printed before the branching point stays at the head of every execution's output
};
constinit ProcessOutput process_output{};

// Of the file, by the execution that runs now: what was printed before it went on, and whether it has written to it.
struct PermanentOutput {
  long kept = -1;  // -1: nothing was undone yet, what was there at the branching point
  bool written = false;
};
HEDDLE_PERMANENT constinit PermanentOutput permanent_output{};

HeldOutput& held() { return runtime.shared->held_output; }

long kept() { return permanent_output.kept >= 0 ? permanent_output.kept : process_output.before; }

void append_output(const char* text, std::size_t bytes) {
  while (bytes != 0) {
    const long written =
        os::system_call(SYS_write, process_output.descriptor, reinterpret_cast<long>(text), static_cast<long>(bytes));
    if (written <= 0) return;
    text += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

}  // namespace

bool is_captured_output(int descriptor) {
  struct stat status {};
  return config.output_inode != 0 && os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 &&
         status.st_dev == config.output_device && status.st_ino == config.output_inode;
}

// A descriptor of our own, high up and out of the way: the program may close or replace 1 and 2.
void find_output() {
  for (int descriptor : {1, 2}) {
    if (process_output.descriptor >= 0 || !is_captured_output(descriptor)) continue;
    process_output.descriptor =
        static_cast<int>(os::system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kOwnDescriptors));
    if (process_output.descriptor < 0)
      process_output.descriptor = static_cast<int>(os::system_call(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, 3));
  }
  if (process_output.descriptor < 0) return;
  process_output.flags = os::system_call(SYS_fcntl, process_output.descriptor, F_GETFL);
  process_output.before = os::system_call(SYS_lseek, process_output.descriptor, 0, SEEK_CUR);
}

bool output_takes_low_number() { return process_output.descriptor >= 0 && process_output.descriptor < kOwnDescriptors; }

bool captures_output() { return process_output.descriptor >= 0; }

long output_size() {
  return process_output.descriptor >= 0
             ? os::system_call(SYS_lseek, process_output.descriptor, 0, SEEK_END) + held().size
             : 0;
}

long output_size_before() { return process_output.before; }

void cut_output(long size) {
  if (process_output.descriptor < 0) return;
  write_held_output();
  os::system_call(SYS_ftruncate, process_output.descriptor, size);
  os::system_call(SYS_lseek, process_output.descriptor, size, SEEK_SET);
}

void restore_output_flags() {
  if (os::system_call(SYS_fcntl, process_output.descriptor, F_GETFL) != process_output.flags)
    os::system_call(SYS_fcntl, process_output.descriptor, F_SETFL, process_output.flags);
}

bool read_output(char* to, long offset, std::size_t bytes) {
  write_held_output();
  while (bytes != 0) {
    const long read = os::system_call(SYS_pread64, process_output.descriptor, reinterpret_cast<long>(to),
                                      static_cast<long>(bytes), offset);
    if (read <= 0) return false;
    to += read;
    offset += read;
    bytes -= static_cast<std::size_t>(read);
  }
  return true;
}

void replace_output(const char* from, std::size_t bytes) {
  if (bytes == 0) return;
  cut_output(process_output.before);
  append_output(from, bytes);
}

void reset_output() {
  if (process_output.descriptor < 0) return;
  restore_output_flags();
  if (output_size() != process_output.before) cut_output(process_output.before);
}

bool hold_text(const char* text, std::size_t bytes) {
  if (bytes > HeldOutput::kCapacity) return false;
  if (held().size > HeldOutput::kCapacity - static_cast<std::uint32_t>(bytes)) write_held_output();
  __builtin_memcpy(held().text + held().size, text, bytes);
  held().size += static_cast<std::uint32_t>(bytes);
  return true;
}

void write_held_output() {
  if (held().size == 0) return;
  // The program can write into this memory, too.
  append_output(held().text, held().size < HeldOutput::kCapacity ? held().size : HeldOutput::kCapacity);
  if (on_snapshot()) on_output();
  held().size = 0;
}

void drop_held_output() { held().size = 0; }

void on_output() { permanent_output.written = true; }

long output_printed() { return permanent_output.written ? output_size() : kept(); }

void undo_output(long size) {
  if (permanent_output.written || kept() != size) cut_output(size);
  permanent_output.kept = size;
  permanent_output.written = false;
}

}  // namespace heddle::runtime
