// The loops of put_back.h with vectors of 64 bytes: half as many loads, and the first level cache is what they wait
// for.
#include <immintrin.h>

#pragma GCC target("avx512f")
#include "runtime/isolation/put_back_loops.h"

namespace heddle::runtime {
namespace {

struct Vector {
  using Type = __m512i;
  [[gnu::always_inline]] static bool is_zero(Type bits) { return _mm512_test_epi64_mask(bits, bits) == 0; }
};

}  // namespace

constinit const PutBackLoops by_avx512 = Loops<Vector>::all();

}  // namespace heddle::runtime
