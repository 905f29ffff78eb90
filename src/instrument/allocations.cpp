// Allocations of an allocator that the program brought (tcmalloc, jemalloc, one of its own). A block that it allocates
// begins a new life, since Heddle does not see how the allocator orders the block's old user before its new one. The
// linker is told (--wrap) to send the module's calls here. Where the blocks are Heddle's own, these are jumps, which
// leave no frame on a call stack.
#include "instrument/module.h"

using namespace heddle::instrument;

namespace {

using Size = std::size_t;

inline bool is_reported() {
  const Accesses* accesses = heddle_module.accesses;
  return HEDDLE_UNLIKELY(accesses != nullptr) && accesses->allocated != nullptr;
}

void* tell(void* block, Size size) {
  if (block != nullptr) heddle_module.accesses->allocated(block, size);
  return block;
}

}  // namespace

// Not hidden as the rest: shared libraries that the module is linked with may ask for functions of these names, and the
// linker takes their calls for wrapped ones, too (at run time they are not). Weak: a program may wrap malloc() itself.
#define HEDDLE_WRAP extern "C" __attribute__((visibility("protected"), weak, used))
#define HEDDLE_REAL extern "C" __attribute__((visibility("default")))
// A C program has no operator new to go to, and must not ask for one; cxx/operators.cpp does.
#define HEDDLE_REAL_IF_ANY HEDDLE_REAL __attribute__((weak))

// HEDDLE_ALLOCATOR(function, parameters, arguments, bytes)
#define HEDDLE_ALLOCATOR(name, parameters, arguments, bytes) \
  HEDDLE_REAL void* __real_##name parameters;                \
  HEDDLE_DEFINE_WRAP(name, parameters, arguments, bytes)
#define HEDDLE_OPERATOR(name, parameters, arguments) \
  HEDDLE_REAL_IF_ANY void* __real_##name parameters; \
  HEDDLE_DEFINE_WRAP(name, parameters, arguments, size)
#define HEDDLE_DEFINE_WRAP(name, parameters, arguments, bytes)                             \
  HEDDLE_WRAP void* __wrap_##name parameters {                                             \
    return is_reported() ? tell(__real_##name arguments, bytes) : __real_##name arguments; \
  }

HEDDLE_ALLOCATOR(malloc, (Size size), (size), size)
HEDDLE_ALLOCATOR(calloc, (Size count, Size size), (count, size), count* size)
HEDDLE_ALLOCATOR(realloc, (void* block, Size size), (block, size), size)
HEDDLE_ALLOCATOR(memalign, (Size alignment, Size size), (alignment, size), size)
HEDDLE_ALLOCATOR(aligned_alloc, (Size alignment, Size size), (alignment, size), size)
HEDDLE_ALLOCATOR(valloc, (Size size), (size), size)
HEDDLE_ALLOCATOR(pvalloc, (Size size), (size), size)
// operator new and new[]; with std::nothrow; with an alignment; with both.
HEDDLE_OPERATOR(_Znwm, (Size size), (size))
HEDDLE_OPERATOR(_Znam, (Size size), (size))
HEDDLE_OPERATOR(_ZnwmRKSt9nothrow_t, (Size size, const void* tag), (size, tag))
HEDDLE_OPERATOR(_ZnamRKSt9nothrow_t, (Size size, const void* tag), (size, tag))
HEDDLE_OPERATOR(_ZnwmSt11align_val_t, (Size size, Size alignment), (size, alignment))
HEDDLE_OPERATOR(_ZnamSt11align_val_t, (Size size, Size alignment), (size, alignment))
HEDDLE_OPERATOR(_ZnwmSt11align_val_tRKSt9nothrow_t, (Size size, Size alignment, const void* tag),
                (size, alignment, tag))
HEDDLE_OPERATOR(_ZnamSt11align_val_tRKSt9nothrow_t, (Size size, Size alignment, const void* tag),
                (size, alignment, tag))

HEDDLE_REAL int __real_posix_memalign(void** block, Size alignment, Size size);
HEDDLE_WRAP int __wrap_posix_memalign(void** block, Size alignment, Size size) {
  if (!is_reported()) return __real_posix_memalign(block, alignment, size);
  const int error = __real_posix_memalign(block, alignment, size);
  if (error == 0) tell(*block, size);
  return error;
}
