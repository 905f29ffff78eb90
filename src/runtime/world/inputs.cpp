// See inputs.h.
#include "runtime/world/inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "protocol/mix.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/world/input_notes.h"
#include "runtime/world/system_time.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kRandomMajor = 1, kRandomMinor = 8, kUrandomMinor = 9;

struct ProcessInputs {
  std::uint64_t stream = 0;
};
constinit ProcessInputs process_inputs{};

std::uint64_t hash_of(std::uint64_t seed, const char* text) {
  for (; *text != '\0'; ++text) seed = (seed ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return scrambled(seed);
}

std::uint64_t draw64() {
  TaskData& task = current_data();
  record_told_apart(runtime.current);
  return scrambled(scrambled(process_inputs.stream + (std::uint64_t{runtime.current} << 32)) +
                   kGoldenRatio * ++task.draws);
}

void tell_drawn() {
  auto& drawn = runtime.shared->status.random_drawn;
  if (drawn.load(std::memory_order_relaxed) == 0) drawn.store(1, std::memory_order_relaxed);
}

bool is_random_device(long descriptor) {
  struct stat status {};
  return os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0 && S_ISCHR(status.st_mode) &&
         major(status.st_rdev) == kRandomMajor &&
         (minor(status.st_rdev) == kRandomMinor || minor(status.st_rdev) == kUrandomMinor);
}

long answer_getrandom(const SystemCall& call) {
  constexpr long kFlags = GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE;
  constexpr long kBothPools = GRND_RANDOM | GRND_INSECURE;
  const long flags = call.arguments[2];
  if ((flags & ~kFlags) != 0 || (flags & kBothPools) == kBothPools) return -EINVAL;
  constexpr std::size_t kMax = 0x1ffffff;  // the kernel's own limit for one call
  std::size_t bytes = static_cast<std::size_t>(call.arguments[1]);
  if (bytes > kMax) bytes = kMax;
  if (!is_readable(call.arguments[0], bytes)) return -EFAULT;
  draw(reinterpret_cast<void*>(call.arguments[0]), bytes);
  return static_cast<long>(bytes);
}

long read_random_device(const SystemCall& call) {
  if (call.number != SYS_readv) {
    if (!is_readable(call.arguments[1], static_cast<std::size_t>(call.arguments[2]))) return -EFAULT;
    draw(reinterpret_cast<void*>(call.arguments[1]), static_cast<std::size_t>(call.arguments[2]));
    return call.arguments[2];
  }
  long bytes = 0;
  const auto* part = reinterpret_cast<const iovec*>(call.arguments[1]);
  for (long left = call.arguments[2]; left > 0; --left, ++part) {
    draw(part->iov_base, part->iov_len);
    bytes += static_cast<long>(part->iov_len);
  }
  return bytes;
}

// What a descriptor leads to, by name; false: it has none.
bool path_of(long descriptor, char* path, std::size_t size) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%ld", descriptor);
  const long length = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(link),
                                      reinterpret_cast<long>(path), static_cast<long>(size - 1));
  if (length <= 0) return false;
  path[length] = '\0';
  return true;
}

constexpr std::size_t kPathShown = 200;

void note_content(long descriptor, Site site) {
  struct stat status {};
  if (os::system_call(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) != 0) return;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
  char path[kPathShown], text[kPathShown + 32];
  if (!path_of(descriptor, path, sizeof path)) return;
  snprintf(text, sizeof text, "the content of %s", path);
  note_input(text, site);
}

void note_state_of_file(long path, Site site) {
  if (path == 0 || *reinterpret_cast<const char*>(path) == '\0') return;
  char text[kPathShown];
  snprintf(text, sizeof text, "what the system says of %s", reinterpret_cast<const char*>(path));
  note_input(text, site);
}

}  // namespace

void prepare_inputs(char** arguments) {
  // With the arguments: two tests of one program that run side by side draw different names for their files.
  process_inputs.stream = scrambled(config.input_seed ^ kGoldenRatio);
  for (; *arguments != nullptr; ++arguments) process_inputs.stream = hash_of(process_inputs.stream, *arguments);
  // The kernel's gift to every process. The loader has taken what it needs; others seed their hashes with it.
  auto* given = reinterpret_cast<std::uint64_t*>(getauxval(AT_RANDOM));
  for (unsigned i = 0; given != nullptr && i < 2; ++i) given[i] = scrambled(process_inputs.stream + i + 1);
}

// The fork was a step, so no two children draw the same.
void prepare_inputs_in_child() {
  process_inputs.stream =
      scrambled(process_inputs.stream + runtime.world->schedule().steps().count() + current_data().draws + 1);
}

void draw(void* buffer, std::size_t bytes) {
  tell_drawn();
  auto* to = static_cast<char*>(buffer);
  while (bytes != 0) {
    const std::uint64_t value = draw64();
    const std::size_t part = bytes < sizeof value ? bytes : sizeof value;
    memcpy(to, &value, part);
    to += part;
    bytes -= part;
  }
}

std::uint32_t draw32() {
  tell_drawn();
  return static_cast<std::uint32_t>(draw64() >> 32);
}

bool answer_input(const SystemCall& call, long& result) {
  const long* const a = call.arguments;
  switch (call.number) {
    case SYS_getrandom:
      result = answer_getrandom(call);
      return true;
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
      if (!is_random_device(a[0])) return false;
      result = read_random_device(call);
      return true;
    default:
      return answer_time(call, result);
  }
}

void note_input_of(const SystemCall& call, long result, Site site) {
  if (runtime.inside) return;  // a library is loaded for us
  if (!runtime.recording && runtime.mode != Mode::Alone) return;
  const long* const a = call.arguments;
  switch (call.number) {
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
    case SYS_getdents64:
      if (result > 0) note_content(a[0], site);
      return;
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_readlink:
    case SYS_statfs:
      return note_state_of_file(a[0], site);
    case SYS_newfstatat:
    case SYS_faccessat:
    case SYS_faccessat2:
    case SYS_readlinkat:
    case SYS_statx:
      return note_state_of_file(a[1], site);
    case SYS_sysinfo:
      return note_input("the load and the memory of the machine", site);
    default:
      return;
  }
}

}  // namespace heddle::runtime
