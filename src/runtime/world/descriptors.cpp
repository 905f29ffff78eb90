// See descriptors.h. A forked child shares file offsets with its siblings: without moving them back the first execution
// would read an open file and the second find nothing.
#include "runtime/world/descriptors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/os/open_descriptors.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr int kHighest = 256;  // descriptors beyond this are left alone

struct Offset {
  int descriptor;
  long offset;
};
HEDDLE_PERMANENT Offset* offsets = nullptr;  // kHighest entries; noted once, and not to be restored for every execution
int offset_count = 0;
bool is_regular_file(int descriptor) {
  struct stat status {};
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void note_descriptors() {
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

void restore_positions() {
  for (int i = 0; i < offset_count; ++i) os::system_call(SYS_lseek, offsets[i].descriptor, offsets[i].offset, SEEK_SET);
}

void prepare_descriptors() {
  restore_positions();
  reset_output();
}

}  // namespace heddle::runtime
