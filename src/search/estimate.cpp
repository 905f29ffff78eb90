// See estimate.h.
#include "search/estimate.h"

#include <algorithm>

namespace heddle {

void EstimateHistory::note(std::uint64_t done, int bound, double total, double spread) {
  if (bound != bound_) {
    bound_ = bound;
    begun_at_ = done;
    samples_.clear();
  }
  last_ = {done, total, spread};
  if (total <= 0 || done < begun_at_ + kFirst) return;
  if (samples_.empty() || done - begun_at_ >= (samples_.back().done - begun_at_) * 17 / 16 + 1)
    samples_.push_back(last_);
}

std::optional<Estimate> EstimateHistory::estimate() const {
  if (samples_.empty() || last_.total <= 0) return {};
  double low = last_.total / last_.spread, high = last_.total * last_.spread;
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {
    if ((sample->done - begun_at_) * 2 < last_.done - begun_at_) break;
    low = std::min(low, sample->total);
    high = std::max(high, sample->total);
  }
  const double margin = last_.total / 8;
  const auto done = static_cast<double>(last_.done);
  const auto whole = [&](double number) { return static_cast<std::uint64_t>(std::max(number, done)); };
  return Estimate{whole(last_.total), whole(low - margin), whole(high + margin)};
}

}  // namespace heddle
