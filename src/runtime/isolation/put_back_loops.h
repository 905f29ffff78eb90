// The loops of put_back.h for one kind of vectors. Each file that includes this names the processor that it is for
// before (#pragma GCC target), and gives `Vector`: its type, and whether all of its bits are zero.
#pragma once

#include <cstddef>

#include "runtime/isolation/put_back.h"

namespace heddle::runtime {

// What works on whole pages.
struct PageLoops {
  void (*put_back)(void* page, const void* saved, PagePieces zero);
  PagePieces (*keep_different)(const void* page, const void* saved, PagePieces zero, char*& kept);
  void (*put_back_kept)(void* page, const void* saved, PagePieces zero, PagePieces different, const char*& kept);
};
extern const PageLoops by_words, by_avx2, by_avx512;

namespace {

template <typename Vector>
struct Loops {
  using Type = typename Vector::Type;
  static constexpr int kVectors = kPieceBytes / sizeof(Type);

  [[gnu::always_inline]] static Type* piece_of(void* page, unsigned pieces) {
    return static_cast<Type*>(page) + std::ptrdiff_t{kVectors} * __builtin_ctz(pieces);
  }
  [[gnu::always_inline]] static const Type* piece_of(const void* page, unsigned pieces) {
    return static_cast<const Type*>(page) + std::ptrdiff_t{kVectors} * __builtin_ctz(pieces);
  }

  [[gnu::always_inline]] static bool is_zero(const Type* piece) {
    Type bits = piece[0];
    for (int i = 1; i < kVectors; ++i) bits |= piece[i];
    return Vector::is_zero(bits);
  }
  [[gnu::always_inline]] static bool are_equal(const Type* piece, const Type* saved) {
    Type bits = piece[0] ^ saved[0];
    for (int i = 1; i < kVectors; ++i) bits |= piece[i] ^ saved[i];
    return Vector::is_zero(bits);
  }
  [[gnu::always_inline]] static void copy(Type* piece, const Type* from) {
    for (int i = 0; i < kVectors; ++i) piece[i] = from[i];
  }
  [[gnu::always_inline]] static void clear(Type* piece) {
    for (int i = 0; i < kVectors; ++i) piece[i] = Type{};
  }

  [[gnu::always_inline]] static void put_back_pieces(void* page, const void* saved, unsigned zero, unsigned others) {
    for (; zero != 0; zero &= zero - 1) {
      Type* const piece = piece_of(page, zero);
      if (__builtin_expect(!is_zero(piece), 0)) clear(piece);
    }
    for (; others != 0; others &= others - 1) {
      Type* const piece = piece_of(page, others);
      const Type* const from = piece_of(saved, others);
      if (__builtin_expect(!are_equal(piece, from), 0)) copy(piece, from);
    }
  }

  static void put_back(void* page, const void* saved, PagePieces zero) {
    put_back_pieces(page, saved, zero, static_cast<PagePieces>(~zero));
  }

  static void put_back_kept(void* page, const void* saved, PagePieces zero, PagePieces different, const char*& kept) {
    put_back_pieces(page, saved, zero & ~unsigned{different}, static_cast<PagePieces>(~(zero | different)));
    for (unsigned rest = different; rest != 0; rest &= rest - 1, kept += kPieceBytes) {
      Type* const piece = piece_of(page, rest);
      const auto* const from = reinterpret_cast<const Type*>(kept);
      if (!are_equal(piece, from)) copy(piece, from);
    }
  }

  static PagePieces keep_different(const void* page, const void* saved, PagePieces zero, char*& kept) {
    unsigned different = 0;
    for (unsigned rest = 0xffff; rest != 0; rest &= rest - 1) {
      const unsigned bit = rest & (0 - rest);
      const Type* const piece = piece_of(page, rest);
      if ((zero & bit) != 0 ? is_zero(piece) : are_equal(piece, piece_of(saved, rest))) continue;
      copy(reinterpret_cast<Type*>(kept), piece);
      kept += kPieceBytes;
      different |= bit;
    }
    return static_cast<PagePieces>(different);
  }

  static constexpr PageLoops all() { return {put_back, keep_different, put_back_kept}; }
};

}  // namespace
}  // namespace heddle::runtime
