// See fringe.h.
#include "search/fringe.h"

namespace heddle {

FringeEntry Bin::take() {
  constexpr std::size_t kWorthwhile = 1u << 16;  // entries that are gone: their memory is given back
  if (!stack.empty()) {
    const FringeEntry entry = stack.back();
    stack.pop_back();
    return entry;
  }
  const FringeEntry entry = queue[queue_taken++];
  const std::uint64_t now = run + outstanding;
  if (begun != 0) tree_sizes.add(static_cast<double>(now - run_before));
  run_before = now;
  ++begun;
  if (queue_taken == queue.size() || (queue_taken >= kWorthwhile && 2 * queue_taken >= queue.size())) {
    queue = LargeVector<FringeEntry>(queue.begin() + static_cast<std::ptrdiff_t>(queue_taken), queue.end());
    queue_taken = 0;
  }
  return entry;
}

}  // namespace heddle
