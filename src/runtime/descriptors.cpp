// See descriptors.h. A forked child shares file offsets with its siblings: without moving them back the first execution would
// read an open file and the second find nothing.
#include "runtime/descriptors.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr int kHighest = 256;  // descriptors beyond this are left alone

struct Offset {
  int descriptor;
  long offset;
};
Offset* offsets = nullptr;  // kHighest entries
int offset_count = 0;
long output_before = 0;  // what was printed before the branching point stays at the head of every execution's output

bool is_regular_file(int descriptor) {
  struct stat status;
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void note_descriptors() {
  flush_output();
  if (offsets == nullptr) offsets = static_cast<Offset*>(os::allocate(sizeof(Offset) * kHighest));
  offset_count = 0;
  if (runtime.config.output_fd >= 0) output_before = os::system_call(SYS_lseek, runtime.config.output_fd, 0, SEEK_CUR);
  for (int descriptor = 0; descriptor < kHighest; ++descriptor) {
    if (!is_regular_file(descriptor)) continue;
    const long offset = os::system_call(SYS_lseek, descriptor, 0, SEEK_CUR);
    if (offset >= 0) offsets[offset_count++] = {descriptor, offset};
  }
}

void prepare_descriptors() {
  for (int i = 0; i < offset_count; ++i) os::system_call(SYS_lseek, offsets[i].descriptor, offsets[i].offset, SEEK_SET);
  if (runtime.config.output_fd < 0) return;
  os::system_call(SYS_ftruncate, runtime.config.output_fd, output_before);
  os::system_call(SYS_lseek, runtime.config.output_fd, output_before, SEEK_SET);
}

void flush_output() {
  // A task may stand inside stdio with the stream's lock held; whoever can't get it must not wait for ever.
  for (FILE* stream : {stdout, stderr})
    if (ftrylockfile(stream) == 0) {
      fflush_unlocked(stream);
      funlockfile(stream);
    }
}

}  // namespace heddle::runtime
