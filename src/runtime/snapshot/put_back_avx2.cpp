// The loops of put_back.h with vectors of 32 bytes.
#include <immintrin.h>

#pragma GCC target("avx2")
#include "runtime/snapshot/put_back_loops.h"

namespace heddle::runtime {
namespace {

struct Vector {
  using Type = __m256i;
  [[gnu::always_inline]] static bool is_zero(Type bits) { return _mm256_testz_si256(bits, bits) != 0; }
};

}  // namespace

constinit const PutBackLoops by_avx2 = Loops<Vector>::all();

}  // namespace heddle::runtime
