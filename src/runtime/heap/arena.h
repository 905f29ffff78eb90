// The region of a heap: how far it is used, and how far it was ever touched. This record stands at the region's begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/shared.h"

namespace heddle::runtime {

// Gives the pages of a range back to the kernel, so that they read as zero; false: it was not done. Whole pages only.
using PageRelease = bool (*)(void* begin, std::size_t bytes);

class Arena {
 public:
  static constexpr std::size_t kReleaseBytes = std::size_t{8} << 20;  // so much free memory in one piece is given back

  void create(std::size_t bytes, std::size_t used_bytes, PageRelease release);

  // Offsets are in units of 16 bytes.
  char* address(std::uint64_t offset_units) const;
  std::uint32_t offset_of(const void* place) const;
  const char* begin() const { return reinterpret_cast<const char*>(this); }
  const char* end() const { return end_; }
  char* top() const { return top_; }                // all blocks lie before it
  char* high_water() const { return high_water_; }  // all memory from here on is zero
  std::size_t bytes() const { return static_cast<std::size_t>(end_ - begin()); }
  std::size_t bytes_above_top() const { return static_cast<std::size_t>(end_ - top_); }

  // What lies below the high water was used before, and is filled.
  void raise_top(char* top);
  // Nothing from here on is in use; the first `kept` bytes of it stay as they are.
  void lower_top(char* top, std::size_t kept);
  // Whole pages between the two places.
  bool release_pages(char* begin, char* end);
  void zero(char* begin, char* end);
  // What memory holds that was used and is given out again; Fill::Left to begin with.
  void set_fill(Fill fill) { fill_ = fill; }
  bool leaves_freed() const { return fill_ == Fill::Left; }
  void fill(void* begin, const void* end) const;
  // All above the top is zero from now on.
  void forget_above_top();

 private:
  char* end_;
  char* top_;
  char* high_water_;
  PageRelease release_;
  Fill fill_;
};

}  // namespace heddle::runtime
