// Random numbers of the system. The results of rand(), random(), drand48() and their kin follow from the program's
// memory, so they need no interceptor.
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>

#include "runtime/intercept/intercept.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/world/input_notes.h"
#include "runtime/world/inputs.h"

using namespace heddle;
using namespace heddle::runtime;

HEDDLE_EXPORT ssize_t getrandom(void* buffer, size_t bytes, unsigned flags) {
  if (!controlled()) return real::getrandom(buffer, bytes, flags);
  SystemCall call;
  call.number = SYS_getrandom;
  call.arguments[0] = reinterpret_cast<long>(buffer);
  call.arguments[1] = static_cast<long>(bytes);
  call.arguments[2] = flags;
  long result = 0;
  answer_input(call, result);
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

HEDDLE_EXPORT int getentropy(void* buffer, size_t bytes) {
  if (!controlled()) return real::getentropy(buffer, bytes);
  constexpr size_t kMax = 256;
  if (bytes > kMax) return through_errno(EIO);
  if (!is_readable(reinterpret_cast<long>(buffer), bytes)) return through_errno(EFAULT);
  draw(buffer, bytes);
  return 0;
}

HEDDLE_EXPORT uint32_t arc4random() {
  if (!controlled()) return real::arc4random();
  return draw32();
}

HEDDLE_EXPORT void arc4random_buf(void* buffer, size_t bytes) {
  if (!controlled()) return real::arc4random_buf(buffer, bytes);
  draw(buffer, bytes);
}

HEDDLE_EXPORT uint32_t arc4random_uniform(uint32_t bound) {
  if (!controlled()) return real::arc4random_uniform(bound);
  if (bound < 2) return 0;
  const uint32_t uneven = -bound % bound;  // so many of the 2^32 values would make the first results more frequent
  uint32_t value = draw32();
  while (value < uneven) value = draw32();
  return value % bound;
}

// std::random_device::_M_getval(), which reads the processor's random numbers by an instruction.
HEDDLE_EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  if (!controlled()) return real::random_device_value(device);
  return draw32();
}

namespace {

// What libc reads by itself into a stream's buffer is seen where system calls are: on snapshots. Elsewhere, and before
// the first thread, it can only be noted. Asked once the file is open, so the path can be read.
FILE* noted(FILE* stream, const char* path, Site site) {
  if (stream == nullptr || !controlled() || on_snapshot()) return stream;
  if (strcmp(path, "/dev/urandom") == 0) note_input("random numbers of /dev/urandom", site);
  if (strcmp(path, "/dev/random") == 0) note_input("random numbers of /dev/random", site);
  return stream;
}

}  // namespace

HEDDLE_EXPORT FILE* fopen(const char* path, const char* mode) {
  return noted(real::fopen(path, mode), path, HEDDLE_CALLER);
}

HEDDLE_EXPORT FILE* fopen64(const char* path, const char* mode) {
  return noted(real::fopen64(path, mode), path, HEDDLE_CALLER);
}
