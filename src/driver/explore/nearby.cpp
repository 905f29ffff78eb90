// See nearby.h.
#include "driver/explore/nearby.h"

#include <utility>

namespace heddle {

Nearby::Nearby(Deltas deltas, std::uint32_t steps) : deltas_(std::move(deltas)), steps_(steps) {}

std::optional<Deltas> Nearby::next() {
  if (deltas_.empty()) return {};
  for (;;) {
    if (next_ == ring_.size()) {
      if (distance_ == kFarthest) return {};
      advance();
    }
    if (auto deltas = moved(ring_[next_++])) return deltas;
  }
}

void Nearby::advance() {
  ++distance_;
  ring_.clear();
  next_ = 0;
  for (std::size_t one = 0; one < deltas_.size(); ++one) {
    ring_.push_back({{one, distance_}});
    ring_.push_back({{one, -distance_}});
    for (std::size_t other = one + 1; other < deltas_.size(); ++other)
      for (std::int64_t by = 1; by < distance_; ++by)
        for (const int sign : {1, -1})
          for (const int other_sign : {1, -1})
            ring_.push_back({{one, sign * by}, {other, other_sign * (distance_ - by)}});
  }
}

// Nothing: deltas would come together, or beyond the ends.
std::optional<Deltas> Nearby::moved(const std::vector<Move>& moves) const {
  Deltas result = deltas_;
  std::int64_t by = 0, before = -1;
  std::size_t next = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (next < moves.size() && moves[next].which == i) by += moves[next++].by;
    const std::int64_t step = result[i].step + by;
    if (step <= before || step >= steps_) return {};
    before = step;
    result[i].step = static_cast<std::uint32_t>(step);
  }
  return result;
}

}  // namespace heddle
