// See bookmarks.h.
#include "runtime/snapshot/bookmarks.h"

#include <sys/mman.h>

#include "protocol/assert.h"
#include "protocol/page.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/objects.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kRoom = std::size_t{256} << 20;  // of one, and of all together with what the decoder keeps
constexpr unsigned kMaxDeltas = 256;                   // of the way there
constexpr std::size_t kMaxOutput = std::size_t{4} << 20;
constexpr unsigned kMemoryShare = 4;  // of --memory-limit: one part of so many

struct Bookmark {
  bool used;
  bool pinned;    // it is on the stack
  bool complete;  // it can be gone to
  Level level;
  std::size_t present;  // of it, what has been written to: without page faults
  std::size_t charged;  // bytes in use there, and those of the decoder
  std::size_t output_bytes;
  std::uint32_t rules;  // of the plan that went there
  unsigned deltas;      // of the way there
  char* behind_level;   // in its memory
  std::int64_t cost;
  std::uint64_t priority;  // of Greedy Dual-Size: the least goes first
};

struct PermanentBookmarks {
  Bookmark all[kMaxBookmarks] = {};
  std::size_t charged_in_all = 0;
  std::uint64_t aged = 0;    // the priority of the one that was thrown away last
  char* room = nullptr;      // address space of all of them; none: there can't be bookmarks
  unsigned idle_checks = 0;  // since one was made or gone back to
};
HEDDLE_PERMANENT constinit PermanentBookmarks permanent_bookmarks{};

// The level's copy, futexes, output, deltas.
char* memory_of(int number) { return permanent_bookmarks.room + static_cast<std::size_t>(number) * kRoom; }

int number_of(const Bookmark& one) { return static_cast<int>(&one - permanent_bookmarks.all); }

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
  one.priority = permanent_bookmarks.aged + (static_cast<std::uint64_t>(one.cost) << kFraction) / one.charged;
}

void drop(Bookmark& one) {
  permanent_bookmarks.charged_in_all -= one.charged;
  one.used = false;
  one.charged = 0;
}

// The cheapest of those that are not on the stack.
Bookmark* cheapest() {
  Bookmark* found = nullptr;
  for (Bookmark& one : permanent_bookmarks.all) {
    if (one.used && !one.pinned && (found == nullptr || one.priority < found->priority)) found = &one;
  }
  return found;
}

Bookmark* unused() {
  for (Bookmark& one : permanent_bookmarks.all)
    if (!one.used) return &one;
  return nullptr;
}

// Makes room for `charged` bytes and one more. False: what is on the stack takes it all.
bool make_room(std::size_t charged) {
  while (permanent_bookmarks.charged_in_all + charged > most_charged() || unused() == nullptr) {
    Bookmark* victim = cheapest();
    if (victim == nullptr) return false;
    permanent_bookmarks.aged = victim->priority;
    drop(*victim);
  }
  return true;
}

// Memory used for the first time costs a page fault for each page, or one call for all. What a larger one has left is
// given back.
void prepare(Bookmark& one, std::size_t bytes) {
  constexpr std::size_t kSlack = std::size_t{1} << 20;
  constexpr std::size_t kPage = kPageBytes;
  char* const memory = memory_of(number_of(one));
  bytes = (bytes + kPage - 1) & ~(kPage - 1);
  if (one.present > bytes + kSlack) {
    os::system_call(SYS_madvise, reinterpret_cast<long>(memory + bytes), static_cast<long>(one.present - bytes),
                    MADV_DONTNEED);
    one.present = bytes;
  }
  if (one.present >= bytes) return;
  os::populate(memory + one.present, bytes - one.present);
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

void reserve_bookmarks() { permanent_bookmarks.room = static_cast<char*>(os::reserve(kRoom * kMaxBookmarks)); }

bool any_bookmarks() { return permanent_bookmarks.charged_in_all != 0; }

std::int64_t bookmarks_worth() {
  std::int64_t sum = 0;
  for (const Bookmark& one : permanent_bookmarks.all)
    if (one.used) sum += one.cost;
  return sum;
}

int claim_bookmark(const LevelMarks& marks, std::size_t level_bytes, std::int64_t cost) {
  HEDDLE_ASSERT(marks.steps != 0, "no bookmark stands at the branching point");
  const unsigned deltas = planned_before(marks.steps);
  const std::size_t output_bytes = output_to_keep(marks);
  if (permanent_bookmarks.room == nullptr || deltas > kMaxDeltas || output_bytes > kMaxOutput) return kNoBookmark;
  const std::size_t bytes = level_bytes + futexes_known() * kFutexBytes + output_bytes + deltas * sizeof(Delta);
  const std::size_t charged = bytes + kept_record_bytes(marks);
  if (charged > most_charged() || !make_room(charged)) return kNoBookmark;
  Bookmark& one = *unused();
  prepare(one, bytes);
  one.charged = charged;
  one.cost = cost;
  one.deltas = deltas;
  one.output_bytes = output_bytes;
  const int number = number_of(one);
  one.behind_level = memory_of(number) + level_bytes;
  return number;
}

char* bookmark_memory(int number) { return memory_of(number); }

void complete_bookmark(const Level& level) {
  HEDDLE_ASSERT(level.bookmark != kNoBookmark, "a level that is kept has a number");
  Bookmark& one = permanent_bookmarks.all[level.bookmark];
  one.level = level;
  save_futexes(one.behind_level, level.futexes);
  one.complete = read_output(output_of(one), output_size_before(), one.output_bytes);
  one.rules = rules_of(plan());
  copy_planned(deltas_of(one), one.deltas);
  one.used = one.pinned = true;
  permanent_bookmarks.charged_in_all += one.charged;
  permanent_bookmarks.idle_checks = 0;
  use(one);
}

void pin_bookmark(int number, bool pinned) { permanent_bookmarks.all[number].pinned = pinned; }

namespace {

// Where there is one, each execution looks for it, and watches how long it takes itself. When that has
// cost as much as going back could save, it ends: what took long may have been page faults, which only the first
// execution has.
void drop_idle() {
  constexpr std::int64_t kCheckTime = 1'000;  // nanoseconds
  constexpr unsigned kRarely = 1024;
  if (!any_bookmarks() || ++permanent_bookmarks.idle_checks % kRarely != 0 ||
      permanent_bookmarks.idle_checks * kCheckTime < bookmarks_worth())
    return;
  permanent_bookmarks.idle_checks = 0;
  for (Bookmark& one : permanent_bookmarks.all)
    if (one.used && !one.pinned) drop(one);
}

}  // namespace

const Level* find_bookmark(std::uint32_t beyond) {
  Bookmark* found = nullptr;
  for (Bookmark& one : permanent_bookmarks.all) {
    if (!one.used || !one.complete || one.level.marks.steps <= beyond ||
        !next_plan_begins_with(one.rules, deltas_of(one), one.deltas, one.level.marks.steps))
      continue;
    beyond = one.level.marks.steps;
    found = &one;
  }
  if (found == nullptr) {
    drop_idle();
    return nullptr;
  }
  permanent_bookmarks.idle_checks = 0;
  use(*found);
  return &found->level;
}

void go_to_bookmark(const Level& level) {
  const Bookmark& one = permanent_bookmarks.all[level.bookmark];
  forget_futexes(0);
  add_futexes(one.behind_level, level.futexes);
  replace_output(output_of(one), one.output_bytes);
}

void forget_bookmarks() {
  if (!any_bookmarks()) return;
  for (Bookmark& one : permanent_bookmarks.all)
    if (one.used) drop(one);
}

}  // namespace heddle::runtime
