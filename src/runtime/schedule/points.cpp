// See points.h.
#include "runtime/schedule/points.h"

#include <string.h>

#include "model/spinning.h"
#include "protocol/time_slice.h"
#include "runtime/detect/modules.h"
#include "runtime/detect/races.h"
#include "runtime/detect/task_state.h"
#include "runtime/detect/weak_memory.h"
#include "runtime/detect/written_values.h"
#include "runtime/schedule/fast_step.h"
#include "runtime/state/objects.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// While one thread exists, or the others are over and joined, nothing can come in between. The
// runtime's own calls into libraries, and threads that it does not schedule, are none of its business.
bool is_point() {
  return runtime.mode == Mode::Branching && runtime.recording && !runtime.inside &&
         !runtime.world->population().others_are_over() && !is_foreign_thread();
}

namespace {

using instrument::AtomicAccess;
using instrument::AtomicKind;
using instrument::MemoryOrder;
using model::MemoryAccess;
using model::Operation;

// What the result of a step shows of a value: addresses are not the same in all executions, and do not fit.
constexpr std::int32_t kNotShown = INT32_MIN;

std::int32_t shown(const std::uint64_t (&words)[2], std::uint8_t size) {
  switch (size) {
    case 1:
      return static_cast<std::uint8_t>(words[0]);
    case 2:
      return static_cast<std::uint16_t>(words[0]);
    case 4:
      return static_cast<std::int32_t>(words[0]);
    default:
      return words[0] <= INT32_MAX && (size == 8 || words[1] == 0) ? static_cast<std::int32_t>(words[0]) : kNotShown;
  }
}

bool equal(const std::uint64_t (&one)[2], const std::uint64_t (&other)[2], std::uint8_t size) {
  return memcmp(one, other, size) == 0;
}

struct AtomicStep : MemoryAccess {
  AtomicAccess* access = nullptr;
};

// What came of it.
void conclude(AtomicStep& step) {
  const AtomicAccess& access = *step.access;
  std::uint64_t after[2] = {access.before[0], access.before[1]};
  if (access.wrote) memcpy(after, access.after, sizeof after);
  step.changed = access.wrote && !equal(access.before, after, access.size);
  // An update that leaves the value as it was (a lock that is found taken) is a read, as far as the order of steps can
  // tell.
  step.wrote = access.kind == AtomicKind::Update ? step.changed : access.wrote;
  step.value = shown(after, access.size);
}

void perform_atomic(MemoryAccess& step_) {
  auto& step = static_cast<AtomicStep&>(step_);
  step.access->perform(*step.access);
  conclude(step);
}

struct WeakStep : AtomicStep {
  WeakUse* use = nullptr;
  TaskId task = 0;
};

void perform_weak(MemoryAccess& step_) {
  auto& step = static_cast<WeakStep&>(step_);
  step.use->perform(step.task, step.variant);
  conclude(step);
  step.wrote = step.access->wrote;  // a store of the same value publishes what came before it
}

OperationKind kind_of(AtomicKind kind) {
  switch (kind) {
    case AtomicKind::Load:
      return OperationKind::AtomicLoad;
    case AtomicKind::Store:
      return OperationKind::AtomicStore;
    case AtomicKind::Update:
      return OperationKind::AtomicUpdate;
    case AtomicKind::CompareExchange:
      return OperationKind::AtomicCompareExchange;
  }
  return OperationKind::AtomicUpdate;
}

// What plain code reads and writes.
constexpr std::uint64_t kUnseen = 0;

// Not in line: what it leaves on the stack is to lie below its caller's frame (forget_how()). `state`: see
// HEDDLE_TASK_STATE; null: in code whose plain accesses are not seen. Others may change the memory unseen there, so
// nobody waits until it is changed. And what comes behind one such step may depend on what comes behind any other: so
// they depend on each other, by an object that stands for what is not seen.
[[gnu::noinline]] void take_point(OperationKind kind, const void* address, std::size_t size, Site site,
                                  MemoryAccess& access, const std::uint64_t* state) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const ObjectId object = find_memory_object(address, site);
  const auto offset = begin & (kMemoryPiece - 1);
  const bool in_one = offset + size <= kMemoryPiece && !is_of_range(kind) && state != nullptr;
  const auto marks = static_cast<std::uint8_t>(offset | std::uint8_t{access.order}
                                                            << (StepMarks::kOrderShift - StepMarks::kOffsetShift));
  if (in_one && model::ways_of_access(*runtime.world, runtime.current, access) == 1 &&
      access_memory_at_once(kind, object, marks, site, access))
    return;
  ObjectId second = kNoObject;
  if (state == nullptr) {
    if (address != &kUnseen) second = find_memory_object(&kUnseen, site);
  } else if (!in_one && !is_of_range(kind)) {
    const auto next = (begin & ~(kMemoryPiece - 1)) + kMemoryPiece;
    second = find_memory_object(reinterpret_cast<const void*>(next), site);
  }
  Operation& draft = draft_operation();  // asked for once: each time, what shares its room with `offset` is cleared
  draft.kind = kind;
  draft.object = object;
  draft.object2 = second;
  draft.offset = marks;
  draft.site = site;
  draft.access = &access;
  // Who has read a clock since will find another time the next time, and do something else.
  if (state != nullptr && model::would_repeat(*runtime.world, runtime.current, draft))
    draft.argument = task_state(state, static_cast<std::uint64_t>(current_data().processor_time));
  perform_draft();
}

// Behind a point: a second read in a row, or a later one, may be in a loop.
void forget_how() {
  if (model::consecutive_reads(*runtime.world, runtime.current)) heddle_clear_dead_frames();
}

std::uint8_t mark_of(const AtomicAccess& access) {
  return order_mark(kind_of(access.kind), static_cast<AtomicOrder>(access.order));
}

void on_weak_atomic(AtomicAccess& access) {
  WeakUse use(access);
  WeakStep step;
  step.perform = perform_weak;
  step.access = &access;
  step.order = mark_of(access);
  step.atomic = step.use = &use;
  step.sequential =
      use.order == AtomicOrder::SequentiallyConsistent || use.choosing_order() == AtomicOrder::SequentiallyConsistent;
  step.task = runtime.current;
  take_point(kind_of(access.kind), access.address, access.size, reinterpret_cast<Site>(access.caller), step,
             HEDDLE_TASK_STATE);
  races_atomic(access, &use);
  forget_how();
}

// What it orders follows when the task goes on. For who reads in a loop it changes nothing.
void perform_fence(MemoryAccess& step) { step.wrote = true; }

// The object that stands for all of them.
constexpr std::uint64_t kAllFences = 0;

void on_atomic(AtomicAccess& access) {
  if (!is_point()) {
    access.perform(access);
    races_atomic(access, nullptr);
    return;
  }
  if (has_weak_memory()) return on_weak_atomic(access);
  AtomicStep step;
  step.perform = perform_atomic;
  step.access = &access;
  step.order = mark_of(access);
  take_point(kind_of(access.kind), access.address, access.size, reinterpret_cast<Site>(access.caller), step,
             HEDDLE_TASK_STATE);
  races_atomic(access, nullptr);  // here, where the task runs that has made it
  forget_how();
}

// The access itself follows when the task goes on. Before that, what is there is looked at, for the record.
struct PlainStep : MemoryAccess {
  const void* address = nullptr;
  std::size_t size = 0;
};

void perform_read(MemoryAccess& step_) {
  auto& step = static_cast<PlainStep&>(step_);
  std::uint64_t words[2] = {};
  const bool whole = step.size == 1 || step.size == 2 || step.size == 4 || step.size == 8;
  if (whole) memcpy(words, step.address, step.size);
  step.value = whole ? shown(words, static_cast<std::uint8_t>(step.size)) : kNotShown;
}

// What will be written is not known here.
void perform_write(MemoryAccess& step) {
  step.wrote = step.changed = true;
  step.value = kNotShown;
}

// The access that follows may write. It is not looked at: the memory may be of a kind that can't be read.
void perform_program_point(MemoryAccess& step) { step.wrote = step.changed = true; }

void on_volatile_read(const void* address, std::size_t size, const void* caller) {
  point_before_access(OperationKind::MemoryRead, address, size, reinterpret_cast<Site>(caller));
  races_volatile(address, size, false, caller);
}

void on_volatile_write(const void* address, std::size_t size, const void* caller) {
  point_before_access(OperationKind::MemoryWrite, address, size, reinterpret_cast<Site>(caller));
  races_volatile(address, size, true, caller);
}

void on_fence(MemoryOrder order, const void* caller) {
  if (order == MemoryOrder::SequentiallyConsistent && has_weak_memory() && is_point()) {
    MemoryAccess step;
    step.perform = perform_fence;
    take_point(OperationKind::AtomicFence, &kAllFences, 1, reinterpret_cast<Site>(caller), step, HEDDLE_TASK_STATE);
    forget_how();
  }
  races_fence(order);
}
void on_signal_fence(MemoryOrder, const void*) {}  // orders a thread with its own handlers only
void on_acquire(const void* address, const void*) { races_acquire(address); }
void on_release(const void* address, const void*) { races_release(address); }
void on_benign(const void* address, std::size_t size, const void*) { races_benign(address, size); }
void on_ignore(bool writes, bool begin) { races_ignore(writes, begin); }

constexpr instrument::Points kPoints = {on_atomic,  on_fence,   on_signal_fence, on_volatile_read, on_volatile_write,
                                        on_acquire, on_release, on_benign,       on_ignore};

// Does a lock or the like begin in these bytes? Its calls are steps of an object of another name, and depend on what is
// written over it.
bool holds_object(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t at = begin & ~(sizeof(Mark) - 1); at < begin + size; at += sizeof(Mark)) {
    if (is_mark(reinterpret_cast<const void*>(at))) return true;
    for (const std::uintptr_t word : {at, at + sizeof(std::uint32_t)}) {
      const auto* const small = reinterpret_cast<const std::uint32_t*>(word);
      if (is_object(small_object_marked(*small), ObjectKind::SpinLock, small)) return true;
    }
  }
  return false;
}

}  // namespace

void make_points() { watch_points(&kPoints); }

// A plain store that is not seen may change what it waits for: so it is never held back until a step does (spinning.h).
// When it has read in vain often enough it yields.
void point_at_atomic_instruction(AtomicAccess& access) {
  if (has_weak_memory()) return on_weak_atomic(access);
  AtomicStep step;
  step.perform = perform_atomic;
  step.access = &access;
  step.order = mark_of(access);
  take_point(kind_of(access.kind), access.address, access.size, reinterpret_cast<Site>(access.caller), step, nullptr);
  races_atomic(access, nullptr);
  forget_how();
}

// Between two fences plain code may copy a table of any length: that they repeat does not make it a loop that waits.
void point_at_fence(Site site) {
  MemoryAccess step;
  step.perform = perform_fence;
  take_point(OperationKind::AtomicFence, &kUnseen, 1, site, step, nullptr);
  races_fence(MemoryOrder::SequentiallyConsistent);
  forget_how();
}

namespace {

std::uint32_t own_steps() { return runtime.world->schedule().fairness().steps_of(runtime.current); }

// Not in line: the count is to be in no register when the task waits, since states are compared there (loops.h).
[[gnu::noinline]] bool has_come_round() {
  const TaskData& data = current_data();
  return data.waits_at != 0 && data.waits_since == own_steps();
}

}  // namespace

void point_in_waiting_loop(Site site) {
  if (has_come_round()) {
    Operation& draft = draft_operation();
    draft.kind = OperationKind::Yield;
    draft.object = kNoObject;
    draft.site = site;
    perform_draft();
  }
  TaskData& data = current_data();
  data.waits_at = site;
  data.waits_since = own_steps();
}

void point_before_access(OperationKind kind, const void* address, std::size_t size, Site site) {
  if (!is_point()) return;
  static_cast<void>(*static_cast<const volatile char*>(address));  // a wrong address faults here, not within the step
  const bool writes = kind != OperationKind::MemoryRead && kind != OperationKind::MemoryRangeRead;
  const std::size_t end = reinterpret_cast<std::uintptr_t>(address) % kMemoryPiece + size;
  if (kind != OperationKind::MemoryFree && (end > 2 * kMemoryPiece || (writes && holds_object(address, size))))
    kind = writes ? OperationKind::MemoryRangeWrite : OperationKind::MemoryRangeRead;
  PlainStep step;
  step.perform = writes ? perform_write : perform_read;
  step.address = address;
  step.size = size;
  take_point(kind, address, size, site, step, HEDDLE_TASK_STATE);
  if (kind == OperationKind::MemoryWrite) note_write(address, size, site);
  forget_how();
}

// Fairness takes the turn from who yields twice while others could go on.
void yield_before_access(Site site) {
  const std::uint32_t before = runtime.world->schedule().steps().count();
  for (unsigned yields = 0; yields < 2 && is_point() && runtime.world->schedule().steps().count() == before + yields;
       ++yields) {
    Operation& draft = draft_operation();
    draft.kind = OperationKind::Yield;
    draft.object = kNoObject;
    draft.argument = kEndOfSlice;
    draft.site = site;
    perform_draft();
  }
}

void point_of_program(const void* address, Site site) {
  if (!is_point()) return;
  PlainStep step;
  step.perform = perform_program_point;
  take_point(OperationKind::ProgramPoint, address, 1, site, step, HEDDLE_TASK_STATE);
}

void point_at_library_call(const void* address, Site site) {
  if (!is_point()) return;
  PlainStep step;
  step.perform = perform_program_point;
  take_point(OperationKind::LibraryCall, address, 1, site, step, HEDDLE_TASK_STATE);
}

}  // namespace heddle::runtime
