// The loops of restore_pages.h for one kind of vectors. Before it includes this, a file names its processor (#pragma
// GCC target) and defines `Vector`: its type, and whether all of its bits are zero.
#pragma once

#include <cstddef>

#include "runtime/snapshot/pieces.h"

namespace heddle::runtime {

struct RestoreLoops {
  void (*restore)(void* page, const void* saved, PagePieces zero);
  PagePieces (*keep_different)(const void* page, const void* saved, PagePieces zero, char*& kept);
  void (*restore_kept)(void* page, const void* saved, PagePieces zero, PagePieces different, const char*& kept);
  void (*copy)(void* to, const void* from, std::size_t bytes);
};
extern const RestoreLoops by_words, by_avx2;

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

  [[gnu::always_inline]] static void restore_pieces(void* page, const void* saved, unsigned zero, unsigned others) {
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

  static void restore(void* page, const void* saved, PagePieces zero) {
    restore_pieces(page, saved, zero, static_cast<PagePieces>(~zero));
  }

  static void restore_kept(void* page, const void* saved, PagePieces zero, PagePieces different, const char*& kept) {
    restore_pieces(page, saved, zero & ~unsigned{different}, static_cast<PagePieces>(~(zero | different)));
    for (unsigned rest = different; rest != 0; rest &= rest - 1, kept += kPieceBytes) {
      Type* const piece = piece_of(page, rest);
      copy(piece, reinterpret_cast<const Type*>(kept));  // mostly it is written in each execution
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

  // At least 64 bytes. Both lie alike in their lines: so all but the ends is aligned on both sides, and the ends may be
  // copied twice.
  static void copy_bytes(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t kLine = 64, kInLine = kLine / sizeof(Type);
    const auto copy_line = [&](std::size_t at) {
      __builtin_memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, kLine);
    };
    copy_line(0);
    const std::size_t first = kLine - reinterpret_cast<std::uintptr_t>(to) % kLine;
    auto* piece = reinterpret_cast<Type*>(static_cast<char*>(to) + first);
    const auto* source = reinterpret_cast<const Type*>(static_cast<const char*>(from) + first);
    for (std::size_t lines = (bytes - first) / kLine; lines != 0; --lines, piece += kInLine, source += kInLine)
      for (std::size_t i = 0; i < kInLine; ++i) piece[i] = source[i];
    copy_line(bytes - kLine);
  }

  static constexpr RestoreLoops all() { return {restore, keep_different, restore_kept, copy_bytes}; }
};

}  // namespace
}  // namespace heddle::runtime
