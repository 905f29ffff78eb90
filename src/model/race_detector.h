// Finds data races of the present execution: two accesses to one byte by different tasks, one of them a write, not both
// atomic, and nothing that orders them.
//
// It follows FastTrack (Flanagan and Freund, PLDI 2009): it keeps the last accesses to each byte, with the epochs of
// their tasks, and compares each new access with those. Unlike FastTrack it stays exact after the first race: an access
// replaces an earlier one only if the earlier one happened before it, and every later access that would race with the
// earlier one races with the new one as well. So each byte has at most four accesses per task (read or written, atomic
// or not), most often one or two in all. An access is found to race if and only if it races with an earlier one of this
// execution; at least one of the pairs is named. An access is skipped only if an earlier one of the same task stands
// for it, with no release between the two: what races with it also races with the earlier one.
//
// Shadow memory: for each 8 bytes of the program (a granule) 32 bytes with room for two accesses; further ones in nodes
// of the same size. So it takes 4 bytes for each byte in touched pages, and 2 to 4 times that where more than two
// accesses to one granule are alive; at most kNodes nodes. The leftovers of earlier executions are known by their
// epochs (vector_clocks.h), so a new execution costs nothing.
//
// Pure: no system calls. Memory comes from the caller's `reserve`. Single threaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/vector_clocks.h"
#include "protocol/page.h"

namespace heddle::model {

// What an access is named by: the caller's own number for the place in the code.
using Place = std::uint32_t;

struct AccessFlags {
  enum : std::uint8_t {
    Write = 1,
    Atomic = 2,
    Freed = 16,  // with Write: the block was given back
    Used = 32,   // with Atomic: a lock or the like that lies there was used
    // With Freed: until forget(), any access there is a fault, also by the same task or in an order that something
    // makes. Each is reported as a race with the one that gave the memory back.
    Gone = 64,
    Ended = 128  // for the caller: with Freed, a stack whose thread has ended
  };
};

struct RacingAccess {
  TaskId task = 0;
  std::uint8_t flags = 0;  // AccessFlags
  std::uint8_t size = 0;   // of the part in question
  std::uint64_t address = 0;
  Place place = 0;
};

struct FoundRace {
  RacingAccess earlier, later;
  bool ordered = false;  // the earlier one is Gone, and happened before the later one
};

enum class Order : std::uint8_t { Relaxed, Acquire, Release, AcquireRelease };

// The memory of the accesses, by granules. What an earlier execution left there is seen by the base of its epochs.
class Shadow {
 public:
  static constexpr unsigned kGranuleBytes = 8;
  static constexpr unsigned kPageBytes = heddle::kPageBytes;
  static constexpr unsigned kSlots = 2;

  // An access is a word: epoch (32 bits), bytes of the granule (8), flags (8), task (16). No bytes: there is none.
  static constexpr unsigned kBytesShift = 32, kFlagsShift = 40, kTaskShift = 48;
  static constexpr std::uint64_t kAllBytes = std::uint64_t{0xff} << kBytesShift;
  struct Granule {
    std::uint64_t words[kSlots];
    Place places[kSlots];
    std::uint32_t more;       // 24 bits: the next node, from 1 (0: none); 8 bits: bytes where something is published
    std::uint32_t more_base;  // these hold only if this is the present execution's base plus one
  };
  static_assert(sizeof(Granule) == 32);

  bool make_room(Reserve reserve);  // false: there is no address space
  void begin_execution(Epoch base);

  // Null: nothing there was ever touched.
  Granule* find(std::uint64_t address) const {
    Chunk* const chunk = chunks_[address >> kChunkShift & (kChunks - 1)];
    return chunk == nullptr ? nullptr : &chunk->granules[address % kChunkBytes / kGranuleBytes];
  }
  // In this execution, the page in which this address lies.
  bool is_touched(std::uint64_t address) const;
  // From this address on to the one returned nothing is touched; it is the address itself if its page is. Large blocks
  // may be reservations of terabytes.
  std::uint64_t behind_untouched(std::uint64_t address) const;
  // Marks its page as touched. Null: there is no more memory.
  Granule* touch(std::uint64_t address);

  // The chain of nodes behind a granule, for what has no room in it.
  Granule* next_of(const Granule& granule) {
    const std::uint32_t node = more_of(granule) & kNodeMask;
    return node != 0 ? &nodes_[node - 1] : nullptr;
  }
  Granule* append(Granule& last);  // null: there is no more memory

  // Bytes of the granule where something is published, as bits.
  unsigned published(const Granule& granule) const { return more_of(granule) >> kPublishedShift; }
  void publish(Granule& granule, unsigned byte) { add_to_more(granule, 1u << (kPublishedShift + byte)); }
  static void forget_published(Granule& granule, std::uint8_t bytes) {
    granule.more &= ~(std::uint32_t{bytes} << kPublishedShift);
  }

 private:
  static constexpr unsigned kChunkShift = 22;
  static constexpr std::size_t kChunkBytes = std::size_t{1} << kChunkShift;
  static constexpr std::size_t kChunks = std::size_t{1} << (47 - kChunkShift);
  static constexpr std::uint32_t kNodes = (1u << 24) - 1;  // 512 MB
  static constexpr std::uint32_t kNodeMask = kNodes;
  static constexpr unsigned kPublishedShift = 24;
  struct Chunk {
    Epoch touched[kChunkBytes / kPageBytes];  // the base plus one of the execution that last touched the page
    Granule granules[kChunkBytes / kGranuleBytes];
  };

  std::uint32_t more_of(const Granule& granule) const { return granule.more_base == stamp_ ? granule.more : 0; }
  void add_to_more(Granule& granule, std::uint32_t bits) {
    granule.more = more_of(granule) | bits;
    granule.more_base = stamp_;
  }

  Chunk** chunks_ = nullptr;
  Granule* nodes_ = nullptr;
  std::uint32_t nodes_used_ = 0;
  Epoch stamp_ = 1;  // the present execution's base plus one
  Reserve reserve_ = nullptr;
};

class RaceDetector {
 public:
  using Report = void (*)(const FoundRace& race);

  // Null: there is no address space.
  static RaceDetector* create(Reserve reserve, Report report);
  // All accesses and all synchronization are forgotten; task 0 runs. False: everything has been used up, for good.
  bool begin_execution();

  VectorClocks& clocks() { return clocks_; }
  // Whose accesses come next. Also when clocks of the present one have changed.
  void switch_to(TaskId task) {
    task_ = task;
    now_ = clocks_.epoch(task) | kAllBytes | std::uint64_t{AccessFlags::Write} << kFlagsShift |
           std::uint64_t{task} << kTaskShift;
  }

  // A plain access of 1, 2, 4 or 8 bytes by the present task: does one of the same epoch stand for it? If not, it is to
  // be noted by access().
  template <unsigned kSize, bool kWrite>
  bool covered(std::uint64_t address) const {
    const unsigned offset = address & (kGranuleBytes - 1);
    const Shadow::Granule* const granule = shadow_.find(address);
    if (__builtin_expect(granule == nullptr || offset + kSize > kGranuleBytes, 0)) return false;
    const std::uint64_t bytes = ((std::uint64_t{1} << kSize) - 1) << offset;
    // The same epoch, all of the bytes, not atomic, not gone, and a write if this is one.
    const unsigned flags =
        unsigned{AccessFlags::Atomic | AccessFlags::Gone} | (kWrite ? unsigned{AccessFlags::Write} : 0);
    const std::uint64_t compared = 0xffffffffu | bytes << kBytesShift | std::uint64_t{flags} << kFlagsShift;
    return ((granule->words[0] ^ now_) & compared) == 0 || ((granule->words[1] ^ now_) & compared) == 0;
  }
  // Any number of bytes.
  void access(std::uint64_t address, std::uint64_t size, std::uint8_t flags, Place place);
  // A block is given back: a write of all of it. Of large blocks only pages are looked at that have been touched in
  // this execution: a use behind it of one that has not races unnoticed, and the memory for it is saved. `gone`: nobody
  // may use it afterwards, until forget().
  void free_block(std::uint64_t address, std::uint64_t size, Place place, bool gone);

  // An atomic operation has taken effect. `reads`: its result depends on what was there; `wrote`: it changed memory.
  struct AtomicStep {
    std::uint64_t address = 0;
    std::uint8_t size = 0;
    bool reads = false;
    bool wrote = false;
    Order order = Order::Relaxed;
    Place place = 0;
  };
  void atomic(const AtomicStep& step);
  void fence(Order order);

  // Besides atomic operations that write, others may publish something there, in clocks(): by what a program says of
  // it.
  void note_published(std::uint64_t address);

  // These bytes begin a new life: what was done to them before, and what was published there, does not count any more.
  void forget(std::uint64_t address, std::uint64_t size);

  bool exhausted() const { return exhausted_ || clocks_.exhausted(); }

 private:
  using Granule = Shadow::Granule;
  static constexpr unsigned kGranuleBytes = Shadow::kGranuleBytes, kSlots = Shadow::kSlots;
  static constexpr unsigned kBytesShift = Shadow::kBytesShift, kFlagsShift = Shadow::kFlagsShift;
  static constexpr unsigned kTaskShift = Shadow::kTaskShift;
  static constexpr std::uint64_t kAllBytes = Shadow::kAllBytes;
  static constexpr std::uint64_t kLargeBlock = 8192;

  struct Walk;

  RaceDetector() = default;
  void note(std::uint64_t address, std::uint8_t bytes, std::uint8_t flags, Place place);
  bool note_in_slots(Granule& granule, std::uint64_t word, Place place);
  [[gnu::noinline]] void note_in_chain(Granule& granule, std::uint64_t address, std::uint64_t word, Place place);
  [[gnu::noinline]] void access_several(std::uint64_t address, std::uint64_t size, std::uint8_t flags, Place place);
  void compare(Walk& walk, Granule& slots, unsigned i);
  void insert(Walk& walk);
  void forget_published(Granule& granule, std::uint64_t address, std::uint8_t bytes);
  void tell(const Walk& walk, std::uint64_t word, Place place);

  VectorClocks clocks_;
  TaskId task_ = 0;
  std::uint64_t now_ = 0;  // a word for a write of all bytes by the present task in its epoch
  Shadow shadow_;
  bool exhausted_ = false;
  Report report_ = nullptr;
};

}  // namespace heddle::model
