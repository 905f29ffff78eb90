// See put_back.h.
#include "runtime/isolation/put_back.h"

#include <cpuid.h>
#include <immintrin.h>

#include <cstddef>

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kPiece = 256;
constexpr unsigned kPieces = kPageBytes / kPiece;
static_assert(kPieces == 8 * sizeof(ZeroPieces));
constexpr int kVectors = kPiece / sizeof(__m256i);

[[gnu::target("avx2"), gnu::always_inline]] inline void clear_piece(__m256i* piece) {
  __m256i bits = piece[0];
  for (int i = 1; i < kVectors; ++i) bits |= piece[i];
  if (__builtin_expect(_mm256_testz_si256(bits, bits), 1)) return;
  for (int i = 0; i < kVectors; ++i) piece[i] = _mm256_setzero_si256();
}

[[gnu::target("avx2"), gnu::always_inline]] inline void copy_piece(__m256i* piece, const __m256i* saved) {
  __m256i bits = _mm256_setzero_si256();
  for (int i = 0; i < kVectors; ++i) bits |= piece[i] ^ saved[i];
  if (__builtin_expect(_mm256_testz_si256(bits, bits), 1)) return;
  for (int i = 0; i < kVectors; ++i) piece[i] = saved[i];
}

// Of the first of these pieces.
std::ptrdiff_t first_vector(unsigned pieces) { return std::ptrdiff_t{kVectors} * __builtin_ctz(pieces); }

[[gnu::target("avx2")]] void put_back_by_vectors(void* page, const void* saved, ZeroPieces zero) {
  auto* const to = static_cast<__m256i*>(page);
  const auto* const from = static_cast<const __m256i*>(saved);
  for (unsigned rest = zero; rest != 0; rest &= rest - 1) clear_piece(to + first_vector(rest));
  for (unsigned rest = static_cast<ZeroPieces>(~zero); rest != 0; rest &= rest - 1) {
    const std::ptrdiff_t at = first_vector(rest);
    copy_piece(to + at, from + at);
  }
}

// Does the processor have AVX2, and does the kernel keep its registers?
bool has_vectors() {
  constexpr unsigned kOsxsave = 1u << 27, kAvx2 = 1u << 5, kKept = 6;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsxsave) == 0) return false;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & kKept) != kKept) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kAvx2) != 0;
}

enum class Method : std::uint8_t { Unknown, Vectors, Bytes };
HEDDLE_PERMANENT Method method = Method::Unknown;

}  // namespace

ZeroPieces zero_pieces(const void* page) {
  unsigned zero = 0;
  const auto* words = static_cast<const std::uint64_t*>(page);
  for (unsigned piece = 0; piece < kPieces; ++piece) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kPiece / sizeof *words; ++i) bits |= *words++;
    zero |= (bits == 0 ? 1u : 0u) << piece;
  }
  return static_cast<ZeroPieces>(zero);
}

void put_back_page(void* page, const void* saved, ZeroPieces zero) {
  if (__builtin_expect(method == Method::Unknown, 0)) method = has_vectors() ? Method::Vectors : Method::Bytes;
  if (method == Method::Vectors) return put_back_by_vectors(page, saved, zero);
  std::size_t bytes = kPageBytes;
  __asm__ volatile("rep movsb" : "+D"(page), "+S"(saved), "+c"(bytes) : : "memory");
}

}  // namespace heddle::runtime
