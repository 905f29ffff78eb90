// See snapshot.h.
#include "runtime/snapshot/snapshot.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <x86intrin.h>

#include <algorithm>

#include "protocol/assert.h"
#include "runtime/os/context.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/bookmarks.h"
#include "runtime/snapshot/own_memory.h"
#include "runtime/snapshot/restore_pages.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/objects.h"
#include "runtime/state/runtime.h"
#include "runtime/state/thread_pointer.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

constexpr std::uintptr_t kPage = kPageBytes;
constexpr unsigned kMaxRegions = 131'072;                   // twice what Linux allows (vm.max_map_count) by default
constexpr std::size_t kMaxDirty = std::size_t{1} << 23;     // 32 GB of dirty pages
constexpr std::size_t kLevelMemory = std::size_t{8} << 30;  // address space for checkpoints
constexpr std::size_t kLevelRoom = std::size_t{1} << 30;  // how much of it they take, where --memory-limit does not say
constexpr unsigned kMaxLevels = 128;                      // the branching point included
constexpr std::uintptr_t kStackGap = kPage;
constexpr unsigned kMaxAside = 64;
constexpr std::size_t kMaxAsideBytes = std::size_t{1} << 20;  // each: all its pages become dirty

struct Region {
  std::uintptr_t begin, end;
  bool executable;
};

struct PermanentSnapshot {
  Region* regions;  // what can be written
  unsigned region_count;
  Region* mapped;  // everything, neighbours as one
  unsigned mapped_count;
  std::uintptr_t* dirty;  // addresses of the dirty pages
  std::size_t dirty_count;
  char* saved;              // their contents at the branching point, in the same order
  PagePieces* saved_zeros;  // what of these contents is zero
  std::uint64_t (*saved_hashes)[2];
  std::uintptr_t main_stack_begin, main_stack_end;
  char* level_memory;
  std::size_t level_memory_present;  // from its beginning: without page faults
  unsigned level_count;
  Level levels[kMaxLevels];
  int come_to;  // the bookmark that the next execution goes on from, or the present one has
  std::uint64_t last_run_ticks, run_ended_at;
  std::uint64_t last_level_at, take_ticks, restore_ticks;
  std::uint32_t last_level_step;
  std::uint64_t whole_run_ticks;
  std::uint32_t since_cooling;
  const char* problem;
  Region aside[kMaxAside];  // what the present execution has unmapped
  unsigned aside_count;
  Context mark;  // where snapshot_mark() goes on
};
HEDDLE_PERMANENT PermanentSnapshot snapshot{};

// --- regions

// The main stack may grow downwards, as far as the limit allows and nothing else is in the way.
std::uintptr_t lowest_stack_address(const Mapping& stack, std::uintptr_t previous_end) {
  constexpr std::uintptr_t kUnlimited = std::uintptr_t{256} << 20;
  rlimit limit{};
  os::system_call(SYS_prlimit64, 0, RLIMIT_STACK, 0, reinterpret_cast<long>(&limit));
  const std::uintptr_t size = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur == 0 ? kUnlimited : limit.rlim_cur;
  const std::uintptr_t lowest = size < stack.end ? (stack.end - size) & ~(kPage - 1) : 0;
  const std::uintptr_t free_from = previous_end + kStackGap;
  const std::uintptr_t begin = lowest > free_from ? lowest : free_from;
  return begin < stack.begin ? begin : stack.begin;
}

// Where pages of it are protected and others not, the kernel sees several stacks, and would let the lowest of them
// become as large as the whole. Near something else that is mapped no stack may grow.
void end_stack_at(std::uintptr_t lowest) {
  constexpr std::uintptr_t kApart = 64 * kPage;  // the kernel keeps 256 pages free
  os::system_call(SYS_mmap, static_cast<long>(lowest - kApart), kPage, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

// All that the stack may become, now: what the kernel adds to a stack whose last page can be written can be written
// too, and no fault would tell. Asked of the kernel by a call that reads a path there.
bool grow_main_stack(const Mapping& mapping, void* argument) {
  auto& previous_end = *static_cast<std::uintptr_t*>(argument);
  if (mapping.main_stack) {
    const std::uintptr_t lowest = lowest_stack_address(mapping, previous_end);
    os::system_call(SYS_access, static_cast<long>(lowest), 0);
    end_stack_at(lowest);
  }
  previous_end = mapping.end;
  return !mapping.main_stack;
}

bool is_own(const Mapping& mapping, const OwnImage& image) {
  return os::is_reserved(mapping.begin) || (mapping.begin >= image.begin && mapping.begin < image.end);
}

struct Survey {
  OwnImage image;
  std::uintptr_t previous_end;  // of the mapping before
};

// AddressSanitizer describes each eight bytes in one of shadow memory, at a fixed place. A mapping is known as that
// memory by holding the byte for our own stack, not by its size: programs reserve as much, and touch little of it.
bool is_sanitizers_shadow(const Mapping& mapping) {
  constexpr std::uintptr_t kOffset = 0x7fff8000, kBytesEach = 8, kLeast = std::uintptr_t{1} << 40;
  const std::uintptr_t shadow = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) / kBytesEach + kOffset;
  return mapping.end - mapping.begin >= kLeast && mapping.begin <= shadow && shadow < mapping.end;
}

bool add_region(const Mapping& mapping, void* argument) {
  auto& survey = *static_cast<Survey*>(argument);
  const OwnImage& image = survey.image;
  const std::uintptr_t previous_end = survey.previous_end;
  survey.previous_end = mapping.end;
  if (previous_end == mapping.begin && snapshot.mapped_count != 0) {
    snapshot.mapped[snapshot.mapped_count - 1].end = mapping.end;
  } else if (snapshot.mapped_count < kMaxRegions) {
    snapshot.mapped[snapshot.mapped_count++] = {mapping.begin, mapping.end, false};
  }
  if (mapping.shared || !mapping.writable || !mapping.readable || is_own(mapping, image)) return true;
  if (is_sanitizers_shadow(mapping)) {
    snapshot.problem = "the program has AddressSanitizer's shadow memory";
    return false;
  }
  if (!mapping.main_stack && grows_by_itself(mapping)) {
    snapshot.problem = "the program has memory that grows by itself (MAP_GROWSDOWN)";
    return false;
  }
  Region region{mapping.begin, mapping.end, mapping.executable};
  Region* last = snapshot.region_count != 0 ? &snapshot.regions[snapshot.region_count - 1] : nullptr;
  if (mapping.main_stack) {
    region.begin = lowest_stack_address(mapping, previous_end);
    snapshot.main_stack_begin = region.begin;
    snapshot.main_stack_end = region.end;
  }
  if (last != nullptr && last->end == region.begin && last->executable == region.executable) {
    last->end = region.end;
    return true;
  }
  if (snapshot.region_count == kMaxRegions) {
    snapshot.problem = "the program has more mappings than snapshots can hold (131072)";
    return false;
  }
  if (snapshot.regions != nullptr) snapshot.regions[snapshot.region_count++] = region;
  return true;
}

const Region* find_region(std::uintptr_t address) {
  unsigned low = 0, high = snapshot.region_count;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (snapshot.regions[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < snapshot.region_count && snapshot.regions[low].begin <= address ? &snapshot.regions[low] : nullptr;
}

long permitted(bool write, bool execute) { return PROT_READ | (write ? PROT_WRITE : 0) | (execute ? PROT_EXEC : 0); }

bool protect(const Mapping& mapping, void* argument) {
  const auto& image = *static_cast<const OwnImage*>(argument);
  if (mapping.shared || !mapping.writable || !mapping.readable || is_own(mapping, image)) return true;
  if (os::system_call(SYS_mprotect, static_cast<long>(mapping.begin), static_cast<long>(mapping.end - mapping.begin),
                      permitted(false, mapping.executable)) == 0)
    return true;
  snapshot.problem = "the system does not allow so many protected mappings (vm.max_map_count)";
  return false;
}

// A mapping may be a region, a part of one, or one together with what was never written to.
bool unprotect(const Mapping& mapping, void*) {
  if (mapping.shared || mapping.writable || !mapping.readable) return true;
  for (const Region *region = snapshot.regions, *end = region + snapshot.region_count; region != end; ++region) {
    const std::uintptr_t from = std::max(region->begin, mapping.begin), to = std::min(region->end, mapping.end);
    const long access = permitted(true, region->executable);
    if (from < to) os::system_call(SYS_mprotect, static_cast<long>(from), static_cast<long>(to - from), access);
  }
  return true;
}

// --- levels

constexpr std::size_t kAligned = 64;  // as restore_pages.h wants it
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + kAligned - 1) & ~(kAligned - 1); }

// What a level has of pages: for each which pieces are not as at the branching point, and these.
std::size_t different_size(std::size_t dirty_count) { return aligned(dirty_count * sizeof(PagePieces)); }

// At most.
std::size_t level_size(std::size_t dirty_count) {
  return aligned(own_memory_size()) + different_size(dirty_count) + dirty_count * kPage;
}

std::size_t level_memory_used() {
  return snapshot.level_count != 0 ? snapshot.levels[snapshot.level_count - 1].end : 0;
}

// Memory that is used for the first time costs a page fault each: not to be taken for the cost of a checkpoint, whose
// taking begins behind that. False: there is no room for one more.
bool make_room_for_level(std::uint64_t& began) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  const std::size_t wanted = level_memory_used() + level_size(snapshot.dirty_count);
  if (wanted > (config.memory_bytes != 0 ? kLevelMemory : kLevelRoom)) return false;
  if (wanted <= snapshot.level_memory_present) return true;
  const std::size_t bytes = wanted - snapshot.level_memory_present + kAtOnce;
  os::populate(snapshot.level_memory + snapshot.level_memory_present, bytes);
  snapshot.level_memory_present += bytes;
  began = __rdtsc();
  return true;
}

// Where the kept pieces end.
char* keep_pages(const Level& level) {
  auto* const different = reinterpret_cast<PagePieces*>(level.pages);
  char* kept = level.pages + different_size(level.dirty_count);
  for (std::size_t i = 0; i < level.dirty_count; ++i)
    different[i] = keep_different(reinterpret_cast<void*>(snapshot.dirty[i]), snapshot.saved + i * kPage,
                                  snapshot.saved_zeros[i], kept);
  return kept;
}

void put_pages_back(const Level& level) {
  const auto* const different = reinterpret_cast<const PagePieces*>(level.pages);
  const char* kept = level.pages + different_size(level.dirty_count);
  const char* saved = snapshot.saved;
  std::size_t i = 0;
  for (; i < level.dirty_count; ++i, saved += kPage)
    restore_kept(reinterpret_cast<void*>(snapshot.dirty[i]), saved, snapshot.saved_zeros[i], different[i], kept);
  for (; i < snapshot.dirty_count; ++i, saved += kPage)
    restore_page(reinterpret_cast<void*>(snapshot.dirty[i]), saved, snapshot.saved_zeros[i]);
}

bool add_level(const LevelMarks& marks, std::size_t dirty_count, int bookmark) {
  const std::size_t used = level_memory_used(), most = bookmark == kNoBookmark ? level_size(dirty_count) : 0;
  if (snapshot.level_count == kMaxLevels || used + most > kLevelMemory) return false;
  if (config.memory_bytes != 0 && used + most + snapshot.dirty_count * kPage > config.memory_bytes) return false;
  Level& level = snapshot.levels[snapshot.level_count++];
  level.marks = marks;
  level.dirty_count = dirty_count;
  level.copy = bookmark == kNoBookmark ? snapshot.level_memory + used : bookmark_memory(bookmark);
  level.pieces_size = save_own_memory(level.copy);
  level.pages = level.copy + aligned(own_memory_size());
  level.futexes = futexes_known();
  level.run_time = 0;
  level.bookmark = bookmark;
  const char* const end = keep_pages(level);
  level.end = bookmark == kNoBookmark ? static_cast<std::size_t>(end - snapshot.level_memory) : used;
  return true;
}

// An estimate of how long something takes: the least of late. What was measured while others had the processor must not
// count, or no checkpoint would ever be taken again.
void learn(std::uint64_t& ticks, std::uint64_t measured) {
  const std::uint64_t grown = ticks + ticks / 16 + 1;
  ticks = ticks == 0 || measured < grown ? measured : grown;
}

// Pages that were written once and are not any more would be copied for ever: now and then, where there are many, all
// start cold again. Everything is as it was at the branching point, and no checkpoint refers to them.
void cool_down() {
  constexpr std::size_t kMany = 1024;    // 4 MB
  constexpr std::uint32_t kEvery = 256;  // executions: to save a page again costs about ten copies of it
  if (snapshot.dirty_count < kMany || ++snapshot.since_cooling < kEvery) return;
  snapshot.since_cooling = 0;
  // Bookmarks know pages by their place among the dirty ones.
  if (bookmarks_worth() > static_cast<std::int64_t>(snapshot.restore_ticks * kEvery)) return;
  forget_bookmarks();
  OwnImage image = own_image();
  const bool listed = for_each_mapping(protect, &image);
  // A page that stayed writable would no longer be restored.
  if (!listed || snapshot.problem != nullptr)
    retire(Retirement::Unavailable, listed ? snapshot.problem : "/proc/self/maps can't be read any more");
  snapshot.dirty_count = 0;
}

// As it is now is how it will be found by every execution.
void save_page(std::size_t index, std::uintptr_t page) {
  copy_alike(snapshot.saved + index * kPage, reinterpret_cast<void*>(page), kPage);
  snapshot.saved_zeros[index] = zero_pieces(reinterpret_cast<void*>(page));
  snapshot.saved_hashes[index][0] = snapshot.saved_hashes[index][1] = 0;
}

// On a stack of its own, since the program's are restored too.
void restore() {
  const Level& level = snapshot.levels[snapshot.level_count - 1];
  if (snapshot.come_to != kNoBookmark) go_to_bookmark(level);
  undo_kernel_state(level.marks.output_size);
  forget_futexes(level.futexes);
  restore_own_memory(level.copy, level.pieces_size);
  put_pages_back(level);
  snapshot.last_level_step = level.marks.steps;
  snapshot.last_level_at = __rdtsc();
  learn(snapshot.restore_ticks, snapshot.last_level_at - snapshot.run_ended_at);
  if (snapshot.level_count == 1) cool_down();
  load_thread_pointer(level.context.thread_pointer);
  heddle_resume(&level.context);
}

const char* reserve_memory() {
  snapshot.regions = static_cast<Region*>(os::reserve(sizeof(Region) * kMaxRegions));
  snapshot.mapped = static_cast<Region*>(os::reserve(sizeof(Region) * kMaxRegions));
  snapshot.dirty = static_cast<std::uintptr_t*>(os::reserve(sizeof(std::uintptr_t) * kMaxDirty));
  snapshot.saved = static_cast<char*>(os::reserve(kPage * kMaxDirty));
  snapshot.saved_zeros = static_cast<PagePieces*>(os::reserve(sizeof(PagePieces) * kMaxDirty));
  snapshot.saved_hashes = static_cast<std::uint64_t(*)[2]>(os::reserve(sizeof(std::uint64_t[2]) * kMaxDirty));
  snapshot.level_memory = static_cast<char*>(os::reserve(kLevelMemory));
  auto* const stack = static_cast<char*>(os::reserve(kStackBesideBytes));
  heddle_stack_beside = stack + kStackBesideBytes - 64;
  const bool all = snapshot.regions != nullptr && snapshot.mapped != nullptr && snapshot.dirty != nullptr &&
                   snapshot.saved != nullptr && snapshot.saved_zeros != nullptr && snapshot.saved_hashes != nullptr &&
                   snapshot.level_memory != nullptr && stack != nullptr;
  return all ? nullptr : "there is no address space left for saved pages (is there a limit, `ulimit -v`?)";
}

}  // namespace

void drop_levels_beyond(std::uint32_t steps) {
  while (snapshot.level_count > 1 && top_level().marks.steps > steps) {
    --snapshot.level_count;
    const int bookmark = snapshot.levels[snapshot.level_count].bookmark;
    if (bookmark != kNoBookmark) pin_bookmark(bookmark, false);
  }
}

const char* take_snapshot() {
  HEDDLE_ASSERT(!on_snapshot(), "a process takes one snapshot");
  OwnImage image = own_image();
  Survey survey{image, 0};
  std::uintptr_t previous_end = 0;
  for_each_mapping(grow_main_stack, &previous_end);
  snapshot.problem = reserve_memory();
  reserve_bookmarks();
  if (snapshot.problem == nullptr && !for_each_mapping(add_region, &survey))
    snapshot.problem = "/proc/self/maps can't be read";
  if (snapshot.problem != nullptr) return snapshot.problem;
  find_own_memory(image);
  note_kernel_state();
  permanent_state.snapshot_taken = true;
  // Two passes, as the mappings must not be listed and changed at once: each pass reads the list anew.
  for_each_mapping(protect, &image);
  if (snapshot.problem != nullptr) leave_snapshot();
  return snapshot.problem;
}

void leave_snapshot() {
  if (permanent_state.snapshot_taken)
    for_each_mapping(unprotect, nullptr);  // which writes to its stack: until then faults are ours
  permanent_state.snapshot_taken = false;
}

bool is_aside(std::uintptr_t address) {
  return std::any_of(snapshot.aside, snapshot.aside + snapshot.aside_count,
                     [=](const Region& one) { return one.begin <= address && address < one.end; });
}

bool make_dirty(std::uintptr_t address) {
  const Region* region = permanent_state.snapshot_taken ? find_region(address) : nullptr;
  if (region == nullptr || is_aside(address)) return false;
  const std::uintptr_t page = address & ~(kPage - 1);
  const std::size_t index = snapshot.dirty_count;
  if (index == kMaxDirty) retire(Retirement::Unavailable, "executions write to more than 32 GB of memory");
  if (config.memory_bytes != 0 && (index + 1) * kPage > config.memory_bytes)
    retire(Retirement::Unavailable,
           "saving the pages that executions write would take more than --memory-limit allows");
  save_page(index, page);
  if (os::system_call(SYS_mprotect, static_cast<long>(page), kPage, permitted(true, region->executable)) != 0)
    retire(Retirement::Unavailable,
           "executions write to pages in more places than the system allows mappings for "
           "(vm.max_map_count)");
  snapshot.dirty[index] = page;
  snapshot.dirty_count = index + 1;
  runtime.shared->status.dirty_pages.store(snapshot.dirty_count, std::memory_order_relaxed);
  return true;
}

std::size_t dirty_pages() { return snapshot.dirty_count; }

DirtyPage dirty_page(std::size_t index) {
  HEDDLE_ASSERT(index < snapshot.dirty_count, "a dirty page is asked for by its number");
  return {snapshot.dirty[index], snapshot.saved + index * kPage, snapshot.saved_hashes[index]};
}

bool is_main_stack(std::uintptr_t address) {
  return address >= snapshot.main_stack_begin && address < snapshot.main_stack_end;
}

std::uintptr_t main_stack_begin() { return snapshot.main_stack_begin; }

void before_kernel_writes(std::uintptr_t address, std::size_t bytes) {
  constexpr std::size_t kMax = 0x7ffff000;  // whatever it is asked for, the kernel writes no more
  if (!permanent_state.snapshot_taken || bytes == 0) return;
  const std::uintptr_t end = address + (bytes < kMax ? bytes : kMax);
  for (std::uintptr_t page = address & ~(kPage - 1); page < end; page += kPage) {
    if (find_region(page) == nullptr) continue;
    // A write by the program itself: it faults if the page is protected, and changes nothing.
    __asm__ volatile("lock orb $0, (%0)" : : "r"(page) : "memory");
  }
}

bool can_be_set_aside(std::uintptr_t address, std::size_t bytes) {
  const Region* const region = permanent_state.snapshot_taken ? find_region(address) : nullptr;
  const std::uintptr_t end = address + bytes;
  if (region == nullptr || address % kPage != 0 || bytes == 0 || bytes > kMaxAsideBytes || end > region->end)
    return false;
  if (snapshot.aside_count == kMaxAside || is_main_stack(address)) return false;
  return std::none_of(snapshot.aside, snapshot.aside + snapshot.aside_count,
                      [=](const Region& one) { return one.begin < end && address < one.end; });
}

bool set_aside(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t end = (address + bytes + kPage - 1) & ~(kPage - 1);
  before_kernel_writes(address, end - address);
  if (os::system_call(SYS_mprotect, static_cast<long>(address), static_cast<long>(end - address), PROT_NONE) != 0)
    return false;
  snapshot.aside[snapshot.aside_count++] = {address, end, find_region(address)->executable};
  return true;
}

bool is_anything_aside() { return snapshot.aside_count != 0; }

void take_back() {
  for (const Region *one = snapshot.aside, *end = one + snapshot.aside_count; one != end; ++one)
    if (os::system_call(SYS_mprotect, static_cast<long>(one->begin), static_cast<long>(one->end - one->begin),
                        permitted(true, one->executable)) != 0)
      retire(Retirement::Unavailable, "memory that was unmapped can't be made usable again (vm.max_map_count)");
  snapshot.aside_count = 0;
}

bool was_mapped_before(std::uintptr_t address, std::size_t bytes) {
  if (snapshot.mapped_count == kMaxRegions) return true;  // not all of them are known
  for (unsigned i = 0; i < snapshot.mapped_count; ++i)
    if (snapshot.mapped[i].begin < address + bytes && address < snapshot.mapped[i].end) return true;
  return false;
}

unsigned level_count() { return snapshot.level_count; }
const Level& top_level() { return snapshot.levels[snapshot.level_count - 1]; }

void choose_level(std::uint32_t common_steps) {
  HEDDLE_ASSERT(on_snapshot() && snapshot.level_count != 0, "the branching point is always a level");
  snapshot.run_ended_at = __rdtsc();
  snapshot.last_run_ticks = snapshot.run_ended_at - snapshot.last_level_at;
  const std::uint32_t steps = runtime.world->schedule().steps().count(), run = steps - snapshot.last_level_step;
  if (run != 0) learn(snapshot.whole_run_ticks, snapshot.last_run_ticks * steps / run);
  drop_levels_beyond(common_steps);
  snapshot.come_to = kNoBookmark;
  if (!any_bookmarks() || snapshot.level_count == kMaxLevels) return;
  const Level* found = find_bookmark(top_level().marks.steps);
  if (found == nullptr) return;
  const std::size_t end = level_memory_used();
  Level& level = snapshot.levels[snapshot.level_count++];
  level = *found;
  level.end = end;
  pin_bookmark(level.bookmark, true);
  snapshot.come_to = level.bookmark;
}

int bookmark_reached() { return snapshot.come_to; }
std::uint64_t last_run() { return snapshot.last_run_ticks; }

std::int64_t kept_run_time() {
  for (unsigned level = snapshot.level_count; level-- > 1;)
    if (snapshot.levels[level].bookmark != kNoBookmark) return snapshot.levels[level].run_time;
  return 0;
}

void take_level(const LevelMarks& marks, const LevelWish& wish, std::uint64_t began) {
  HEDDLE_ASSERT(on_snapshot(), "levels are taken on a snapshot only");
  if (snapshot.level_count == kMaxLevels) return;
  const int bookmark =
      wish.keep ? claim_bookmark(marks, level_size(snapshot.dirty_count), wish.keep_cost) : kNoBookmark;
  if (bookmark == kNoBookmark && (!wish.in_any_case || !make_room_for_level(began))) return;
  if (!add_level(marks, snapshot.dirty_count, bookmark)) return;
  Level& level = snapshot.levels[snapshot.level_count - 1];
  level.context = heddle_beside;
  level.context.thread_pointer = runtime.tasks[runtime.current].thread_pointer;
  level.run_time = wish.run_time;
  if (bookmark != kNoBookmark) {
    complete_bookmark(level);
    record_bookmark(bookmark);
  }
  auto& checkpoints = runtime.shared->status.checkpoints;  // only this process writes it
  checkpoints.store(checkpoints.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  snapshot.last_level_step = marks.steps;
  snapshot.last_level_at = __rdtsc();
  learn(snapshot.take_ticks, snapshot.last_level_at - began);
}

std::uint64_t take_cost() { return snapshot.take_ticks; }
std::uint64_t restore_cost() { return snapshot.restore_ticks; }
void forget_take_cost() { snapshot.take_ticks -= snapshot.take_ticks / 256; }
std::uint64_t last_level_at() { return snapshot.last_level_at; }
std::uint64_t whole_run() { return snapshot.whole_run_ticks; }

bool snapshot_mark() {
  Context& context = snapshot.mark;
  if (heddle_mark(&context) != 0) return true;
  context.thread_pointer = runtime.tasks[runtime.current].thread_pointer;
  // The pages that our own frames have heated since the snapshot was taken: as they are here, not as they were there.
  for (std::size_t i = 0; i < snapshot.dirty_count; ++i) save_page(i, snapshot.dirty[i]);
  LevelMarks marks;
  marks.output_size = output_size_before();
  add_level(marks, 0, kNoBookmark);
  snapshot.come_to = kNoBookmark;
  snapshot.levels[0].context = context;
  return false;
}

void restore_snapshot() { heddle_call_on_stack(heddle_stack_beside, restore); }

bool make_room_for_frame(const greg_t* registers) {
  constexpr std::uintptr_t kRoom = 16384;
  const std::size_t before = dirty_pages();
  before_kernel_writes(static_cast<std::uintptr_t>(registers[REG_RSP]) - kRoom, kRoom);
  return dirty_pages() != before;
}

}  // namespace heddle::runtime
