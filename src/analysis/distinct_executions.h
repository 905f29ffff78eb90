// How many executions were different, up to the order of independent steps (happens_before.h). It is a header of its
// own because its table takes long to compile.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "analysis/graph_hash.h"
#include "analysis/smallest_hashes.h"
#include "trace/large_pages.h"

namespace heddle {

// Counts different hashes, in bounded memory (about 60 MB): when it is full, new ones are no longer counted.
class DistinctExecutions {
 public:
  // The memory where a hash belongs is mostly in no cache: it is fetched, and the hash put there the next time.
  void add(const GraphHash& hash) {
    settle();
    latest_ = hash;
    seen_.prefetch(hash);
  }
  std::uint64_t count() const {
    settle();
    return seen_.size();
  }
  SmallestHashes smallest() const {
    settle();
    SmallestHashes result;
    for (const GraphHash& hash : seen_) result.add(hash.a);
    return result;
  }
  // There were more.
  bool full() const {
    settle();
    return full_;
  }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    self.settle();
    archive(self.seen_, self.full_);
  }

 private:
  static constexpr std::size_t kMax = (std::size_t{1} << 21) / 8 * 7 - 1;  // one more, and the table would double
  struct Mixed {
    std::size_t operator()(const GraphHash& hash) const { return hash.a; }
  };
  void settle() const {
    if (!latest_) return;
    if (seen_.size() < kMax) {
      seen_.insert(*latest_);
    } else {
      full_ = full_ || !seen_.contains(*latest_);
    }
    latest_.reset();
  }

  mutable absl::flat_hash_set<GraphHash, Mixed, std::equal_to<>, LargePages<GraphHash>> seen_;
  mutable bool full_ = false;
  mutable std::optional<GraphHash> latest_;  // not yet among them
};

}  // namespace heddle
