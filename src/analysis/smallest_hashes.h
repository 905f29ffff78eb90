// How many different hashes there are, from the smallest of them. Sets that were made apart can be put together, in any
// order and any number of times, and the answer is that of all hashes in one set.
//
// Source: Bar-Yossef, Jayram, Kumar, Sivakumar, Trevisan, Counting distinct elements in a data stream, RANDOM 2002,
// algorithm 1: where the k smallest of n hashes reach up to the part x of their range, n is about (k - 1) / x. Up to k
// of them it is exact. The standard error is about 1 / sqrt(k): 1.6 % of k = 4096.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace heddle {

class SmallestHashes {
 public:
  static constexpr std::size_t kMost = 4096;

  void add(std::uint64_t hash) {
    added_.push_back(hash);
    if (added_.size() >= 2 * kMost) settle();
  }
  void add(const SmallestHashes& others) {
    for (const std::uint64_t hash : others.hashes()) add(hash);
  }
  // Ascending, each once.
  const std::vector<std::uint64_t>& hashes() const {
    settle();
    return added_;
  }
  // Is count() exact?
  bool exact() const { return hashes().size() < kMost; }
  std::uint64_t count() const {
    if (exact()) return added_.size();
    const double part =
        static_cast<double>(added_.back()) / static_cast<double>(std::numeric_limits<std::uint64_t>::max());
    return static_cast<std::uint64_t>(static_cast<double>(kMost - 1) / part);
  }

 private:
  void settle() const {
    std::sort(added_.begin(), added_.end());
    added_.erase(std::unique(added_.begin(), added_.end()), added_.end());
    if (added_.size() > kMost) added_.resize(kMost);
  }
  mutable std::vector<std::uint64_t> added_;  // ascending and at most kMost of them, once settled
};

}  // namespace heddle
