// See loops.h.
#include "runtime/schedule/loops.h"

#include <sys/auxv.h>

#include <array>

#include "model/services.h"
#include "model/state_hash.h"
#include "runtime/heap/program_heap.h"
#include "runtime/os/rare.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/carrier.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/snapshot/memory_hash.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/runtime.h"
#include "runtime/state/time_base.h"
#include "runtime/state/up_calls.h"

// Calls heddle_check_state(stack pointer) with the registers that a callee keeps on the stack above that. Then it
// clears what lies below: frames to come have slots that they do not write to, and what is left there is to be the same
// in every round, and in every run.
__asm__(
    ".text\n"
    ".globl heddle_detect_loop\n.hidden heddle_detect_loop\n.type heddle_detect_loop,@function\n"
    "heddle_detect_loop:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n  .cfi_adjust_cfa_offset 8\n  push %rbx\n  .cfi_adjust_cfa_offset 8\n"
    "  push %r12\n  .cfi_adjust_cfa_offset 8\n  push %r13\n  .cfi_adjust_cfa_offset 8\n"
    "  push %r14\n  .cfi_adjust_cfa_offset 8\n  push %r15\n  .cfi_adjust_cfa_offset 8\n"
    "  mov %rsp, %rdi\n  sub $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
    "  call heddle_check_state\n"
    "  lea -2048(%rsp), %rdi\n  xor %eax, %eax\n  mov $256, %ecx\n  rep stosq\n"
    "  add $56, %rsp\n  .cfi_adjust_cfa_offset -56\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_detect_loop, .-heddle_detect_loop\n");

namespace heddle::runtime {
namespace {

using model::StateHash;

constexpr std::uint32_t kNever = UINT32_MAX;
// So many steps of an execution in which nobody has got nowhere are not suspect. Then it is watched for a stretch, and
// again for a stretch whenever it has become twice as long.
constexpr std::uint32_t kFirstStretch = 4096, kStretch = 1024;
constexpr unsigned kMaxChecks = 256;  // in a stretch
constexpr unsigned kVisits = 16;      // behind idle steps: so many are remembered
// So many steps behind an idle one are decided, each. One that takes effect at once leaves other things on the stack;
// which steps do depends on where something is planned, and rounds that differ by that alone are to be the same.
constexpr std::uint32_t kDecided = 32;
// A look at a large state takes far longer than a step: ten thousand objects and a megabyte of heap, 100 us and more.
// So there may be so many looks, in objects and pieces of the heap looked at, by how many steps there were. Counted is
// what a plan alone decides, and not, for instance, which pages are dirty: then the same plan is ended at the same
// step.
constexpr std::uint64_t kPieceBytes = 64;
constexpr std::uint64_t kExaminedAtOnce = 1 << 20, kExaminedForEachStep = 256;
// Without a snapshot nobody knows which pages have changed, and a look reads them all. There is one only behind a wait
// that ended by its time, where no other task can go on; behind so many of such places, and this often.
constexpr unsigned kTicksUnlooked = 8, kMostLooks = 64;
constexpr std::uint64_t kMostHeap = std::uint64_t{64} << 20;

struct Visit {
  StateHash state;
  std::uint32_t step = 0;
  std::uint32_t times_yielded = 0;
  Nanoseconds now = 0;
  StateHash reads;  // hash_reads()
  // Without a snapshot what the kernel keeps is as it was if nobody has called it.
  std::uint32_t calls = 0;
};

// Where the running task was when a stretch began; the state is looked at only where it is there again. It is compared
// with that of the first such visit, then with that of the 1st, 2nd, 4th, 8th … behind it.
struct Anchor {
  TaskId task = kNoTask;
  OperationKind kind = OperationKind::None;
  ObjectId object = kNoObject;
  Site site = 0;
  friend bool operator==(const Anchor&, const Anchor&) = default;
};

struct ExecutionLoops {
  Rare<std::array<Visit, kVisits>> visits;  // the last ones, in a circle
  unsigned visit_count = 0;
  std::uint32_t times_yielded = 0;
  bool behind_idle_step = false;
  std::uint32_t decided_until = 0;
  std::uint32_t next_stretch = kNever, stretch_end = 0;  // stretch_end: 0 when there is none now
  unsigned checks_left = 0;
  std::uint64_t examined = 0;  // objects and pieces of the heap
  Anchor anchor;
  Visit anchor_visit;
  unsigned ticks = 0, looks = 0;
  std::uint32_t verify_next = kNever;  // where the plan says that there is a loop: the next step to be looked at
};
constinit ExecutionLoops execution_loops{};

void check_next_at(std::uint32_t step) {
  runtime.detect_loops_from = step;
  look_ahead();
}

// A frame of ours may keep the time at which a wait is to end, or one before that: which of them it is says how far
// away it is, and not when. A word of the program's is never so great by itself (kTimeBase). But stacks hold words that
// the kernel has drawn: guards against overruns, pointers that libc mangles, the bytes of AT_RANDOM. One that is taken
// for a time never comes again, so what is taken for one must be near: three days ahead, five hours back.
void add_stack(StateHash& hash, const LiveStack& live) {
  constexpr std::uint64_t kAhead = std::uint64_t{1} << 48, kBack = std::uint64_t{1} << 44;
  const auto now = static_cast<std::uint64_t>(runtime.world->clock().now());
  const auto* const end = reinterpret_cast<const std::uint64_t*>(live.end);
  for (const auto* word = reinterpret_cast<const std::uint64_t*>(live.begin); word < end; ++word) {
    const bool is_time = *word >= static_cast<std::uint64_t>(kTimeBase) && *word - (now - kBack) < kAhead + kBack;
    hash.add(is_time ? ~(*word - now) : *word);
  }
}

// What the state contains besides the model's: stacks, memory, and what has been drawn or read so far. False: it can't
// be told.
bool add_program(StateHash& hash, std::uintptr_t stack_pointer, HashMemory hash_memory) {
  // What a clock said or a random number was is in the program's memory; what will be said next is not.
  hash.add(static_cast<std::uint64_t>(runtime.processor_time));
  for (std::uint32_t i = 0; i < runtime.world->population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    hash.add(runtime.tasks[id].draws);
    const model::Task& task = runtime.world->task(id);
    if (task.ended || task.timer) continue;
    const std::uintptr_t stack =
        id == runtime.current ? stack_pointer : reinterpret_cast<std::uintptr_t>(runtime.tasks[id].stack_pointer);
    LiveStack live;
    if (!live_stack(id, stack, live)) return false;
    add_stack(hash, live);
    hash_bytes(hash, reinterpret_cast<const void*>(live.storage_begin), live.storage_end - live.storage_begin);
  }
  return hash_memory(hash);
}

bool visit_now(Visit& visit, std::uintptr_t stack_pointer, HashMemory hash_memory) {
  visit.state = model::hash_state(*runtime.world);
  visit.step = runtime.world->schedule().steps().count();
  visit.times_yielded = execution_loops.times_yielded;
  visit.now = runtime.world->clock().now();
  visit.reads = model::hash_reads(*runtime.world);
  return add_program(visit.state, stack_pointer, hash_memory);
}

// The present state, if it can be told and there have not been too many looks.
bool check(Visit& visit, std::uintptr_t stack_pointer) {
  const std::uint64_t steps = runtime.world->schedule().steps().count();
  if (!on_snapshot()) {
    const HeapRange heap = program_heap_range();
    if (!dispatch_available() || heap.used_end - heap.begin > kMostHeap || somebody_waits_for_outside()) return false;
    ++execution_loops.looks;
    visit.calls = calls_of_kernel();
    return visit_now(visit, stack_pointer, hash_all_memory);
  }
  if (kernel_state_changed() || execution_loops.examined > kExaminedAtOnce + kExaminedForEachStep * steps) return false;
  const HeapRange heap = program_heap_range();
  execution_loops.examined += runtime.world->population().object_count() + (heap.used_end - heap.begin) / kPieceBytes;
  return visit_now(visit, stack_pointer, hash_dirty_pages);
}

// Where time passes in the cycle, those that go round only wait for the next time to come, and hide from nobody that
// others stand still.
[[noreturn]] void end_in_loop(const Visit& since, bool fair) {
  runtime.loop_from = since.step;
  runtime.world->decide();
  if (!fair) end_execution(EndKind::GoodSamaritan, nullptr, MessageKind::None);
  const bool in_time = since.now < runtime.world->clock().now();
  const bool stuck = in_time && model::somebody_is_stuck(*runtime.world, since.step);
  end_execution(stuck ? EndKind::Deadlock : EndKind::Livelock, nullptr, MessageKind::None);
}

bool plan_is_followed_to_its_end() { return next_planned_step() == UINT32_MAX; }

// --- behind idle steps

// Nothing was planned since, so it will go round like this for ever, unless fairness takes the turn from who yields, or
// who has read the same some times waits for another value.
bool goes_round_alone(const Visit& before, const Visit& now) {
  const std::uint32_t deltas = planned_deltas();
  if (deltas != 0 && planned_delta(deltas - 1).step >= before.step) return false;
  return follows_default() && now.times_yielded == before.times_yielded && now.reads == before.reads;
}

void check_after_idle_step(std::uintptr_t stack_pointer) {
  Visit now;
  if (!check(now, stack_pointer)) return;
  const unsigned known = execution_loops.visit_count < kVisits ? execution_loops.visit_count : kVisits;
  for (unsigned i = 0; i < known; ++i) {
    const Visit& before = (*execution_loops.visits)[i];
    if (!(before.state == now.state) || before.calls != now.calls) continue;
    const bool fair = is_fair_since(*runtime.world, before.step);
    if (fair || (on_snapshot() && goes_round_alone(before, now))) end_in_loop(before, fair);
  }
  (*execution_loops.visits)[execution_loops.visit_count++ % kVisits] = now;
}

// --- in long executions

Anchor present_anchor() {
  const model::Operation& pending = runtime.world->task(runtime.current).pending;
  return {runtime.current, pending.kind, pending.object, pending.site};
}

void begin_stretch(std::uintptr_t stack_pointer) {
  execution_loops.next_stretch = execution_loops.next_stretch < kNever / 2 ? execution_loops.next_stretch * 2 : kNever;
  if (!plan_is_followed_to_its_end() || !follows_default() || !check(execution_loops.anchor_visit, stack_pointer))
    return;
  execution_loops.anchor = present_anchor();
  execution_loops.stretch_end = execution_loops.anchor_visit.step + kStretch;
  execution_loops.checks_left = kMaxChecks;
}

void check_in_stretch(std::uintptr_t stack_pointer) {
  if (runtime.world->schedule().steps().count() >= execution_loops.stretch_end || execution_loops.checks_left == 0) {
    execution_loops.stretch_end = 0;
    return;
  }
  Visit now;
  if (!(present_anchor() == execution_loops.anchor)) return;
  --execution_loops.checks_left;
  if (!check(now, stack_pointer)) return;
  if (!(now.state == execution_loops.anchor_visit.state)) {
    // Perhaps not yet in the cycle then, but on the way to it (Brent, 1980).
    if (const unsigned checks = kMaxChecks - execution_loops.checks_left; (checks & (checks - 1)) == 0)
      execution_loops.anchor_visit = now;
    return;
  }
  if (is_fair_since(*runtime.world, execution_loops.anchor_visit.step)) end_in_loop(execution_loops.anchor_visit, true);
  if (goes_round_alone(execution_loops.anchor_visit, now)) end_in_loop(execution_loops.anchor_visit, false);
}

void check_without_snapshot(std::uintptr_t stack_pointer) {
  check_next_at(kNever);
  execution_loops.behind_idle_step = false;
  if (runtime.world->schedule().lowest_eligible(runtime.current) != kNoTask) return;
  if (++execution_loops.ticks <= kTicksUnlooked) return;
  if (execution_loops.looks < kMostLooks) check_after_idle_step(stack_pointer);
}

void check_on_snapshot(std::uintptr_t stack_pointer) {
  const std::uint32_t step = runtime.world->schedule().steps().count();
  if (execution_loops.behind_idle_step) {
    execution_loops.decided_until = step + kDecided;
    check_after_idle_step(stack_pointer);
  }
  execution_loops.behind_idle_step = false;
  if (execution_loops.stretch_end != 0)
    check_in_stretch(stack_pointer);
  else if (step >= execution_loops.next_stretch)
    begin_stretch(stack_pointer);
  const std::uint32_t next =
      execution_loops.stretch_end != 0 || step < execution_loops.decided_until ? 0 : execution_loops.next_stretch;
  const bool same = runtime.detect_loops_from == next || (next != 0 && runtime.undisturbed_until != 0);
  runtime.detect_loops_from = next;
  if (!same) look_ahead();
}

// --- where the plan says that there is a loop

// Behind idle steps it only does what was done when the loop was found: it clears the stack.
void verify_loop(std::uintptr_t stack_pointer) {
  const std::uint32_t step = runtime.world->schedule().steps().count(), from = plan().loop_from;
  if (step < execution_loops.verify_next) return check_next_at(execution_loops.verify_next);
  if (step == from) {
    const bool known = visit_now(execution_loops.anchor_visit, stack_pointer, hash_all_memory);
    execution_loops.verify_next = known ? planned_delta(planned_deltas() - 1).step + 1 : kNever;
    return check_next_at(execution_loops.verify_next);
  }
  Visit now;
  if (step > from && visit_now(now, stack_pointer, hash_all_memory) && now.state == execution_loops.anchor_visit.state)
    end_in_loop(execution_loops.anchor_visit, is_fair_since(*runtime.world, from));
  execution_loops.verify_next = kNever;
  check_next_at(kNever);
}

}  // namespace

void begin_loop_detection() {
  runtime.detect_loops_from = kNever;
  if (plan().loop_from != 0 && planned_deltas() != 0) {
    runtime.detect_loops_from = execution_loops.verify_next = plan().loop_from;
  } else if (on_snapshot()) {
    execution_loops.next_stretch = kFirstStretch;
    runtime.detect_loops_from = kFirstStretch;
  }
}

// Stretches begin only behind the last choice that is planned.
void detect_loops_by_plan() {
  if (plan_is_followed_to_its_end() || execution_loops.stretch_end == 0) return;
  execution_loops.stretch_end = 0;
  check_next_at(
      runtime.world->schedule().steps().count() < execution_loops.decided_until ? 0 : execution_loops.next_stretch);
}

void note_idle_step(bool yields, bool timed_out) {
  execution_loops.times_yielded += yields ? 1 : 0;
  if (on_snapshot() || plan().loop_from != 0) {
    if (runtime.detect_loops_from == kNever) return;
  } else if (!timed_out) {
    return;
  }
  execution_loops.behind_idle_step = true;
  runtime.detect_loops_from = 0;
  runtime.undisturbed_until = 0;  // from the next step on, whatever would have been decided behind this one
}

}  // namespace heddle::runtime

extern "C" __attribute__((visibility("hidden"), used)) void heddle_check_state(std::uintptr_t stack_pointer) {
  using namespace heddle::runtime;
  if (!runtime.recording) return;
  if (plan().loop_from != 0)
    verify_loop(stack_pointer);
  else if (on_snapshot())
    check_on_snapshot(stack_pointer);
  else
    check_without_snapshot(stack_pointer);
}
