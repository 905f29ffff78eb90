// See descriptors.h. A forked child shares file offsets with its siblings. If they were not moved back, the first
// execution would read an open file and the second would find nothing.
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

struct PermanentOffsets {
  Offset* all = nullptr;  // kHighest entries; noted once, and not to be restored for every execution
  int count = 0;
};
HEDDLE_PERMANENT constinit PermanentOffsets permanent_offsets{};

bool is_regular_file(int descriptor) {
  struct stat status {};
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

void note_descriptors() {
  if (permanent_offsets.all == nullptr)
    permanent_offsets.all = static_cast<Offset*>(os::reserve_or_die(sizeof(Offset) * kHighest));
  permanent_offsets.count = 0;
  find_output();
  os::OpenDescriptors open(kHighest);
  for (int descriptor = 0; (descriptor = open.next()) >= 0;) {
    if (!is_regular_file(descriptor) || is_captured_output(descriptor)) continue;
    const long offset = os::system_call(SYS_lseek, descriptor, 0, SEEK_CUR);
    if (offset >= 0) permanent_offsets.all[permanent_offsets.count++] = {descriptor, offset};
  }
}

bool has_known_position(long descriptor) {
  return std::any_of(permanent_offsets.all, permanent_offsets.all + permanent_offsets.count,
                     [&](const Offset& one) { return one.descriptor == descriptor; });
}

void restore_positions() {
  for (int i = 0; i < permanent_offsets.count; ++i)
    os::system_call(SYS_lseek, permanent_offsets.all[i].descriptor, permanent_offsets.all[i].offset, SEEK_SET);
}

void prepare_descriptors() {
  restore_positions();
  reset_output();
}

}  // namespace heddle::runtime
