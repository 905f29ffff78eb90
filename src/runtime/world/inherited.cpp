// See inherited.h.
#include "runtime/world/inherited.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "runtime/os/open_descriptors.h"
#include "runtime/os/permanent.h"
#include "runtime/os/system_call.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kInherited = 64;

struct PermanentInherited {
  std::uint64_t inodes[kInherited] = {};  // inodes of pipes, sockets and devices; 0: there was none
  unsigned count = 0;
  bool more = false;  // than there is room for, or than can be seen
};
HEDDLE_PERMANENT constinit PermanentInherited permanent_inherited{};

bool status_of(long descriptor, struct stat& status) {
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0;
}

void note_inherited(int descriptor) {
  struct stat status {};
  if (!status_of(descriptor, status) || S_ISREG(status.st_mode)) return;
  permanent_inherited.more = permanent_inherited.more || permanent_inherited.count == kInherited;
  if (!permanent_inherited.more) permanent_inherited.inodes[permanent_inherited.count++] = status.st_ino;
}

}  // namespace

void note_inherited_descriptors() {
  os::OpenDescriptors open(std::numeric_limits<int>::max());
  for (int descriptor = 0; (descriptor = open.next()) >= 0;) note_inherited(descriptor);
  permanent_inherited.more = permanent_inherited.more || !open.listed();
}

bool inherits_unknown_descriptors() { return permanent_inherited.more; }

bool is_inherited(long descriptor) {
  struct stat status {};
  if (!status_of(descriptor, status)) return false;
  return std::any_of(std::begin(permanent_inherited.inodes), std::end(permanent_inherited.inodes),
                     [&](std::uint64_t inode) { return inode != 0 && inode == status.st_ino; });
}

}  // namespace heddle::runtime
