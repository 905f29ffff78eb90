// The states that a bounded search has expanded, or is about to expand, so that none is expanded twice.
//
// A state is known by a hash of the steps that led to it and of their order (HappensBefore, Relation::Careful). What
// may still be spent below a bound depends on the preemptions spent so far and on the task that ran last: to go on with
// that task costs nothing, with another one it may cost a preemption. So a state is noted with the least number of
// preemptions that reached it, and with the tasks that had run last then. It need not be expanded again when it was
// noted
//   - with fewer preemptions, whoever ran last: what follows costs at most one more there
//   - with as many, and the same task ran last; or with any, where leaving the last one cost nothing
//
// An entry takes 16 bytes. The table grows to a limit; then new entries replace old ones. A replaced entry costs
// executions, but no schedule is lost.
#pragma once

#include <cstdint>

#include "analysis/graph_hash.h"
#include "protocol/operations.h"
#include "trace/large_pages.h"

namespace heddle {

class StateTable {
 public:
  // Who ran last, where it makes no difference.
  static constexpr TaskId kAnyone = kNoTask;

  explicit StateTable(std::size_t most_entries);

  bool known(const GraphHash& state, TaskId last, unsigned preemptions) const;
  // Notes it; false: it was known already.
  bool add(const GraphHash& state, TaskId last, unsigned preemptions);

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.entries_, self.mask_, self.size_);
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return entries_.size() * sizeof(Entry); }
  // Too large for the caches of the processor: what will be asked for is better fetched before.
  bool is_large() const { return bytes() > std::size_t{1} << 20; }
  void prefetch(const GraphHash& state) const { __builtin_prefetch(&entries_[slot_of(key_of(state, kAnyone).low)]); }

 private:
  struct Entry {
    std::uint64_t low = 0;
    std::uint32_t high_and_preemptions = 0;  // 24 bits of the hash; 8 of preemptions
    std::uint32_t last = 0;                  // a bit for each task that ran last then; 0: the entry is empty
    std::uint32_t high() const { return high_and_preemptions & 0xffffffu; }
    unsigned preemptions() const { return high_and_preemptions >> 24; }
    bool covers(std::uint32_t bits, unsigned others) const {
      return preemptions() < others || (preemptions() == others && (last & (bits | kAnyoneBit)) != 0);
    }
  };
  static_assert(sizeof(Entry) == 16);
  struct Key {
    std::uint64_t low;
    std::uint32_t high;
    std::uint32_t bit;
  };
  static constexpr std::uint32_t kAnyoneBit = 1;
  static constexpr std::uint32_t kTaskBits = 31;
  static constexpr unsigned kMaxPreemptions = 255;
  static constexpr std::size_t kProbes = 96;  // so many in a row are seldom taken as long as half are free

  static Key key_of(const GraphHash& state, TaskId last);
  std::size_t slot_of(std::uint64_t low) const { return (low >> 20) & mask_; }
  const Entry* find(const Key& key) const;
  Entry& place_for(const Key& key);
  void grow();

  LargeVector<Entry> entries_;
  std::size_t mask_;
  std::size_t size_ = 0;
  std::size_t most_entries_;
};

}  // namespace heddle
