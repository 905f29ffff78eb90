// See clock.h.
#include "runtime/world/clock.h"

#include "model/spinning.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/time_base.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/relatives.h"

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kLatest = INT64_MAX / 2;
constexpr Nanoseconds kReadStep = 1'000;
constexpr std::uint32_t kPatience = 1'000;  // clock reads in a row before the steps grow
constexpr std::uint32_t kPatienceWithYields = 16;
constexpr std::uint32_t kDoubleEvery = 16;
constexpr std::uint32_t kYieldEvery = 64;
constexpr std::uint32_t kMaxDoublings = 13;  // about 8 ms a read

Nanoseconds to_nanoseconds(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  if (time.tv_sec >= kLatest / kSecond) return kLatest;
  return time.tv_sec * kSecond + time.tv_nsec;
}

// The kernel's numbers for the clocks of a process or thread: its id inverted and shifted, and which time is meant.
constexpr int kIdShift = 3;
constexpr unsigned kPerThread = 4, kScheduled = 2, kKindMask = 3, kDevice = 3;

// Whose processor time a clock of this kind shows. False: another process's, or a device's clock.
bool owner_of(clockid_t clock, TaskId& task, bool& whole_process) {
  if (clock >= 0 || (static_cast<unsigned>(clock) & kKindMask) == kDevice) return false;
  const int id = ~(clock >> kIdShift);
  whole_process = (static_cast<unsigned>(clock) & kPerThread) == 0;
  if (whole_process) return id == 0 || is_own_process(id);
  if (id == 0) return task = runtime.current, true;
  task = task_with_number(id);
  return task != kNoTask;
}

// Is it of interest how late the running thread is? It compares what it reads with what a thread has read before.
bool compares_times() {
  return runtime.mode == Mode::Branching && config.clock == ClockKind::Virtual && runtime.knows_the_time &&
         runtime.world->population().live_tasks() > 1;
}

void tell_read(std::uint32_t how) {
  auto& known = runtime.shared->status.clock_read;
  if ((known.load(std::memory_order_relaxed) & how) == 0) known.fetch_or(how, std::memory_order_relaxed);
}

// Of a stretch of reads without an operation the first few will do: whichever is late, those behind it are, too.
constexpr std::uint32_t kPerhapsLate = 3;

bool may_be_slow() {
  return runtime.slow_threads && compares_times() && runtime.free_clock_reads < kPerhapsLate && !is_foreign_thread();
}

// Lets the search decide whether the thread is slow here.
void consider_slowness(Site site) {
  tell_read(ClockUse::PerhapsLate);
  model::Operation& draft = draft_operation();
  draft.kind = OperationKind::ClockRead;
  draft.object = kNoObject;
  draft.site = site;
  draft.deadline = runtime.world->clock().now() + kSlowness;
  perform_draft();
}

// A task that reads clocks in a row and does nothing else waits for another.
void yield_when_polling(Site site) {
  const std::uint32_t reads = runtime.free_clock_reads;
  if (reads > kPatience) let_relatives_go_on(runtime.world->clock().now());
  if (reads <= kPatience || reads % kYieldEvery != 0 || runtime.world->population().live_tasks() < 2) return;
  model::Operation& draft = draft_operation();
  draft.kind = OperationKind::Yield;
  draft.object = kNoObject;
  draft.site = site;
  perform_draft();
}

}  // namespace

Nanoseconds deadline_at(clockid_t clock, const timespec* time) {
  if (time == nullptr) return kNoDeadline;
  Nanoseconds offset = 0;
  clock_offset(clock, offset);
  const Nanoseconds shown = to_nanoseconds(*time);
  return shown > offset ? shown - offset : 0;
}

Nanoseconds deadline_after(const timespec& duration) {
  const Nanoseconds length = to_nanoseconds(duration);
  const Nanoseconds now = runtime.world->clock().now();
  return length > kLatest - now ? kLatest : now + length;
}

bool clock_offset(clockid_t clock, Nanoseconds& offset) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return offset = config.realtime_start - kTimeBase, true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      return offset = config.monotonic_start - kTimeBase, true;
    case CLOCK_PROCESS_CPUTIME_ID:
      return offset = process_time() - runtime.world->clock().now(), true;
    case CLOCK_THREAD_CPUTIME_ID:
      return offset = task_time(runtime.current) - runtime.world->clock().now(), true;
    default:
      break;
  }
  TaskId task = 0;
  bool whole_process = false;
  if (!owner_of(clock, task, whole_process)) return false;
  offset = (whole_process ? process_time() : task_time(task)) - runtime.world->clock().now();
  return true;
}

bool read_clock(clockid_t clock, Nanoseconds& shown) {
  Nanoseconds offset = 0;
  if (!clock_offset(clock, offset)) return false;
  const Nanoseconds now = kTimeBase + read_clock();
  // A processor clock moves with the time that its own task takes to read it, and with no other.
  clock_offset(clock, offset);
  shown = now + offset;
  return true;
}

void before_clock_read(Site site) {
  if (may_be_slow()) consider_slowness(site);
  yield_when_polling(site);
}

void pass_time_while_yielding() {
  const std::uint32_t yields = ++runtime.free_yields;
  if (yields <= kPatienceWithYields ||
      runtime.world->clock().earliest_deadline(runtime.world->population()) == kNoDeadline)
    return;
  std::uint32_t doublings = (yields - kPatienceWithYields) / kDoubleEvery;
  if (doublings > kMaxDoublings) doublings = kMaxDoublings;
  runtime.world->advance_clock(runtime.world->clock().now() + (kReadStep << doublings));
  show_time();
}

Nanoseconds task_time(TaskId task) { return runtime.tasks[task].processor_time; }
Nanoseconds process_time() { return runtime.processor_time; }

clockid_t processor_clock_of(TaskId task) {
  const auto id = static_cast<unsigned>(number_of_task(task));
  return static_cast<clockid_t>(~id << kIdShift | kPerThread | kScheduled);
}

Nanoseconds read_clock() {
  model::World& world = *runtime.world;
  if (!runtime.slow_threads && compares_times()) tell_read(ClockUse::InTime);
  runtime.knows_the_time = true;
  if (config.clock == ClockKind::Real)
    world.advance_clock(kTimeBase + os::kernel_clock(CLOCK_MONOTONIC) - config.monotonic_start);
  const std::uint32_t reads = ++runtime.free_clock_reads;
  // Who reads memory in between, again and again and in vain, has lost patience sooner.
  const std::uint32_t in_vain = model::reads_in_vain(world, runtime.current);
  std::uint32_t doublings = (reads > kPatience ? (reads - kPatience) / kDoubleEvery : 0) + in_vain / kDoubleEvery;
  if (doublings > kMaxDoublings) doublings = kMaxDoublings;
  const Nanoseconds step = kReadStep << doublings;
  world.advance_clock(world.clock().now() + step);
  runtime.processor_time += step;
  current_data().processor_time += step;
  show_time();
  beat();
  return world.clock().now() - kTimeBase;
}

}  // namespace heddle::runtime
