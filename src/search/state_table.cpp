// See state_table.h.
#include "search/state_table.h"

#include <algorithm>
#include <bit>

#include "protocol/mix.h"

namespace heddle {
namespace {

constexpr std::size_t kFirstEntries = 1u << 10;

}  // namespace

StateTable::StateTable(std::size_t most_entries)
    : entries_(std::min(kFirstEntries, std::bit_floor(std::max(most_entries, kProbes)))),
      mask_(entries_.size() - 1),
      most_entries_(most_entries) {}

// Tasks beyond those that have a bit of their own share it, and are told apart by the key.
StateTable::Key StateTable::key_of(const GraphHash& state, TaskId last) {
  Key key{state.a, static_cast<std::uint32_t>(state.b) & 0xffffffu, kAnyoneBit};
  if (last == kAnyone) return key;
  key.bit = 2u << (last % kTaskBits);
  const std::uint64_t rest = last / kTaskBits;
  if (rest != 0) key.low ^= rest * kGoldenRatio;
  return key;
}

const StateTable::Entry* StateTable::find(const Key& key) const {
  for (std::size_t probe = 0, slot = slot_of(key.low); probe < kProbes; ++probe, slot = (slot + 1) & mask_) {
    const Entry& entry = entries_[slot];
    if (entry.last == 0) return nullptr;
    if (entry.low == key.low && entry.high() == key.high) return &entry;
  }
  return nullptr;
}

bool StateTable::known(const GraphHash& state, TaskId last, unsigned preemptions) const {
  const Key key = key_of(state, last);
  const Entry* entry = find(key);
  return entry != nullptr && entry->covers(key.bit, preemptions);
}

bool StateTable::add(const GraphHash& state, TaskId last, unsigned preemptions) {
  if (preemptions > kMaxPreemptions) return true;  // such states are not noted
  const Key key = key_of(state, last);
  Entry& entry = place_for(key);
  const bool same = entry.last != 0 && entry.low == key.low && entry.high() == key.high;
  if (same && entry.covers(key.bit, preemptions)) return false;
  if (same && entry.preemptions() == preemptions) {
    entry.last |= key.bit;
    return true;
  }
  if (entry.last == 0) ++size_;
  entry = {key.low, key.high | static_cast<std::uint32_t>(preemptions) << 24, key.bit};
  return true;
}

// Its own entry, an empty one, or one to be replaced.
StateTable::Entry& StateTable::place_for(const Key& key) {
  if (size_ * 2 >= entries_.size() && entries_.size() * 2 <= most_entries_) grow();
  for (;;) {
    std::size_t slot = slot_of(key.low);
    for (std::size_t probe = 0; probe < kProbes; ++probe, slot = (slot + 1) & mask_) {
      Entry& entry = entries_[slot];
      if (entry.last == 0 || (entry.low == key.low && entry.high() == key.high)) return entry;
    }
    if (entries_.size() * 2 > most_entries_) break;
    grow();
  }
  return entries_[(slot_of(key.low) + key.high % kProbes) & mask_];
}

void StateTable::grow() {
  LargeVector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  mask_ = entries_.size() - 1;
  size_ = 0;
  for (const Entry& entry : old) {
    if (entry.last == 0) continue;
    Entry& place = place_for({entry.low, entry.high(), entry.last});  // may grow once more
    size_ += place.last == 0 ? 1 : 0;
    place = entry;
  }
}

}  // namespace heddle
