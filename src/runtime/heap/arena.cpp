// See arena.h.
#include "runtime/heap/arena.h"

#include <cstring>

#include "runtime/heap/layout.h"

namespace heddle::runtime {

void Arena::create(std::size_t bytes, std::size_t used_bytes, PageRelease release) {
  end_ = address(0) + bytes / kPage * kPage;
  top_ = high_water_ = address(0) + used_bytes;
  release_ = release;
}

char* Arena::address(std::uint64_t offset_units) const {
  return reinterpret_cast<char*>(const_cast<Arena*>(this)) + offset_units * kUnit;
}

std::uint32_t Arena::offset_of(const void* place) const {
  return static_cast<std::uint32_t>((static_cast<const char*>(place) - reinterpret_cast<const char*>(this)) / kUnit);
}

void Arena::raise_top(char* top) {
  if (top_ < high_water_) fill(top_, top < high_water_ ? top : high_water_);
  top_ = top;
  if (top_ > high_water_) high_water_ = top_;
}

void Arena::lower_top(char* top, std::size_t kept) {
  top_ = top;
  if (static_cast<std::size_t>(high_water_ - top_) < kReleaseBytes) return;
  char* rest = page_up(top + kept);
  if (release_pages(rest, page_up(high_water_))) high_water_ = rest;
}

void Arena::fill(void* begin, const void* end) const {
  if (__builtin_expect(fill_ == Fill::Left, 1)) return;
  const auto bytes = static_cast<std::size_t>(static_cast<const char*>(end) - static_cast<char*>(begin));
  std::memset(begin, fill_ == Fill::Zero ? 0 : kJunk, bytes);
}

void Arena::forget_above_top() {
  zero(top_, high_water_);
  high_water_ = top_;
}

bool Arena::release_pages(char* begin, char* end) {
  begin = page_up(begin);
  end = page_down(end);
  // Pages that come back from the kernel are zero. So none are given back where blocks are to be filled.
  return release_ != nullptr && fill_ == Fill::Left && begin < end &&
         release_(begin, static_cast<std::size_t>(end - begin));
}

void Arena::zero(char* begin, char* end) {
  if (static_cast<std::size_t>(end - begin) >= kReleaseBytes && release_pages(begin, end)) {
    std::memset(begin, 0, static_cast<std::size_t>(page_up(begin) - begin));
    begin = page_down(end);
  }
  std::memset(begin, 0, static_cast<std::size_t>(end - begin));
}

}  // namespace heddle::runtime
