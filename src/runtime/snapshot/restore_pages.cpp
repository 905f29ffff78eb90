// See restore_pages.h.
#include "runtime/snapshot/restore_pages.h"

#include <cpuid.h>

#include "runtime/snapshot/restore_loops.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

struct Word {
  using Type = std::uint64_t;
  static bool is_zero(Type bits) { return bits == 0; }
};

std::uint64_t kept_registers() {  // by the kernel, at a switch
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | std::uint64_t{high} << 32;
}

RestoreMethod find_best() {
  constexpr unsigned kOsxsave = 1u << 27, kAvx2 = 1u << 5;
  constexpr std::uint64_t kAvxKept = 0x6;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsxsave) == 0) return RestoreMethod::Words;
  if ((kept_registers() & kAvxKept) != kAvxKept || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0)
    return RestoreMethod::Words;
  return (b & kAvx2) != 0 ? RestoreMethod::Avx2 : RestoreMethod::Words;
}

struct PermanentLoops {
  const RestoreLoops* chosen = nullptr;
};
HEDDLE_PERMANENT constinit PermanentLoops permanent_loops{};

[[gnu::noinline, gnu::cold]] void find_loops() { use_restore_method(best_restore_method()); }

const RestoreLoops& best_loops() {
  if (__builtin_expect(permanent_loops.chosen == nullptr, 0)) find_loops();
  return *permanent_loops.chosen;
}

}  // namespace

constinit const RestoreLoops by_words = Loops<Word>::all();

RestoreMethod best_restore_method() { return find_best(); }

void use_restore_method(RestoreMethod method) {
  switch (method) {
    case RestoreMethod::Words:
      permanent_loops.chosen = &by_words;
      break;
    case RestoreMethod::Avx2:
      permanent_loops.chosen = &by_avx2;
      break;
  }
}

PagePieces zero_pieces(const void* page) {
  constexpr unsigned kPieces = kPageBytes / kPieceBytes;
  static_assert(kPieces == 8 * sizeof(PagePieces));
  unsigned zero = 0;
  const auto* words = static_cast<const std::uint64_t*>(page);
  for (unsigned piece = 0; piece < kPieces; ++piece) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kPieceBytes / sizeof *words; ++i) bits |= *words++;
    zero |= (bits == 0 ? 1u : 0u) << piece;
  }
  return static_cast<PagePieces>(zero);
}

void restore_page(void* page, const void* saved, PagePieces zero) { best_loops().restore(page, saved, zero); }

PagePieces keep_different(const void* page, const void* saved, PagePieces zero, char*& kept) {
  return best_loops().keep_different(page, saved, zero, kept);
}

void restore_kept(void* page, const void* saved, PagePieces zero, PagePieces different, const char*& kept) {
  best_loops().restore_kept(page, saved, zero, different, kept);
}

void copy_alike(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kMin = 64;
  if (__builtin_expect(bytes < kMin, 0))
    __builtin_memcpy(to, from, bytes);
  else
    best_loops().copy(to, from, bytes);
}

}  // namespace heddle::runtime
