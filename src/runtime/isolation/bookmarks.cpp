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

constexpr std::size_t kRoom = std::size_t{256} << 20;      // of one, and of all together with what the decoder keeps
constexpr std::size_t kBranchRoom = std::size_t{4} << 20;  // of one at a branching
constexpr unsigned kMostDeltas = kMostNamed;               // of the way there
constexpr std::size_t kMostOutput = std::size_t{4} << 20;
constexpr unsigned kMemoryShare = 4;  // of --memory: one part of so many
constexpr int kNobody = -1;

struct Bookmark {
  bool used;
  bool pinned;    // it is on the stack
  bool complete;  // it can be gone to
  Level level;
  std::size_t present;  // of it, what has been written to: without page faults
  std::size_t charged;  // bytes in use there, and those of the decoder
  std::size_t output_bytes;
  PlannedWay way;
  char* behind_level;  // in its memory
  std::uint32_t name;  // of the way
  int next;            // of those that share a chain; kNobody: none
  std::int64_t cost;
  std::uint64_t priority;  // of Greedy Dual-Size: the least goes first
};
// Those that took long first, then those at branchings.
HEDDLE_PERMANENT Bookmark bookmarks[kMostBookmarks] = {};
HEDDLE_PERMANENT std::size_t charged_in_all = 0;  // of those that took long
HEDDLE_PERMANENT std::uint64_t aged = 0;          // the priority of the one that was thrown away last
HEDDLE_PERMANENT char* room = nullptr;            // address space of all of them; none: there can't be bookmarks
HEDDLE_PERMANENT unsigned used_in_all = 0;
HEDDLE_PERMANENT unsigned idle_looks = 0;   // since one that took long was made or gone back to
HEDDLE_PERMANENT unsigned next_branch = 0;  // whose turn it is to be thrown away

// The level's copy, futexes, output, deltas.
char* memory_of(int number) {
  const auto one = static_cast<std::size_t>(number);
  return one < kLongBookmarks ? room + one * kRoom
                              : room + kLongBookmarks * kRoom + (one - kLongBookmarks) * kBranchRoom;
}

int number_of(const Bookmark& one) { return static_cast<int>(&one - bookmarks); }

// By the name of the way.
constexpr unsigned kChains = 1024;
HEDDLE_PERMANENT int chains[kChains] = {};  // a number plus one; 0: none

int& chain_of(std::uint32_t name) { return chains[name % kChains]; }

void link(Bookmark& one) {
  int& first = chain_of(one.name);
  one.next = first - 1;
  first = number_of(one) + 1;
}

void unlink(const Bookmark& one) {
  const int number = number_of(one);
  int& first = chain_of(one.name);
  if (first - 1 == number) {
    first = one.next + 1;
    return;
  }
  int at = first - 1;
  while (bookmarks[at].next != number) at = bookmarks[at].next;
  bookmarks[at].next = one.next;
}

bool took_long(const Bookmark& one) { return &one < bookmarks + kLongBookmarks; }

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
  if (took_long(one)) charged_in_all -= one.charged;
  unlink(one);
  --used_in_all;
  one.used = false;
  one.charged = 0;
}

// The cheapest of those that are not on the stack.
Bookmark* cheapest() {
  Bookmark* found = nullptr;
  for (unsigned i = 0; i < kLongBookmarks; ++i) {
    Bookmark& one = bookmarks[i];
    if (one.used && !one.pinned && (found == nullptr || one.priority < found->priority)) found = &one;
  }
  return found;
}

Bookmark* unused() {
  for (unsigned i = 0; i < kLongBookmarks; ++i)
    if (!bookmarks[i].used) return &bookmarks[i];
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

void reserve_bookmarks() {
  room = static_cast<char*>(os::reserve(kRoom * kLongBookmarks + kBranchRoom * kBranchBookmarks));
}

bool any_bookmarks() { return used_in_all != 0; }
bool any_long_bookmarks() { return charged_in_all != 0; }

std::int64_t bookmarks_worth() {
  std::int64_t sum = 0;
  for (unsigned i = 0; i < kLongBookmarks; ++i)
    if (bookmarks[i].used) sum += bookmarks[i].cost;
  return sum;
}

namespace {

// What one needs that stands at `marks`.
struct Needs {
  PlannedWay way;
  std::size_t output_bytes, bytes, charged;
};

// False: it is too much.
bool find_needs(const LevelMarks& marks, std::size_t level_bytes, Needs& needs) {
  needs.way = planned_before(marks.steps);
  needs.output_bytes = output_to_keep(marks);
  if (room == nullptr || needs.way.deltas > kMostDeltas || needs.output_bytes > kMostOutput) return false;
  needs.bytes = level_bytes + futexes_known() * kFutexBytes + needs.output_bytes + needs.way.deltas * sizeof(Delta);
  needs.charged = needs.bytes + kept_record_bytes(marks);
  return true;
}

int claim(Bookmark& one, std::size_t level_bytes, const Needs& needs) {
  one.charged = needs.charged;
  one.way = needs.way;
  one.output_bytes = needs.output_bytes;
  const int number = number_of(one);
  one.behind_level = memory_of(number) + level_bytes;
  return number;
}

}  // namespace

int claim_bookmark(const LevelMarks& marks, std::size_t level_bytes, std::int64_t cost) {
  Needs needs;
  if (!find_needs(marks, level_bytes, needs)) return kNoBookmark;
  if (needs.charged > most_charged() || !make_room(needs.charged)) return kNoBookmark;
  Bookmark& one = *unused();
  prepare(one, needs.bytes);
  one.cost = cost;
  return claim(one, level_bytes, needs);
}

int claim_branch_bookmark(const LevelMarks& marks, std::size_t level_bytes) {
  Needs needs;
  if (!find_needs(marks, level_bytes, needs) || needs.bytes > kBranchRoom) return kNoBookmark;
  const std::size_t room = most_charged() / 2 / needs.charged;
  const unsigned count = room < kBranchBookmarks ? static_cast<unsigned>(room) : kBranchBookmarks;
  for (unsigned tried = 0; tried < count; ++tried) {
    Bookmark& one = bookmarks[kLongBookmarks + next_branch++ % count];
    if (one.used && one.pinned) continue;
    if (one.used) drop(one);
    return claim(one, level_bytes, needs);
  }
  return kNoBookmark;
}

char* bookmark_memory(int number) { return memory_of(number); }

void complete_bookmark(const Level& level) {
  Bookmark& one = bookmarks[level.bookmark];
  one.level = level;
  save_futexes(one.behind_level, level.futexes);
  one.complete = read_output(output_of(one), output_size_before(), one.output_bytes);
  copy_planned(deltas_of(one), one.way);
  one.used = one.pinned = true;
  one.name = name_of_planned(one.way);
  link(one);
  ++used_in_all;
  if (!took_long(one)) return;
  charged_in_all += one.charged;
  idle_looks = 0;
  use(one);
}

void pin_bookmark(int number, bool pinned) { bookmarks[number].pinned = pinned; }

namespace {

// The deepest behind step `beyond` whose way is the first `deltas` choices of the plan that comes next.
Bookmark* find_on_way(unsigned deltas, std::uint32_t name, std::uint32_t beyond) {
  Bookmark* found = nullptr;
  for (int at = chain_of(name) - 1; at != kNobody; at = bookmarks[at].next) {
    Bookmark& one = bookmarks[at];
    if (one.name != name || !one.complete || one.way.deltas != deltas || one.level.marks.steps <= beyond ||
        !next_plan_begins_with(deltas_of(one), one.way, one.level.marks.steps))
      continue;
    beyond = one.level.marks.steps;
    found = &one;
  }
  return found;
}

// Where there is one that took long, each execution looks for it, and watches how long it takes itself. When that has
// cost as much as going back could save, it ends: what took long may have been page faults, which only the first
// execution has.
void drop_idle() {
  constexpr std::int64_t kLookTime = 1'000;  // nanoseconds
  constexpr unsigned kSeldom = 1024;
  if (!any_long_bookmarks() || ++idle_looks % kSeldom != 0 || idle_looks * kLookTime < bookmarks_worth()) return;
  idle_looks = 0;
  for (unsigned i = 0; i < kLongBookmarks; ++i)
    if (bookmarks[i].used && !bookmarks[i].pinned) drop(bookmarks[i]);
}

}  // namespace

// Those with more choices on their way are deeper.
const Level* find_bookmark(std::uint32_t beyond) {
  const WayNames ways = names_of_next_plan(beyond);
  for (unsigned deltas = ways.last; deltas-- > ways.first;) {
    Bookmark* found = find_on_way(deltas, ways.of[deltas], beyond);
    if (found == nullptr) continue;
    if (!took_long(*found)) return &found->level;
    idle_looks = 0;
    use(*found);
    return &found->level;
  }
  drop_idle();
  return nullptr;
}

void go_to_bookmark(const Level& level) {
  const Bookmark& one = bookmarks[level.bookmark];
  forget_futexes(0);
  add_futexes(one.behind_level, level.futexes);
  replace_output(output_of(one), one.output_bytes);
}

void forget_bookmarks() {
  if (!any_bookmarks()) return;
  for (Bookmark& one : bookmarks)
    if (one.used) drop(one);
}

}  // namespace heddle::runtime
