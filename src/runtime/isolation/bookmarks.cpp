// See bookmarks.h.
#include "runtime/isolation/bookmarks.h"

#include <sys/mman.h>

#include "runtime/descriptors.h"
#include "runtime/objects.h"
#include "runtime/os/system_call.h"
#include "runtime/plan_reader.h"
#include "runtime/recorder.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kRoom = std::size_t{256} << 20;  // of one, and of all together with what the decoder keeps
constexpr unsigned kMostDeltas = 256;                  // of the way there
constexpr std::size_t kMostOutput = std::size_t{4} << 20;
constexpr unsigned kMemoryShare = 4;  // of --memory: one part of so many

struct Bookmark {
  bool used;
  bool pinned;    // it is on the stack
  bool complete;  // it can be gone to
  Level level;
  char* memory;         // kRoom of address space; the level's copy, futexes, output, deltas
  std::size_t bytes;    // in use there
  std::size_t present;  // of it, what has been written to: without page faults
  std::size_t charged;  // bytes, and those of the decoder
  std::size_t output_bytes;
  PlannedWay way;
  char* behind_level;  // in `memory`
  std::int64_t cost;
  std::uint64_t priority;  // of Greedy Dual-Size: the least goes first
};
HEDDLE_PERMANENT Bookmark bookmarks[kMostBookmarks] = {};
HEDDLE_PERMANENT std::size_t charged_in_all = 0;
HEDDLE_PERMANENT std::uint64_t aged = 0;  // the priority of the one that was thrown away last
HEDDLE_PERMANENT bool usable = false;

std::size_t output_to_keep(const LevelMarks& marks) {
  return static_cast<std::size_t>(marks.output_size - output_size_before());
}

std::size_t most_charged() {
  const std::size_t allowed = config.memory_bytes / kMemoryShare;
  return config.memory_bytes != 0 && allowed < kRoom ? allowed : kRoom;
}

// In whole numbers: floating point would leave its marks (inexact …) in a register that the program can read.
void use(Bookmark& one) {
  constexpr unsigned kFraction = 16;  // bits
  one.priority = aged + (static_cast<std::uint64_t>(one.cost) << kFraction) / one.charged;
}

void drop(Bookmark& one) {
  charged_in_all -= one.charged;
  one.used = false;
  one.charged = 0;
}

// The cheapest of those that are not on the stack.
Bookmark* cheapest() {
  Bookmark* found = nullptr;
  for (Bookmark& one : bookmarks)
    if (one.used && !one.pinned && (found == nullptr || one.priority < found->priority)) found = &one;
  return found;
}

Bookmark* unused() {
  for (Bookmark& one : bookmarks)
    if (!one.used) return &one;
  return nullptr;
}

// Makes room for `charged` bytes and one more. False: what is on the stack takes it all.
bool make_room(std::size_t charged) {
  while (charged_in_all + charged > most_charged() || unused() == nullptr) {
    Bookmark* victim = cheapest();
    if (victim == nullptr) return false;
    aged = victim->priority;
    drop(*victim);
  }
  return true;
}

// Memory used for the first time costs a page fault for each page, or one call for all. What a larger one has left is
// given back.
void prepare(Bookmark& one, std::size_t bytes) {
  constexpr std::size_t kSlack = std::size_t{1} << 20;
  constexpr std::size_t kPage = 4096;
  bytes = (bytes + kPage - 1) & ~(kPage - 1);
  if (one.present > bytes + kSlack) {
    os::system_call(SYS_madvise, reinterpret_cast<long>(one.memory + bytes), static_cast<long>(one.present - bytes),
                    MADV_DONTNEED);
    one.present = bytes;
  }
  if (one.present >= bytes) return;
  os::populate(one.memory + one.present, bytes - one.present);
  one.present = bytes;
}

char* output_of(const Bookmark& one) { return one.behind_level + one.level.futexes * kFutexBytes; }
char* deltas_of(const Bookmark& one) { return output_of(one) + one.output_bytes; }

// What the driver's decoder keeps for it.
std::size_t kept_record_bytes(const LevelMarks& marks) {
  constexpr std::size_t kChange = 8, kObject = sizeof(ObjectRecord) + sizeof(ObjectId);
  return marks.steps * sizeof(StepRecord) + marks.changes * kChange + marks.objects * kObject +
         marks.tasks * sizeof(TaskRecord);
}

}  // namespace

void reserve_bookmarks() {
  auto* memory = static_cast<char*>(os::reserve(kRoom * kMostBookmarks));
  usable = memory != nullptr && os::is_reserved(reinterpret_cast<std::uintptr_t>(memory));
  for (unsigned i = 0; i < kMostBookmarks && usable; ++i) bookmarks[i].memory = memory + i * kRoom;
}

bool any_bookmarks() { return charged_in_all != 0; }

std::int64_t bookmarks_worth() {
  std::int64_t sum = 0;
  for (const Bookmark& one : bookmarks)
    if (one.used) sum += one.cost;
  return sum;
}

int claim_bookmark(const LevelMarks& marks, std::size_t level_bytes, std::int64_t cost) {
  const PlannedWay way = planned_before(marks.steps);
  if (!usable || way.deltas > kMostDeltas || output_to_keep(marks) > kMostOutput) return kNoBookmark;
  const std::size_t bytes =
      level_bytes + futexes_known() * kFutexBytes + output_to_keep(marks) + way.deltas * sizeof(Delta);
  const std::size_t charged = bytes + kept_record_bytes(marks);
  if (charged > most_charged() || !make_room(charged)) return kNoBookmark;
  Bookmark& one = *unused();
  prepare(one, bytes);
  one.bytes = bytes;
  one.charged = charged;
  one.cost = cost;
  one.way = way;
  one.output_bytes = output_to_keep(marks);
  one.behind_level = one.memory + level_bytes;
  return static_cast<int>(&one - bookmarks);
}

char* bookmark_memory(int number) { return bookmarks[number].memory; }

void complete_bookmark(const Level& level) {
  Bookmark& one = bookmarks[level.bookmark];
  one.level = level;
  save_futexes(one.behind_level, level.futexes);
  one.complete = read_output(output_of(one), output_size_before(), one.output_bytes);
  copy_planned(deltas_of(one), one.way);
  one.used = one.pinned = true;
  charged_in_all += one.charged;
  use(one);
}

void pin_bookmark(int number, bool pinned) { bookmarks[number].pinned = pinned; }

const Level* find_bookmark(std::uint32_t beyond) {
  Bookmark* found = nullptr;
  for (Bookmark& one : bookmarks) {
    if (!one.used || !one.complete || one.level.marks.steps <= beyond ||
        !next_plan_begins_with(deltas_of(one), one.way, one.level.marks.steps))
      continue;
    beyond = one.level.marks.steps;
    found = &one;
  }
  if (found == nullptr) return nullptr;
  use(*found);
  return &found->level;
}

void go_to_bookmark(const Level& level) {
  const Bookmark& one = bookmarks[level.bookmark];
  forget_futexes(0);
  add_futexes(one.behind_level, level.futexes);
  replace_output(output_of(one), one.output_bytes);
}

void forget_bookmarks() {
  for (Bookmark& one : bookmarks)
    if (one.used) drop(one);
}

}  // namespace heddle::runtime
