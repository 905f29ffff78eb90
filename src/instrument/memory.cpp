// memcpy() and its family: the linker is told (--wrap) to send the module's calls here, which report the bytes that are
// read and written and then call libc's. Clang has names of its own for the same functions; they are here, too. Where
// the search may switch threads, the copy is made here, piece by piece.
#include "instrument/module.h"

using namespace heddle::instrument;

extern "C" {
__attribute__((visibility("default"))) void* __real_memcpy(void*, const void*, std::size_t);
__attribute__((visibility("default"))) void* __real_memmove(void*, const void*, std::size_t);
__attribute__((visibility("default"))) void* __real_memset(void*, int, std::size_t);
}

namespace {

// What may be seen half made is made of pieces as large as the processor's own, as a loop would; of what is larger than
// these, of halves: each piece costs two steps, and more schedules than anybody has time for.
constexpr std::size_t kPiece = 8, kMaxInPieces = 64;

// The index of Accesses::read for the largest size that is not more than this; not more than kPiece.
unsigned size_index(std::size_t size) { return size >= 8 ? 3 : size >= 4 ? 2 : size >= 2 ? 1 : 0; }

// A run of the bytes [0, size) in pieces, forwards or backwards.
class Pieces {
 public:
  Pieces(std::size_t size, bool backwards) : size_(size), backwards_(backwards) {}
  // False: that was all. The sizes are those of Accesses::read but for pieces of what is large.
  bool next(std::size_t& offset, std::size_t& length) {
    const std::size_t left = size_ - done_;
    if (left == 0) return false;
    if (size_ > kMaxInPieces)
      length = done_ == 0 ? (size_ / 2 + kPiece - 1) / kPiece * kPiece : left;
    else
      length = std::size_t{1} << size_index(left);
    offset = backwards_ ? left - length : done_;
    done_ += length;
    return true;
  }

 private:
  std::size_t size_, done_ = 0;
  bool backwards_;
};

void copy_piece(const Accesses& accesses, char* to, const char* from, std::size_t size, const void* caller) {
  if (size > kPiece) {
    accesses.read_range(from, size, caller);
    accesses.write_range(to, size, caller);
    __real_memmove(to, from, size);
    return;
  }
  std::uint64_t value = 0;
  accesses.read[size_index(size)](from, caller);
  __real_memcpy(&value, from, size);
  accesses.write[size_index(size)](to, caller);
  __real_memcpy(to, &value, size);
}

// True: it has made the copy. False: it has only reported it.
bool copies(void* to, const void* from, std::size_t size, const void* caller) {
  const Accesses* accesses = heddle_module.accesses;
  if (HEDDLE_LIKELY(accesses == nullptr)) return false;
  if (!accesses->is_point(caller)) {
    accesses->read_range(from, size, caller);
    accesses->write_range(to, size, caller);
    return false;
  }
  auto* const target = static_cast<char*>(to);
  const auto* const source = static_cast<const char*>(from);
  Pieces pieces(size, source < target && target < source + size);
  for (std::size_t offset = 0, length = 0; pieces.next(offset, length);)
    copy_piece(*accesses, target + offset, source + offset, length, caller);
  return true;
}

bool fills(void* to, int value, std::size_t size, const void* caller) {
  const Accesses* accesses = heddle_module.accesses;
  if (HEDDLE_LIKELY(accesses == nullptr)) return false;
  if (!accesses->is_point(caller)) {
    accesses->write_range(to, size, caller);
    return false;
  }
  Pieces pieces(size, false);
  for (std::size_t offset = 0, length = 0; pieces.next(offset, length);) {
    char* const piece = static_cast<char*>(to) + offset;
    if (length > kPiece)
      accesses->write_range(piece, length, caller);
    else
      accesses->write[size_index(length)](piece, caller);
    __real_memset(piece, value, length);
  }
  return true;
}

}  // namespace

HEDDLE_INSTRUMENT void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  return copies(to, from, size, HEDDLE_CALLED_FROM) ? to : __real_memcpy(to, from, size);
}

HEDDLE_INSTRUMENT void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  return copies(to, from, size, HEDDLE_CALLED_FROM) ? to : __real_memmove(to, from, size);
}

HEDDLE_INSTRUMENT void* __wrap_memset(void* to, int value, std::size_t size) {
  return fills(to, value, size, HEDDLE_CALLED_FROM) ? to : __real_memset(to, value, size);
}

HEDDLE_INSTRUMENT void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  return copies(to, from, size, HEDDLE_CALLED_FROM) ? to : __real_memcpy(to, from, size);
}

HEDDLE_INSTRUMENT void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  return copies(to, from, size, HEDDLE_CALLED_FROM) ? to : __real_memmove(to, from, size);
}

HEDDLE_INSTRUMENT void* __tsan_memset(void* to, int value, std::size_t size) {
  return fills(to, value, size, HEDDLE_CALLED_FROM) ? to : __real_memset(to, value, size);
}
