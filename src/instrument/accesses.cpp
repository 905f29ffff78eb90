// Plain and volatile accesses, and the entries and exits of functions: the most frequent calls. Each ends in a jump to
// the runtime's function, so that natively nothing is saved and no frame is made.
#include "instrument/module.h"

using namespace heddle::instrument;

#define HEDDLE_ACCESS(size, index)                                                     \
  HEDDLE_INSTRUMENT void __tsan_read##size(const void* address) {                      \
    if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr))   \
      to->read[index](address, HEDDLE_CALLED_FROM);                                    \
  }                                                                                    \
  HEDDLE_INSTRUMENT void __tsan_write##size(const void* address) {                     \
    if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr))   \
      to->write[index](address, HEDDLE_CALLED_FROM);                                   \
  }                                                                                    \
  HEDDLE_INSTRUMENT void __tsan_read_write##size(const void* address) {                \
    if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr)) { \
      to->read[index](address, HEDDLE_CALLED_FROM);                                    \
      to->write[index](address, HEDDLE_CALLED_FROM);                                   \
    }                                                                                  \
  }                                                                                    \
  HEDDLE_INSTRUMENT void __tsan_volatile_read##size(const void* address) {             \
    if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))       \
      to->volatile_read(address, size, HEDDLE_CALLED_FROM);                            \
  }                                                                                    \
  HEDDLE_INSTRUMENT void __tsan_volatile_write##size(const void* address) {            \
    if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))       \
      to->volatile_write(address, size, HEDDLE_CALLED_FROM);                           \
  }

// Addresses may be unaligned in any case, as far as the runtime is concerned.
#define HEDDLE_SAME(name, other) \
  extern "C" __attribute__((visibility("hidden"), used, alias(#other))) void name(const void* address)

#define HEDDLE_UNALIGNED(size)                                                   \
  HEDDLE_SAME(__tsan_unaligned_read##size, __tsan_read##size);                   \
  HEDDLE_SAME(__tsan_unaligned_write##size, __tsan_write##size);                 \
  HEDDLE_SAME(__tsan_unaligned_read_write##size, __tsan_read_write##size);       \
  HEDDLE_SAME(__tsan_unaligned_volatile_read##size, __tsan_volatile_read##size); \
  HEDDLE_SAME(__tsan_unaligned_volatile_write##size, __tsan_volatile_write##size)

HEDDLE_ACCESS(1, 0)
HEDDLE_ACCESS(2, 1)
HEDDLE_ACCESS(4, 2)
HEDDLE_ACCESS(8, 3)
HEDDLE_ACCESS(16, 4)
HEDDLE_UNALIGNED(2);
HEDDLE_UNALIGNED(4);
HEDDLE_UNALIGNED(8);
HEDDLE_UNALIGNED(16);

HEDDLE_INSTRUMENT void __tsan_read_range(const void* address, std::size_t size) {
  if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr))
    to->read_range(address, size, HEDDLE_CALLED_FROM);
}

HEDDLE_INSTRUMENT void __tsan_write_range(const void* address, std::size_t size) {
  if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr))
    to->write_range(address, size, HEDDLE_CALLED_FROM);
}

HEDDLE_INSTRUMENT void __tsan_vptr_read(const void* address) {
  if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr))
    to->vptr_read(address, HEDDLE_CALLED_FROM);
}

HEDDLE_INSTRUMENT void __tsan_vptr_update(const void* address, const void* value) {
  if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr))
    to->vptr_update(address, value, HEDDLE_CALLED_FROM);
}

HEDDLE_INSTRUMENT void __tsan_func_entry(const void* caller) {
  if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr))
    to->enter(caller, __builtin_dwarf_cfa());
}

HEDDLE_INSTRUMENT void __tsan_func_exit() {
  if (const Accesses* to = heddle_module.accesses; HEDDLE_UNLIKELY(to != nullptr)) to->leave();
}
