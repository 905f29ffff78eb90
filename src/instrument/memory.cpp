// memcpy() and its family: the linker is told (--wrap) to send the module's calls here, which tell of the bytes that
// are read and written and then call libc's. Clang's own names for the same, too.
#include "instrument/module.h"

using namespace heddle::instrument;

extern "C" {
__attribute__((visibility("default"))) void* __real_memcpy(void*, const void*, std::size_t);
__attribute__((visibility("default"))) void* __real_memmove(void*, const void*, std::size_t);
__attribute__((visibility("default"))) void* __real_memset(void*, int, std::size_t);
}

namespace {

void tell_copy(void* to, const void* from, std::size_t size, const void* caller) {
  const Accesses* accesses = heddle_module.accesses;
  if (HEDDLE_LIKELY(accesses == nullptr)) return;
  accesses->read_range(from, size, caller);
  accesses->write_range(to, size, caller);
}

void tell_set(void* to, std::size_t size, const void* caller) {
  if (const Accesses* accesses = heddle_module.accesses; HEDDLE_UNLIKELY(accesses != nullptr))
    accesses->write_range(to, size, caller);
}

}  // namespace

HEDDLE_INSTRUMENT void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  tell_copy(to, from, size, HEDDLE_CALLED_FROM);
  return __real_memcpy(to, from, size);
}

HEDDLE_INSTRUMENT void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  tell_copy(to, from, size, HEDDLE_CALLED_FROM);
  return __real_memmove(to, from, size);
}

HEDDLE_INSTRUMENT void* __wrap_memset(void* to, int value, std::size_t size) {
  tell_set(to, size, HEDDLE_CALLED_FROM);
  return __real_memset(to, value, size);
}

HEDDLE_INSTRUMENT void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  tell_copy(to, from, size, HEDDLE_CALLED_FROM);
  return __real_memcpy(to, from, size);
}

HEDDLE_INSTRUMENT void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  tell_copy(to, from, size, HEDDLE_CALLED_FROM);
  return __real_memmove(to, from, size);
}

HEDDLE_INSTRUMENT void* __tsan_memset(void* to, int value, std::size_t size) {
  tell_set(to, size, HEDDLE_CALLED_FROM);
  return __real_memset(to, value, size);
}
