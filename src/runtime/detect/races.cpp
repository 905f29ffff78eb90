// See races.h.
#include "runtime/detect/races.h"

#include <array>
#include <utility>

#include "model/plain_loop.h"
#include "model/race_detector.h"
#include "protocol/page.h"
#include "runtime/detect/aside.h"
#include "runtime/detect/benign.h"
#include "runtime/detect/callbacks.h"
#include "runtime/detect/loading_order.h"
#include "runtime/detect/memory_origin.h"
#include "runtime/detect/modules.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/detect/race_orders.h"
#include "runtime/detect/race_places.h"
#include "runtime/detect/race_points.h"
#include "runtime/detect/weak_memory.h"
#include "runtime/detect/written_values.h"
#include "runtime/heap/program_heap.h"
#include "runtime/os/rare.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/address_space.h"
#include "runtime/state/modules.h"
#include "runtime/state/race_watch.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

ExecutionRaceWatch race_watch;

namespace {

using instrument::MemoryOrder;
using model::AccessFlags;
using model::FoundRace;
using model::Order;
using model::RaceDetector;

// A reservation, of which the detector's memory is taken; it is never restored.
struct PermanentRoom {
  char* begin = nullptr;
  std::size_t left = 0;
};
HEDDLE_PERMANENT constinit PermanentRoom permanent_room{};

constexpr unsigned kSliceSlots = 64;
struct ExecutionRaces {
  int once_calls = 0;  // between races_enter_once() and races_leave_once()
  bool checking_loop = false;
  bool any_ended = false;  // some thread has
  // Of the running task since this step: how often it was looked for a loop and none was seen.
  std::uint32_t long_run_step = 0, long_runs = 0;
  Rare<model::PlainLoop> plain_loop;
  // How often a task was made to yield; those that share a slot share the number.
  Rare<std::array<std::uint8_t, kSliceSlots>> slices;
};
constinit ExecutionRaces execution_races{};

constexpr int kOnceReady = 2;  // GLib's G_ONCE_STATUS_READY, the first word of a GOnce

// --- memory: pieces of one reservation, which are never restored

constexpr std::size_t kRoom = std::size_t{40} << 30;  // address space; of it, shadow for 9 GB of the program's memory
constexpr std::size_t kSmallRoom = std::size_t{6} << 30;
constexpr std::size_t kPage = kPageBytes;

void* take_room(std::size_t bytes) {
  const std::size_t size = (bytes + kPage - 1) & ~(kPage - 1);
  if (size > permanent_room.left) return nullptr;
  char* piece = permanent_room.begin;
  permanent_room.begin += size;
  permanent_room.left -= size;
  return piece;
}

bool make_room() {
  if (permanent_room.begin != nullptr) return true;
  for (const std::size_t bytes : {kRoom, kSmallRoom}) {
    permanent_room.begin = static_cast<char*>(os::reserve(bytes));
    permanent_room.left = permanent_room.begin != nullptr ? bytes : 0;
    if (permanent_room.begin != nullptr) return true;
  }
  return false;
}

// --- what was found

RacePlace place_for_record(model::Place number) {
  const AccessPlace& place = place_of(number);
  RacePlace result{place.site, place.step};
  result.stack = stack_of(place, result.depth);
  return result;
}

// Of plain accesses; what atomic ones do is told by their steps.
void note_values_of(const FoundRace& race) {
  constexpr unsigned kOther = AccessFlags::Atomic | AccessFlags::Freed | AccessFlags::Used | AccessFlags::Ended;
  if (race.ordered || (race.later.flags & kOther) != 0) return;
  const bool earlier_wrote =
      (race.earlier.flags & AccessFlags::Write) != 0 && (race.earlier.flags & (kOther & ~AccessFlags::Atomic)) == 0;
  note_racing_access(race.later.address, race.later.size, place_of(race.later.place).site, earlier_wrote,
                     (race.later.flags & AccessFlags::Write) != 0);
}

void on_race(const FoundRace& race) {
  const std::uint8_t benign_flag =
      is_benign(race.later.address, race.later.size) ? std::uint8_t{RaceFlags::Benign} : std::uint8_t{0};
  const std::uint8_t flags = benign_flag | (race.ordered ? std::uint8_t{RaceFlags::Ordered} : std::uint8_t{0});
  if (is_reported(race, flags)) return;
  record_memory_origin(race.later.address, race.later.task, place_of(race.later.place).site);
  note_values_of(race);
  record_race(race.earlier, place_for_record(race.earlier.place), 0);
  record_race(race.later, place_for_record(race.later.place), RaceFlags::Later | flags);
}

// --- stacks of threads that have ended

bool is_on_stack_of(std::uint64_t address, TaskId task) {
  const TaskData& data = runtime.tasks[task];
  const std::uintptr_t end = data.stack_size != 0 ? data.stack_low + data.stack_size : data.thread_pointer;
  return data.stack_low != 0 && data.stack_low <= address && address < end;
}

// Whose stack it was that the address lies on, if nobody's that lives. A stack may have had several threads.
TaskId last_owner_of_dead_stack(std::uint64_t address) {
  TaskId owner = kNoTask;
  for (auto task = static_cast<TaskId>(runtime.world->population().task_count()); task-- > 0;) {
    if (!is_on_stack_of(address, task)) continue;
    if (!runtime.world->task(task).ended) return kNoTask;
    if (owner == kNoTask) owner = task;
  }
  return owner;
}

// When a thread ends, all others begin an epoch (step_aside): so whoever uses its stack afterwards comes here.
void check_for_dead_stack(TaskId task, std::uint64_t address, std::uint64_t size, std::uint8_t flags,
                          model::Place place) {
  if (!execution_races.any_ended || !is_task_stack(address) || is_on_stack_of(address, task)) return;
  const TaskId owner = last_owner_of_dead_stack(address);
  if (owner == kNoTask) return;
  FoundRace race;
  race.ordered = true;
  race.earlier.task = owner;
  race.earlier.flags = AccessFlags::Write | AccessFlags::Freed | AccessFlags::Ended;
  race.earlier.address = race.later.address = address;
  race.earlier.size = race.later.size = static_cast<std::uint8_t>(size < 255 ? size : 255);
  race.earlier.place = place_of_end(owner);
  race.later.task = task;
  race.later.flags = flags;
  race.later.place = place;
  on_race(race);
}

// --- accesses

void access_aside(std::uint64_t address, std::uint64_t size, std::uint64_t flags, Site caller) {
  const model::Place place = place_here(caller);
  if ((flags & AccessFlags::Write) != 0) note_more_writing(address, size, caller);
  check_for_dead_stack(runtime.current, address, size, static_cast<std::uint8_t>(flags), place);
  permanent_detector.detector->access(address, size, static_cast<std::uint8_t>(flags), place);
}

[[gnu::noinline]] void note_access(std::uintptr_t address, std::size_t size, std::uint8_t flags, const void* caller) {
  if (race_watch.ignored[(flags & AccessFlags::Write) != 0] != 0) return;
  heddle_call_aside(access_aside, address, size, flags, reinterpret_cast<Site>(caller));
}

void detect_plain_loop(const void* address, std::size_t size, bool write, const void* caller);

template <unsigned kSize, bool kWrite>
void on_access(const void* address, const void* caller) {
  if (!is_watched()) return;
  if (__builtin_expect(--race_watch.accesses_left == 0, 0)) detect_plain_loop(address, kSize, kWrite, caller);
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (__builtin_expect(permanent_detector.detector->covered<kSize, kWrite>(begin), 1)) return;
  note_access(begin, kSize, kWrite ? AccessFlags::Write : 0, caller);
}

void on_range(const void* address, std::size_t size, bool write, const void* caller) {
  if (!is_watched()) return;
  behind_loading();
  note_access(reinterpret_cast<std::uintptr_t>(address), size, write ? AccessFlags::Write : 0, caller);
}

void on_read16(const void* address, const void* caller) { on_range(address, 16, false, caller); }
void on_write16(const void* address, const void* caller) { on_range(address, 16, true, caller); }
void on_read_range(const void* address, std::size_t size, const void* caller) {
  on_range(address, size, false, caller);
}
void on_write_range(const void* address, std::size_t size, const void* caller) {
  on_range(address, size, true, caller);
}

void on_vptr_update(const void* address, const void* value, const void* caller) {
  if (*static_cast<const void* const*>(address) == value)
    on_access<8, false>(address, caller);
  else
    on_access<8, true>(address, caller);
}

// --- loops that wait for a plain variable (model/plain_loop.h), and long runs

// --- accesses at places that race

[[gnu::noinline]] void take_point(OperationKind kind, const void* address, std::size_t size, const void* caller) {
  if (!is_watched() || runtime.inside || size == 0 || !may_take_point()) return;
  point_before_access(kind, address, size, reinterpret_cast<Site>(caller));
}

constexpr OperationKind kind_of(bool write) { return write ? OperationKind::MemoryWrite : OperationKind::MemoryRead; }

// Of a copy two accesses are told before it is made, and other threads may come between them and it: whatever they do
// there depends on the later one, whichever of the two that is.
constexpr OperationKind kind_of_range(bool write) {
  return write ? OperationKind::MemoryRangeWrite : OperationKind::MemoryRangeRead;
}

// Of another allocator than ours not all of its functions are known: it may have given the block out again.
void free_aside(std::uint64_t address, std::uint64_t size, std::uint64_t, Site caller) {
  permanent_detector.detector->free_block(address, size, place_here(caller), heap_serves());
}

// Behind an access at a point a new epoch begins: else the task's next accesses to the same bytes would be passed over
// by the detector, since the one at the point stands for them, and their places would never be points.
[[gnu::noinline]] void begin_epoch() {
  if (!is_watched() || runtime.inside) return;
  permanent_detector.detector->clocks().begin_epoch(runtime.current);
  permanent_detector.detector->switch_to(runtime.current);
}

template <typename Access>
[[gnu::noinline]] void access_at_point(OperationKind kind, const void* address, std::size_t size, const void* caller,
                                       Access access) {
  take_point(kind, address, size, caller);
  access();
  begin_epoch();
}

template <unsigned kSize, bool kWrite>
void on_access_or_point(const void* address, const void* caller) {
  const auto access = [=] { on_access<kSize, kWrite>(address, caller); };
  if (__builtin_expect(is_point(caller), 0)) return access_at_point(kind_of(kWrite), address, kSize, caller, access);
  access();
}

// Not cut in pieces, as copies are (instrument/memory.cpp): a switch before it is enough for most outcomes.
template <bool kWrite>
void on_range_or_point(const void* address, std::size_t size, const void* caller) {
  const auto access = [=] { on_range(address, size, kWrite, caller); };
  if (__builtin_expect(is_point(caller), 0))
    return access_at_point(kind_of_range(kWrite), address, size, caller, access);
  access();
}

template <bool kWrite>
void on_16_or_point(const void* address, const void* caller) {
  on_range_or_point<kWrite>(address, 16, caller);
}

void on_vptr_update_or_point(const void* address, const void* value, const void* caller) {
  const auto access = [=] { on_vptr_update(address, value, caller); };
  if (__builtin_expect(is_point(caller), 0)) return access_at_point(kind_of(true), address, 8, caller, access);
  access();
}

void on_enter(const void*, const void*) {}
void on_leave() {}

// A realloc() may have left the block where it is: then its users are forgotten, which may miss a race.
void on_block_allocated(const void* block, std::size_t size) {
  if (is_watched() && !in_heap(block)) monitor_allocated(block, size);
}

struct PermanentAccesses {
  instrument::Accesses alone, and_points;
};
HEDDLE_PERMANENT constinit PermanentAccesses permanent_accesses{
    {{on_access<1, false>, on_access<2, false>, on_access<4, false>, on_access<8, false>, on_read16},
     {on_access<1, true>, on_access<2, true>, on_access<4, true>, on_access<8, true>, on_write16},
     on_read_range,
     on_write_range,
     [](const void*) { return false; },
     on_access<8, false>,
     on_vptr_update,
     on_enter,
     on_leave,
     nullptr},
    {{on_access_or_point<1, false>, on_access_or_point<2, false>, on_access_or_point<4, false>,
      on_access_or_point<8, false>, on_16_or_point<false>},
     {on_access_or_point<1, true>, on_access_or_point<2, true>, on_access_or_point<4, true>,
      on_access_or_point<8, true>, on_16_or_point<true>},
     on_range_or_point<false>,
     on_range_or_point<true>,
     is_point,
     on_access_or_point<8, false>,
     on_vptr_update_or_point,
     on_enter,
     on_leave,
     nullptr}};

void end_slice_of_long_run(const void* caller) {
  if (const std::uint32_t steps = runtime.world->schedule().steps().count(); steps != execution_races.long_run_step) {
    execution_races.long_run_step = steps;
    execution_races.long_runs = 0;
  }
  std::uint8_t& so_far = (*execution_races.slices)[runtime.current % kSliceSlots];
  if (++execution_races.long_runs < model::PlainLoop::kSlice << so_far) return;
  if (so_far < model::PlainLoop::kMaxDoublings) ++so_far;
  execution_races.long_runs = 0;
  yield_before_access(reinterpret_cast<Site>(caller));
}

// It may have been made a million times since the last step.
[[gnu::noinline]] void detect_plain_loop(const void* address, std::size_t size, bool write, const void* caller) {
  using model::PlainLoop;
  race_watch.accesses_left = 1;
  if (is_checked_for_loading()) return;
  if (!execution_races.checking_loop) *execution_races.plain_loop = PlainLoop();
  execution_races.checking_loop = true;
  const PlainLoop::Verdict verdict = execution_races.plain_loop->note(reinterpret_cast<Site>(caller),
                                                                      reinterpret_cast<std::uintptr_t>(address), write);
  if (verdict == PlainLoop::Verdict::Unknown) return;
  execution_races.checking_loop = false;
  race_watch.accesses_left = PlainLoop::kLong;
  if (verdict == PlainLoop::Verdict::NoLoop || !can_have_points()) return end_slice_of_long_run(caller);
  for (const Site site : *execution_races.plain_loop) add_loop_site(site);
  watch_accesses(&permanent_accesses.and_points);
  take_point(kind_of(write), address, size, caller);
}

Order order_of(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::Relaxed:
      return Order::Relaxed;
    case MemoryOrder::Consume:
    case MemoryOrder::Acquire:
      return Order::Acquire;
    case MemoryOrder::Release:
      return Order::Release;
    default:
      return Order::AcquireRelease;
  }
}

void begin_plain_loop_detection() {
  execution_races.checking_loop = false;
  race_watch.accesses_left = model::PlainLoop::kLong;
}

// --- as a monitor

void prepare() {
  if (execution_modules.first_instrumented == nullptr || permanent_detector.detector != nullptr) return;
  constexpr std::size_t kStack = 65'536;
  if (make_room() && make_places(take_room))
    if (void* stack = take_room(kStack); stack != nullptr) {
      heddle_detector_stack = static_cast<char*>(stack) + kStack;
      permanent_detector.detector = RaceDetector::create(take_room, on_race);
    }
  if (permanent_detector.detector == nullptr) return;
  config.checkpoints = CheckpointChoice::Never;
  if (!make_weak_memory(take_room, permanent_detector.detector->clocks())) permanent_detector.detector = nullptr;
  if (permanent_detector.detector == nullptr) return;
  make_point_sites(take_room);
  prepare_callbacks();
  if (!heap_serves()) permanent_accesses.alone.allocated = permanent_accesses.and_points.allocated = on_block_allocated;
}

void on_switch(TaskId next) {
  const TaskData& task = runtime.tasks[next];
  race_watch.thread_pointer = task.thread_pointer;
  race_watch.ignored = task.races_ignored;
  permanent_detector.detector->switch_to(next);
  if (execution_loading.tasks != 0) race_watch.accesses_left = accesses_until_check(next);
}

bool begin() {
  if (permanent_detector.detector == nullptr) {
    if (execution_modules.first_instrumented != nullptr)
      note("data races are not looked for: there is no address space for it (is there a limit, `ulimit -v`?)");
    return false;
  }
  if (!permanent_detector.detector->begin_execution()) {
    note("data races are no longer looked for: this run has become too long");
    return false;
  }
  begin_places();
  begin_weak_memory();
  for (std::uint32_t id = 1; id < runtime.world->population().task_count(); ++id)
    permanent_detector.detector->clocks().add_task(static_cast<TaskId>(id), 0);
  on_switch(runtime.current);
  begin_points();
  begin_plain_loop_detection();
  watch_accesses(runtime.shared->points.count != 0 ? &permanent_accesses.and_points : &permanent_accesses.alone);
  return true;
}

void leave() { race_watch.thread_pointer = 0; }

}  // namespace

// Before any code of it that is instrumented makes an access, its constructors' too.
void races_module_loaded() {
  if (!detects_races()) return;
  const Aside aside = [](std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t) {
    publish_modules();
    add_points_of_files();
  };
  heddle_call_aside(aside, 0, 0, 0, 0);
}

namespace {

// The C library's calls look at their objects: a race with whoever frees these, or writes to them. (The order that the
// call makes comes behind that; what an unlock publishes comes behind its use of the mutex.)
void use_object(const model::TakenStep& step, Site site) {
  const std::uint64_t address = runtime.world->object(step.object).address;
  if (address == 0 || !is_instrumented_or_cpp(site)) return;
  permanent_detector.detector->switch_to(step.task);
  const model::Place place = place_of_step(step.task, site);
  check_for_dead_stack(step.task, address, 1, AccessFlags::Atomic | AccessFlags::Used, place);
  permanent_detector.detector->access(address, 1, AccessFlags::Atomic | AccessFlags::Used, place);
}

// In the epoch of an access that is known, the same access is passed over. But now it may be one to a dead stack.
void on_thread_exit() {
  execution_races.any_ended = true;
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id)
    if (!runtime.world->task(static_cast<TaskId>(id)).ended)
      permanent_detector.detector->clocks().begin_epoch(static_cast<TaskId>(id));
}

void step_aside(std::uint64_t taken, std::uint64_t site, std::uint64_t, std::uint64_t) {
  const auto& step = *reinterpret_cast<const model::TakenStep*>(taken);
  if (model::uses_memory_of_object(step.kind)) use_object(step, site);
  model::order_step(permanent_detector.detector->clocks(), *runtime.world, step);
  if (has_weak_memory()) runtime.world->weak_memory->drain(step.task);
  if (step.kind == OperationKind::ThreadExit) on_thread_exit();
  permanent_detector.detector->switch_to(runtime.current);
}

void on_step(const model::TakenStep& step, Site site) {
  behind_loading();
  race_watch.accesses_left = accesses_until_check(runtime.current);
  execution_races.checking_loop = false;
  if (!model::orders_others(step.kind)) return;
  heddle_call_aside(step_aside, reinterpret_cast<std::uintptr_t>(&step), site, 0, 0);
}

}  // namespace

namespace {

void atomic_aside(std::uint64_t performed, std::uint64_t weak_use, std::uint64_t, std::uint64_t) {
  const auto& access = *reinterpret_cast<const instrument::AtomicAccess*>(performed);
  using Kind = instrument::AtomicKind;
  RaceDetector::AtomicStep step;
  step.address = reinterpret_cast<std::uintptr_t>(access.address);
  step.size = access.size;
  step.reads = access.kind != Kind::Store;
  step.wrote = access.wrote;
  const bool failed = access.kind == Kind::CompareExchange && !access.wrote;
  step.order = order_of(failed ? access.failure_order : access.order);
  step.place = place_here(reinterpret_cast<Site>(access.caller));
  const auto flags = static_cast<std::uint8_t>(AccessFlags::Atomic | (step.wrote ? AccessFlags::Write : 0));
  check_for_dead_stack(runtime.current, step.address, step.size, flags, step.place);
  if (const auto* use = reinterpret_cast<const model::AtomicUse*>(weak_use); use != nullptr && !use->unknown) {
    permanent_detector.detector->access(step.address, step.size, flags, step.place);
    runtime.world->weak_memory->order(runtime.current, *use);
    return permanent_detector.detector->switch_to(runtime.current);
  }
  permanent_detector.detector->atomic(step);
}

void fence_aside(std::uint64_t order, std::uint64_t, std::uint64_t, std::uint64_t) {
  const auto asked = static_cast<MemoryOrder>(order);
  if (!has_weak_memory() || asked != MemoryOrder::SequentiallyConsistent)
    return permanent_detector.detector->fence(order_of(asked));
  runtime.world->weak_memory->sequential_fence(runtime.current);
  permanent_detector.detector->switch_to(runtime.current);
}

// Where the library says that the initializer has run does not show. Whoever learns it, by g_once()'s own atomic look
// at the object or by the function's end, comes behind all who are still in the function: one of them said so.
void read_whether_done(const void* object) {
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  if (execution_races.once_calls != 0)
    for (TaskId task = 0, end = static_cast<TaskId>(runtime.world->population().task_count()); task < end; ++task)
      if (runtime.tasks[task].once == object && *static_cast<const volatile int*>(object) == kOnceReady)
        permanent_detector.detector->clocks().release(task, model::key_of_annotation(at));
  permanent_detector.detector->clocks().acquire(runtime.current, model::key_of_annotation(at));
  permanent_detector.detector->switch_to(runtime.current);
}

}  // namespace

void races_atomic(const instrument::AtomicAccess& access, const model::AtomicUse* use) {
  if (execution_races.once_calls != 0 && is_watched()) read_whether_done(access.address);
  if (is_watched())
    heddle_call_aside(atomic_aside, reinterpret_cast<std::uintptr_t>(&access), reinterpret_cast<std::uintptr_t>(use), 0,
                      0);
}

void races_fence(MemoryOrder order) {
  if (!is_watched()) return;
  behind_loading();
  heddle_call_aside(fence_aside, static_cast<std::uint64_t>(order), 0, 0, 0);
}

const void* races_enter_once(const void* object) {
  if (!is_watched()) return nullptr;
  ++execution_races.once_calls;
  return std::exchange(current_data().once, object);
}

void races_leave_once(const void* object, const void* before) {
  if (!is_watched() || current_data().once != object) return;  // nobody looked when it was entered
  --execution_races.once_calls;
  current_data().once = before;
  read_whether_done(object);
  races_release(object);
}

void races_volatile(const void* address, std::size_t size, bool write, const void* caller) {
  on_range(address, size, write, caller);
}

void races_acquire(const void* address) {
  if (is_watched()) order_acquire(address);
}

void races_release(const void* address) {
  if (!is_watched()) return;
  behind_loading();
  order_release(address);
}

void races_signals_taken() {
  if (!is_watched()) return;
  model::order_signals_taken(permanent_detector.detector->clocks(), *runtime.world, runtime.current);
  permanent_detector.detector->switch_to(runtime.current);
}

void races_benign(const void* address, std::size_t size) {
  const bool is_known_before = runtime.mode == Mode::Alone;  // usually said before there are threads
  if (is_known_before || is_watched()) add_benign(reinterpret_cast<std::uintptr_t>(address), size);
}

void races_ignore(bool writes, bool begin) {
  if (!is_watched()) return;
  std::uint16_t& open = current_data().races_ignored[writes];
  if (begin)
    ++open;
  else if (open != 0)
    --open;
}

namespace {

// Only of instrumented code, and not for a library that is not instrumented (callbacks.h): what synchronizes inside of
// such a library, and orders this, is not known.
void on_freed(const void* memory, std::size_t size, const void* caller) {
  const auto free_block = [=] {
    if (race_watch.ignored[1] == 0)
      heddle_call_aside(free_aside, reinterpret_cast<std::uintptr_t>(memory), size, 0, reinterpret_cast<Site>(caller));
  };
  if (!is_watched() || runtime.inside || size == 0 || !is_instrumented(caller)) return;
  if (calls_library(caller) || in_callback_of_library()) return;
  behind_loading();
  if (can_have_points() && is_point(caller))
    return access_at_point(OperationKind::MemoryFree, memory, size, caller, free_block);
  free_block();
}

void on_allocated(const void* address, std::size_t size) {
  if (!is_watched()) return;
  permanent_detector.detector->forget(reinterpret_cast<std::uintptr_t>(address), size);
  if (has_weak_memory()) runtime.world->weak_memory->forget(reinterpret_cast<std::uintptr_t>(address), size);
}

}  // namespace

const Monitor kRacesMonitor = {.prepare = prepare,
                               .begin = begin,
                               .on_switch = on_switch,
                               .on_step = on_step,
                               .on_allocated = on_allocated,
                               .on_freed = on_freed,
                               .on_end = end_weak_memory,
                               .leave = leave};

}  // namespace heddle::runtime
