// The places that race (protocol/places.h), as addresses in this process: a set that every plain access looks into.
// Files that are loaded during an execution bring theirs with them; these are removed before the next execution, which
// may load others, or load them elsewhere. This header needs nothing of the runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/mix.h"
#include "protocol/places.h"

namespace heddle::runtime {

class PointSites {
 public:
  static constexpr std::uint32_t kSlots = 8192;  // a power of two
  // Twice as many as there are points, and more: where several files have one name, a point is a place in each.
  static constexpr std::uint32_t kMax = 4096;
  struct Memory {
    Site slots[kSlots];        // by their hash; the rest is 0
    std::uint16_t used[kMax];  // in the order in which they were filled
  };

  // `memory` is zeroed.
  void set_memory(Memory* memory) { memory_ = memory; }
  bool has_memory() const { return memory_ != nullptr; }
  std::uint32_t count() const { return count_; }

  bool contains(Site site) const {
    for (std::uint32_t slot = slot_of(site); memory_->slots[slot] != 0; slot = (slot + 1) % kSlots)
      if (memory_->slots[slot] == site) return true;
    return false;
  }

  // The points that lie in a file with this key (0: those that are addresses), which was loaded with this bias. False:
  // there are too many.
  bool add(const PointSet& points, std::uint64_t file, std::uint64_t base) {
    const std::uint32_t count = points.count < kMaxPoints ? points.count : kMaxPoints;
    for (std::uint32_t i = 0; i < count; ++i)
      if (points.points[i].file == file && !add(base + points.points[i].offset)) return false;
    return true;
  }

  // Takes out all but those that were added first.
  void keep(std::uint32_t count) {
    while (count_ > count) memory_->slots[memory_->used[--count_]] = 0;
  }

 private:
  static std::uint32_t slot_of(Site site) { return static_cast<std::uint32_t>(site * kGoldenRatio >> 51); }

  bool add(Site site) {
    std::uint32_t slot = slot_of(site);
    for (; memory_->slots[slot] != 0; slot = (slot + 1) % kSlots)
      if (memory_->slots[slot] == site) return true;
    if (count_ == kMax) return false;
    memory_->used[count_++] = static_cast<std::uint16_t>(slot);
    memory_->slots[slot] = site;
    return true;
  }

  Memory* memory_ = nullptr;
  std::uint32_t count_ = 0;
};

}  // namespace heddle::runtime
