// The loops of restore_pages.h with vectors of 32 bytes.
#include <immintrin.h>

#pragma GCC target("avx2")
#include "runtime/snapshot/restore_loops.h"

namespace heddle::runtime {
namespace {

struct Vector {
  using Type = __m256i;
  [[gnu::always_inline]] static bool is_zero(Type bits) { return _mm256_testz_si256(bits, bits) != 0; }
};

}  // namespace

constinit const RestoreLoops by_avx2 = Loops<Vector>::all();

}  // namespace heddle::runtime
