// See split_points.h.
#include "runtime/ring/split_points.h"

#include "protocol/assert.h"

namespace heddle::runtime {

void SplitPoints::push(std::uint32_t common) {
  HEDDLE_ASSERT(size() < kCapacity, "a plan is added only while there is room");
  Item added{common, 0, 0};
  for (std::uint64_t at = end_; at > first_;) {
    const std::uint64_t before = at == end_ ? 1 : item(at).to_most;
    if (before == 0 || before > at - first_) break;
    at -= before;
    if (item(at).common <= common) {
      added.to_most = static_cast<std::uint16_t>(end_ - at);
      break;
    }
    items_[at % kCapacity].to_less = static_cast<std::uint16_t>(end_ - at);
  }
  items_[end_ % kCapacity] = added;
  ++end_;
}

unsigned SplitPoints::find(std::uint32_t beyond, SplitPoint* split_points, unsigned capacity) const {
  constexpr std::uint32_t kAll = UINT32_MAX;  // the same plan again
  unsigned count = 0;
  for (std::uint64_t at = first_; at != end_ && count < capacity;) {
    const Item& here = item(at);
    if (here.common <= beyond) break;
    const std::uint64_t less = here.to_less == 0 ? end_ : at + here.to_less;
    if (here.common != kAll) split_points[count++] = {here.common, static_cast<std::uint32_t>(less - at)};
    at = less;
  }
  return count;
}

}  // namespace heddle::runtime
