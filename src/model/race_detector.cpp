// See race_detector.h.
#include "model/race_detector.h"

#include <new>

namespace heddle::model {
namespace {

constexpr std::uint8_t bytes_of(std::uint64_t word) { return static_cast<std::uint8_t>(word >> 32); }
constexpr std::uint8_t flags_of(std::uint64_t word) { return static_cast<std::uint8_t>(word >> 40); }
constexpr TaskId task_of(std::uint64_t word) { return static_cast<TaskId>(word >> 48); }
constexpr Epoch epoch_of(std::uint64_t word) { return static_cast<Epoch>(word); }

// Does every access that races with one of these flags race with one of those (by the same task, in order with it)?
constexpr bool stands_for(std::uint8_t flags, std::uint8_t other) {
  return ((flags & AccessFlags::Write) != 0 || (other & AccessFlags::Write) == 0) &&
         ((flags & AccessFlags::Atomic) == 0 || (other & AccessFlags::Atomic) != 0) &&
         ((flags & AccessFlags::Gone) != 0 || (other & AccessFlags::Gone) == 0);
}

constexpr bool conflict(std::uint8_t flags, std::uint8_t other) {
  return ((flags | other) & AccessFlags::Write) != 0 && (flags & other & AccessFlags::Atomic) == 0;
}

bool acquires(Order order) { return order == Order::Acquire || order == Order::AcquireRelease; }
bool releases(Order order) { return order == Order::Release || order == Order::AcquireRelease; }

}  // namespace

bool Shadow::make_room(Reserve reserve) {
  reserve_ = reserve;
  chunks_ = static_cast<Chunk**>(reserve(sizeof(void*) * kChunks));
  nodes_ = static_cast<Granule*>(reserve(sizeof(Granule) * kNodes));
  return chunks_ != nullptr && nodes_ != nullptr;
}

void Shadow::begin_execution(Epoch base) {
  stamp_ = base + 1;
  nodes_used_ = 0;
}

bool Shadow::is_touched(std::uint64_t address) const {
  const Chunk* const chunk = chunks_[address >> kChunkShift & (kChunks - 1)];
  return chunk != nullptr && chunk->touched[address % kChunkBytes / kPageBytes] == stamp_;
}

std::uint64_t Shadow::behind_untouched(std::uint64_t address) const {
  if (chunks_[address >> kChunkShift & (kChunks - 1)] == nullptr) return (address | (kChunkBytes - 1)) + 1;
  return is_touched(address) ? address : (address | (kPageBytes - 1)) + 1;
}

Shadow::Granule* Shadow::touch(std::uint64_t address) {
  Chunk*& chunk = chunks_[address >> kChunkShift & (kChunks - 1)];
  if (chunk == nullptr) chunk = static_cast<Chunk*>(reserve_(sizeof(Chunk)));
  if (chunk == nullptr) return nullptr;
  chunk->touched[address % kChunkBytes / kPageBytes] = stamp_;
  return &chunk->granules[address % kChunkBytes / kGranuleBytes];
}

Shadow::Granule* Shadow::append(Granule& last) {
  if (nodes_ == nullptr || nodes_used_ == kNodes) return nullptr;
  Granule& node = nodes_[nodes_used_++];
  node = Granule();
  add_to_more(last, nodes_used_);
  return &node;
}

// One access to one granule, compared with those that are there.
struct RaceDetector::Walk {
  std::uint64_t granule_address;
  std::uint64_t word;  // of the access
  Place place;
  std::uint8_t left;  // bytes that no present access stands for
  Granule* free_slots = nullptr;
  unsigned free_slot = 0;
  Granule* first = nullptr;
  Granule* last = nullptr;  // of the chain
};

RaceDetector* RaceDetector::create(Reserve reserve, Report report) {
  void* memory = reserve(sizeof(RaceDetector));
  if (memory == nullptr) return nullptr;
  auto* detector = new (memory) RaceDetector();
  detector->report_ = report;
  if (!detector->shadow_.make_room(reserve) || !detector->clocks_.make_room(reserve)) return nullptr;
  return detector;
}

bool RaceDetector::begin_execution() {
  if (!clocks_.begin_execution()) {
    exhausted_ = true;
    return false;
  }
  exhausted_ = false;
  shadow_.begin_execution(clocks_.base());
  switch_to(0);
  return true;
}

void RaceDetector::tell(const Walk& walk, std::uint64_t word, Place place) {
  const std::uint8_t common = bytes_of(word) & bytes_of(walk.word);
  const unsigned first = static_cast<unsigned>(__builtin_ctz(common));
  const auto describe = [&](std::uint64_t access, Place where) {
    RacingAccess racing;
    racing.task = task_of(access);
    racing.flags = flags_of(access);
    racing.size = static_cast<std::uint8_t>(__builtin_ctz(~(std::uint32_t{common} >> first)));
    racing.address = walk.granule_address + first;
    racing.place = where;
    return racing;
  };
  report_(
      {describe(word, place), describe(walk.word, walk.place), clocks_.knows(task_, task_of(word), epoch_of(word))});
}

void RaceDetector::compare(Walk& walk, Granule& slots, unsigned i) {
  std::uint64_t& word = slots.words[i];
  const std::uint8_t bytes = bytes_of(walk.word), common = bytes_of(word) & bytes;
  if (epoch_of(word) <= clocks_.base() || bytes_of(word) == 0) word = 0;
  if (word != 0 && common != 0) {
    const std::uint8_t flags = flags_of(walk.word);
    if ((flags_of(word) & AccessFlags::Gone) != 0 && (flags & AccessFlags::Freed) == 0) {
      tell(walk, word, slots.places[i]);  // and it stays
    } else if (!clocks_.knows(task_, task_of(word), epoch_of(word))) {
      if (conflict(flags_of(word), flags)) tell(walk, word, slots.places[i]);
    } else if (epoch_of(word) == epoch_of(walk.word) && stands_for(flags_of(word), flags)) {
      walk.left &= static_cast<std::uint8_t>(~common);
    } else if (stands_for(flags, flags_of(word))) {
      word &= ~(std::uint64_t{common} << kBytesShift);
      if (bytes_of(word) == 0) word = 0;
    }
  }
  if (word == 0 && walk.free_slots == nullptr) {
    walk.free_slots = &slots;
    walk.free_slot = i;
  }
}

void RaceDetector::insert(Walk& walk) {
  const std::uint64_t word = (walk.word & ~kAllBytes) | std::uint64_t{walk.left} << kBytesShift;
  Granule& first = *walk.first;
  for (unsigned i = 0; i < kSlots; ++i) {  // neighbouring bytes from the same place: one access
    if (((first.words[i] ^ word) & ~kAllBytes) != 0 || first.places[i] != walk.place) continue;
    first.words[i] |= word;
    return;
  }
  if (walk.free_slots == nullptr) {
    walk.free_slots = shadow_.append(*walk.last);
    walk.free_slot = 0;
    if (walk.free_slots == nullptr) {
      exhausted_ = true;
      return;
    }
  }
  Granule& free = *walk.free_slots;
  const unsigned slot = walk.free_slot;
  if (&free != &first) {  // the newest is looked at first
    free.words[slot] = first.words[kSlots - 1];
    free.places[slot] = first.places[kSlots - 1];
    first.words[kSlots - 1] = word;
    first.places[kSlots - 1] = walk.place;
    return;
  }
  free.words[slot] = word;
  free.places[slot] = walk.place;
}

// The most common case without a Walk: all that is there are the two slots of the granule, and there is room. False:
// nothing has been done but what note_in_chain() does in the same way once more.
bool RaceDetector::note_in_slots(Granule& granule, std::uint64_t word, Place place) {
  const Epoch base = clocks_.base();
  if (shadow_.next_of(granule) != nullptr) return false;
  if (epoch_of(granule.words[0]) <= base && epoch_of(granule.words[1]) <= base) {  // the first in this execution
    granule.words[0] = word;
    granule.words[1] = 0;
    granule.places[0] = place;
    return true;
  }
  const std::uint64_t bytes = word & kAllBytes;
  const std::uint8_t flags = flags_of(word);
  std::uint64_t left = bytes;
  unsigned free_slot = kSlots;
  for (unsigned i = kSlots; i-- > 0;) {
    std::uint64_t there = granule.words[i];
    if (epoch_of(there) > base) {
      if (const std::uint64_t common = there & bytes; common != 0) {
        if ((flags_of(there) & AccessFlags::Gone) != 0) return false;
        if (task_of(there) != task_ && !clocks_.knows(task_, task_of(there), epoch_of(there))) {
          if (conflict(flags_of(there), flags)) return false;  // a race, to be reported
        } else if (epoch_of(there) == epoch_of(word) && stands_for(flags_of(there), flags)) {
          left &= ~common;
        } else if (stands_for(flags, flags_of(there))) {
          there &= ~common;
          granule.words[i] = there;
        }
      }
      if ((there & kAllBytes) != 0) continue;
    }
    granule.words[i] = 0;
    free_slot = i;
  }
  if (left == 0) return true;
  const std::uint64_t wanted = (word & ~kAllBytes) | left;
  for (unsigned i = 0; i < kSlots; ++i) {  // neighbouring bytes from the same place: one access
    if (((granule.words[i] ^ wanted) & ~kAllBytes) != 0 || granule.places[i] != place) continue;
    granule.words[i] |= wanted;
    return true;
  }
  if (free_slot == kSlots) return false;
  granule.words[free_slot] = wanted;
  granule.places[free_slot] = place;
  return true;
}

void RaceDetector::note_in_chain(Granule& granule, std::uint64_t address, std::uint64_t word, Place place) {
  Walk walk{};
  walk.granule_address = address & ~std::uint64_t{kGranuleBytes - 1};
  walk.word = word;
  walk.place = place;
  walk.left = bytes_of(word);
  walk.first = &granule;
  for (Granule* slots = walk.first; slots != nullptr; slots = shadow_.next_of(*slots)) {
    walk.last = slots;
    for (unsigned i = 0; i < kSlots; ++i) compare(walk, *slots, i);
  }
  if (walk.left != 0) insert(walk);
}

// Bytes of one granule.
void RaceDetector::note(std::uint64_t address, std::uint8_t bytes, std::uint8_t flags, Place place) {
  if (__builtin_expect(exhausted_, 0)) return;
  const std::uint64_t word = (now_ & ~(kAllBytes | std::uint64_t{0xff} << kFlagsShift)) |
                             std::uint64_t{bytes} << kBytesShift | std::uint64_t{flags} << kFlagsShift;
  Granule* const granule = shadow_.touch(address);
  if (granule == nullptr) {
    exhausted_ = true;
    return;
  }
  if (!note_in_slots(*granule, word, place)) note_in_chain(*granule, address, word, place);
}

void RaceDetector::access(std::uint64_t address, std::uint64_t size, std::uint8_t flags, Place place) {
  const unsigned offset = address & (kGranuleBytes - 1);
  if (__builtin_expect(offset + size <= kGranuleBytes, 1))
    return note(address, static_cast<std::uint8_t>(((1u << size) - 1) << offset), flags, place);
  access_several(address, size, flags, place);
}

void RaceDetector::access_several(std::uint64_t address, std::uint64_t size, std::uint8_t flags, Place place) {
  while (size != 0) {
    const unsigned offset = address & (kGranuleBytes - 1);
    const std::uint64_t count = size < kGranuleBytes - offset ? size : kGranuleBytes - offset;
    note(address, static_cast<std::uint8_t>(((1u << count) - 1) << offset), flags, place);
    address += count;
    size -= count;
  }
}

void RaceDetector::free_block(std::uint64_t address, std::uint64_t size, Place place, bool gone) {
  const std::uint8_t flags = AccessFlags::Write | AccessFlags::Freed | (gone ? AccessFlags::Gone : 0);
  if (size < kLargeBlock) return access(address, size, flags, place);
  for (const std::uint64_t end = address + size; address < end;) {
    const std::uint64_t page_end = (address | (Shadow::kPageBytes - 1)) + 1, stop = page_end < end ? page_end : end;
    if (const std::uint64_t next = shadow_.behind_untouched(address); next != address) {
      address = next;
      continue;
    }
    access(address, stop - address, flags, place);
    address = stop;
  }
}

void RaceDetector::atomic(const AtomicStep& step) {
  const auto flags = static_cast<std::uint8_t>(AccessFlags::Atomic | (step.wrote ? AccessFlags::Write : 0));
  access(step.address, step.size, flags, step.place);
  if (step.wrote) note_published(step.address);
  const ClockKey key = key_of_address(step.address);
  if (step.reads && step.wrote && step.order == Order::AcquireRelease) {
    clocks_.acquire_and_release(task_, key);
    return switch_to(task_);
  }
  if (step.reads) {
    if (acquires(step.order))
      clocks_.acquire(task_, key);
    else
      clocks_.acquire_at_fence(task_, key);
  }
  if (step.wrote) {
    // What is written by an update belongs to the release sequence of what it has read: others' releases stay.
    if (releases(step.order))
      step.reads ? clocks_.release(task_, key) : clocks_.replace(task_, key);
    else
      step.reads ? clocks_.release_at_fence(task_, key) : clocks_.replace_at_fence(task_, key);
  }
  switch_to(task_);
}

void RaceDetector::fence(Order order) {
  if (acquires(order)) clocks_.acquire_fence(task_);
  if (releases(order)) clocks_.release_fence(task_);
  switch_to(task_);
}

void RaceDetector::note_published(std::uint64_t address) {
  if (Granule* const granule = shadow_.touch(address); granule != nullptr)
    shadow_.publish(*granule, address % kGranuleBytes);
  else
    exhausted_ = true;
}

void RaceDetector::forget_published(Granule& granule, std::uint64_t address, std::uint8_t bytes) {
  const std::uint64_t first = address & ~std::uint64_t{kGranuleBytes - 1};
  for (unsigned published = shadow_.published(granule) & bytes; published != 0; published &= published - 1) {
    const std::uint64_t at = first + static_cast<unsigned>(__builtin_ctz(published));
    clocks_.forget(key_of_address(at));
    clocks_.forget(key_of_annotation(at));
  }
  Shadow::forget_published(granule, bytes);
}

void RaceDetector::forget(std::uint64_t address, std::uint64_t size) {
  const std::uint64_t end = address + size;
  while (address < end) {
    const std::uint64_t page_end = (address | (Shadow::kPageBytes - 1)) + 1, stop = page_end < end ? page_end : end;
    if (const std::uint64_t next = shadow_.behind_untouched(address); next != address) {
      address = next;
      continue;
    }
    while (address < stop) {
      const unsigned offset = address & (kGranuleBytes - 1);
      const std::uint64_t count = stop - address < kGranuleBytes - offset ? stop - address : kGranuleBytes - offset;
      const auto bytes = static_cast<std::uint8_t>(((1u << count) - 1) << offset);
      Granule& first = *shadow_.find(address);
      forget_published(first, address, bytes);
      for (Granule* slots = &first; slots != nullptr; slots = shadow_.next_of(*slots))
        for (std::uint64_t& word : slots->words) word &= ~(std::uint64_t{bytes} << kBytesShift);
      address += count;
    }
  }
}

}  // namespace heddle::model
