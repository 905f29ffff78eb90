// See recorder.h. The cursor is in shared memory after every record, so a process that dies loses nothing it has done.
#include "runtime/ring/recorder.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <cstddef>

#include "model/holder.h"
#include "model/services.h"
#include "model/sleep_set.h"
#include "protocol/services.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/debugger.h"
#include "runtime/ring/output.h"
#include "runtime/ring/ring_writer.h"
#include "runtime/state/modules.h"
#include "runtime/state/places.h"
#include "runtime/state/runtime.h"
#include "runtime/state/time_base.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

// How many executions may end before a sleeping driver is woken, while there are plans left to run.
constexpr std::uint32_t kWakeBatch = 128;

// How many records of these kinds there are. A checkpoint keeps so many.
struct ExecutionRecords {
  std::uint32_t changes = 0, objects = 0;
  std::uint16_t tasks = 0;
};
constinit ExecutionRecords execution_records{};

void wake_reader() {
  auto& ring = runtime.shared->executions;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (ring.reader_sleeping.load(std::memory_order_relaxed) == 0) return;
  if (ring.reader_sleeping.exchange(0) != 0) os::futex_wake(&ring.reader_sleeping, 1, true);
}

// Waits until `free` says that there is room, announcing it so that the driver wakes us.
template <typename Ready>
void sleep_until(Ready ready) {
  auto& ring = runtime.shared->executions;
  while (!ready()) {
    wake_reader();
    ring.writer_sleeping.store(1);
    if (!ready()) {
      const timespec timeout{0, 50'000'000};
      os::futex_wait(&ring.writer_sleeping, 1, true, &timeout);
    }
    ring.writer_sleeping.store(0);
  }
}

// Where the next record goes. In shared memory, so that whoever finds this process dead can publish what it has
// written; and the watchdog sees by it that the program gets on.
std::uint64_t drafted() { return runtime.shared->status.drafted.load(std::memory_order_relaxed); }

template <typename T>
T& begin_record() {
  static_assert(sizeof(T) == sizeof(Record));
  return reinterpret_cast<T&>(room_for(*runtime.shared, drafted()));
}

void end_record_in_place() {
  Shared& shared = *runtime.shared;
  const std::uint64_t number = drafted();
  close_record(shared, number, sum_of(shared.record(number)));
}

template <typename T>
void put(const T& record) {
  __builtin_memcpy(static_cast<void*>(&begin_record<T>()), &record, sizeof record);
  end_record_in_place();
}

void put_end(EndKind kind, int status, std::uint32_t output_bytes = EndRecord::kAllOutput) {
  const Status& shared = runtime.shared->status;
  EndRecord end;
  end.end = kind;
  end.task = static_cast<TaskId>(shared.running_task.load());
  end.status = status;
  end.tasks = static_cast<std::uint16_t>(shared.tasks.load());
  end.preemptions = static_cast<std::uint16_t>(shared.preemptions.load());
  end.virtual_time = shared.virtual_time.load();
  end.loop_from = runtime.loop_from;
  end.output_bytes = output_bytes;
  end.checksum = checksum_of(shared.sum.load(), end);
  put(end);
}

void put_begin(PlanId plan, const LevelMarks& marks, int bookmark) {
  Status& status = runtime.shared->status;
  auto& begin = begin_record<BeginRecord>();
  begin = BeginRecord();
  begin.plan = plan;
  begin.bookmark = static_cast<std::uint32_t>(bookmark + 1);
  begin.kept_steps = marks.steps;
  begin.kept_tasks = marks.tasks;
  begin.kept_changes = marks.changes;
  begin.kept_objects = marks.objects;
  status.sum.store(0, std::memory_order_relaxed);
  status.executions.store(status.executions.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  end_record_in_place();
}

// For the watchdog, and for whoever finds this process dead. Only this process writes these: no atomic addition needed.
void publish_progress(TaskId running) {
  Status& shared = runtime.shared->status;
  const model::World& world = *runtime.world;
  shared.preemptions.store(world.schedule().steps().preemptions(), std::memory_order_relaxed);
  shared.virtual_time.store(world.clock().now() - kTimeBase, std::memory_order_relaxed);
  shared.running_task.store(running, std::memory_order_relaxed);
}

void wake_after_end(bool urgent) {
  // Kept in shared memory: a private page would be copied for it after every fork.
  std::uint32_t& unannounced = runtime.shared->unannounced;
  const auto& plans = runtime.shared->plans;
  const std::uint32_t present = runtime.shared->present_slots;  // given back when the next plan is read
  publish_records();
  const bool idle =
      plans.written.load(std::memory_order_relaxed) == plans.read.load(std::memory_order_relaxed) + present;
  if (!urgent && !idle && ++unannounced < kWakeBatch) return;
  unannounced = 0;
  wake_reader();
}

}  // namespace

void wait_for_room() {
  auto& ring = runtime.shared->executions;
  if (config.debugger != 0) ring.read.store(drafted());  // nobody reads them
  publish_records();
  sleep_until([&] { return drafted() - ring.read.load() < ring.slots; });
}

void publish_records() { runtime.shared->executions.written.store(drafted(), std::memory_order_release); }

void record_begin(PlanId plan) {
  execution_records.changes = execution_records.objects = 0;
  execution_records.tasks = 0;
  Status& status = runtime.shared->status;
  status.tasks.store(runtime.world->population().task_count(), std::memory_order_relaxed);
  status.preemptions.store(0, std::memory_order_relaxed);
  status.virtual_time.store(0, std::memory_order_relaxed);
  status.running_task.store(runtime.current, std::memory_order_relaxed);
  status.end_seen.store(0, std::memory_order_relaxed);
  put_begin(plan, LevelMarks(), kNoBookmark);
}

void record_resumed(PlanId plan, const LevelMarks& marks, int bookmark) {
  Status& status = runtime.shared->status;
  status.tasks.store(runtime.world->population().task_count(), std::memory_order_relaxed);
  publish_progress(runtime.current);
  put_begin(plan, marks, bookmark);
}

void record_bookmark(int number) {
  auto& record = begin_record<BookmarkRecord>();
  record = BookmarkRecord();
  record.number = static_cast<std::uint32_t>(number);
  end_record_in_place();
}

LevelMarks level_marks_here() {
  LevelMarks marks;
  marks.steps = runtime.world->schedule().steps().count();
  marks.changes = execution_records.changes;
  marks.objects = execution_records.objects;
  marks.tasks = execution_records.tasks;
  write_held_output();  // others may go on from here
  marks.output_size = output_printed();
  return marks;
}

void record_task(TaskId task, Site entry) {
  if (!runtime.recording) return;
  const model::Task& state = runtime.world->task(task);
  auto& record = begin_record<TaskRecord>();
  record = TaskRecord();
  record.task = task;
  record.parent = state.parent;
  record.like = runtime.tasks[task].like;
  record.object = state.thread;
  record.entry = entry;
  record.created_at = runtime.world->object(state.thread).created_at;
  Status& status = runtime.shared->status;
  const std::uint32_t tasks = runtime.world->population().task_count();
  status.tasks.store(tasks, std::memory_order_relaxed);
  if (status.tasks_needed.load(std::memory_order_relaxed) < tasks - 1) status.tasks_needed.store(tasks - 1);
  end_record_in_place();
  ++execution_records.tasks;
}

void record_told_apart(TaskId task) {
  if (!runtime.recording || task == 0 || runtime.tasks[task].told_apart) return;
  runtime.tasks[task].told_apart = true;
  record_message(MessageKind::ToldApart, task, "", 0);
}

namespace {

[[gnu::noinline]] void record_new_object(ObjectId object, model::Object& state) {
  state.recorded = true;
  auto& record = begin_record<ObjectRecord>();
  record = ObjectRecord();
  record.object_kind = state.kind;
  record.task = state.creator;
  record.object = object;
  record.address = state.address;
  record.created_at = state.created_at;
  record.sequence = state.sequence;
  if (execution_places.are_named) record.place = place_of(state.kind, state.address);
  end_record_in_place();
  ++execution_records.objects;
}

}  // namespace

void record_object(ObjectId object) {
  if (object == kNoObject || !runtime.recording) return;
  model::Object& state = runtime.world->object(object);
  if (!state.recorded) record_new_object(object, state);
}

namespace {

[[gnu::noinline]] void record_many_changes() {
  model::World& world = *runtime.world;
  ChangesRecord record;
  world.schedule().changes().take_many(world.population(), [&record](const model::Changes::Change& change) {
    record.changes[record.count++] = {change.task, change.state, change.yields};
    ++execution_records.changes;
    if (record.count != ChangesRecord::kCapacity) return;
    put(record);
    record = ChangesRecord();
  });
  if (record.count != 0) put(record);
}

}  // namespace

void record_changes() {
  using Entry = ChangesRecord::Change;
  static_assert(sizeof(Entry) == sizeof(std::uint32_t) && offsetof(ChangesRecord, changes) == sizeof(Entry));
  constexpr auto kKind = static_cast<std::uint32_t>(RecordKind::Changes);
  model::World& world = *runtime.world;
  if (__builtin_expect(world.schedule().changes().many(), 0)) return record_many_changes();
  Shared& shared = *runtime.shared;
  model::Changes::Change change;
  while (world.schedule().changes().take(world.population(), change)) {
    const std::uint64_t number = drafted();
    Record& record = room_for(shared, number);
    record = Record();
    auto* const words = reinterpret_cast<std::uint32_t*>(&record);
    std::uint32_t count = 0;
    std::uint64_t sum = kKind;
    do {
      words[++count] = change.task | std::uint32_t{change.state} << 16 | std::uint32_t{change.yields} << 24;
      sum += std::uint64_t{words[count]} << (count % 2 != 0 ? 32 : 0);
    } while (count < ChangesRecord::kCapacity && world.schedule().changes().take(world.population(), change));
    words[0] = kKind | count << 8;
    execution_records.changes += count;
    close_record(shared, number, sum + (count << 8));
  }
}

void record_step(const model::Decision& decision, Choice choice, const StepNames& names, std::uint16_t variants,
                 const model::Effect& effect) {
  const Status& shared = runtime.shared->status;
  record_written_value();
  record_object(names.object);
  record_object(names.object2);
  if (runtime.record_stacks) record_stack(choice.task);
  const bool preempts =
      runtime.world->schedule().steps().preemptions() != shared.preemptions.load(std::memory_order_relaxed);
  const auto flag = [](bool on, unsigned bit) { return on ? bit : 0u; };
  unsigned flags = flag(decision.switch_costs, StepFlags::SwitchCosts) | flag(preempts, StepFlags::Preemption) |
                   flag(decision.nothing_enabled, StepFlags::NothingEnabled) | flag(effect.wrote, StepFlags::Wrote) |
                   flag(effect.released, StepFlags::Released) | flag(decision.yielded, StepFlags::Yielded) |
                   flag(is_unpreemptible(decision), StepFlags::Unpreemptible);
  if (__builtin_expect(effect.misuse != nullptr, 0)) flags = (flags & ~unsigned{StepFlags::Wrote}) | StepFlags::Refused;
  put_step(*runtime.shared, {first_word_of_step(names.kind, flags, marks_in_record(names), choice.task) |
                                 std::uint64_t{choice.variant} << 48,
                             names.object | std::uint64_t{names.object2} << 32, names.site,
                             last_word_of_step(effect.result, decision.eligible, variants)});
  publish_progress(choice.task);
}

namespace {

void put_stack(TaskId task, const Site* sites, unsigned depth) {
  for (unsigned i = 0; i < depth;) {
    StackRecord record;
    record.task = task;
    while (record.count < StackRecord::kCapacity && i < depth) record.sites[record.count++] = sites[i++];
    put(record);
  }
}

}  // namespace

void record_stack(TaskId task, bool always) {
  if (!runtime.recording || !(runtime.record_stacks || always)) return;
  put_stack(task, runtime.tasks[task].stack, runtime.tasks[task].stack_depth);
}

void record_race(const model::RacingAccess& access, const RacePlace& place, std::uint8_t flags) {
  static_assert(std::uint8_t{RaceFlags::Write} == std::uint8_t{model::AccessFlags::Write} &&
                std::uint8_t{RaceFlags::Atomic} == std::uint8_t{model::AccessFlags::Atomic} &&
                std::uint8_t{RaceFlags::Freed} == std::uint8_t{model::AccessFlags::Freed} &&
                std::uint8_t{RaceFlags::Used} == std::uint8_t{model::AccessFlags::Used} &&
                std::uint8_t{RaceFlags::Ended} == std::uint8_t{model::AccessFlags::Ended});
  if (!runtime.recording) return;
  put_stack(access.task, place.stack, place.depth);
  RaceRecord record;
  record.flags = static_cast<std::uint8_t>(access.flags & ~model::AccessFlags::Gone) | flags;
  record.task = access.task;
  record.size = access.size;
  record.address = access.address;
  record.site = place.site;
  record.step = place.step;
  record.module = module_number_of(place.site);
  put(record);
}

void record_message(MessageKind kind, TaskId task, const char* text, std::size_t size) {
  if (!runtime.recording) return;
  do {
    MessageRecord record;
    record.message = kind;
    record.task = task;
    record.count = static_cast<std::uint8_t>(size < MessageRecord::kCapacity ? size : MessageRecord::kCapacity);
    __builtin_memcpy(record.text, text, record.count);
    text += record.count;
    size -= record.count;
    record.last = size == 0;
    put(record);
  } while (size != 0);
}

std::uint8_t marks_of_exit(const model::Operation& exit) {
  const bool is_last = exit.argument != 0;  // see finish_execution()
  return is_last || end_runs_nothing() ? std::uint8_t{StepMarks::RunsNothing} : std::uint8_t{0};
}

namespace {

// Where an access begins, and whether anything runs behind the end of main(), is always told.
std::uint8_t marks_of_pending(const model::Operation& pending) {
  std::uint8_t marks = 0;
  if (pending.kind == OperationKind::ProcessExit) return marks_of_exit(pending);
  if (follows_steps()) marks = model::marks_of_step(*runtime.world, pending, config.timeouts == Timeouts::Early);
  if (object_kind(pending.kind) != ObjectKind::Memory) return marks;
  return static_cast<std::uint8_t>(marks | pending.offset << StepMarks::kOffsetShift);
}

// `services_from`: those that have gone round since that step are services; 0: there are none.
void record_all_pending(std::uint32_t services_from) {
  const model::World& world = *runtime.world;
  record_written_value();
  for (std::uint32_t i = 0; i < world.population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const model::Task& task = world.task(id);
    if (task.ended || !task.published) continue;
    const bool waits = task.timer && task.pending.kind == OperationKind::TimerExpire;
    if (waits && task.pending.deadline == kNoDeadline) continue;  // it rests
    PendingRecord record;
    record.operation = task.pending.kind;
    record.state = task.state;
    if (services_from != 0 && model::goes_round(world, id, services_from)) record.state |= kServiceState;
    record.task = id;
    record.object = task.pending.object;
    record.object2 = task.pending.object2;
    record.marks = marks_of_pending(task.pending);
    record.site = task.pending.site;
    record_object(record.object);
    record_object(record.object2);
    record.held_by =
        task.pending.object != kNoObject ? model::holder(world, task.pending.object, &record.held_since) : kNoTask;
    record_stack(id);
    put(record);
  }
  stop_at_end();
}

}  // namespace

void record_pending() {
  if (runtime.recording) record_all_pending(0);
}

void record_fault(TaskId task, Site site) {
  if (!runtime.recording) return;
  record_stack(task, true);
  PendingRecord record;
  record.task = task;
  record.site = site;
  record.state = TaskState::Enabled;
  put(record);
}

void record_end(EndKind kind, int status, bool urgent, std::uint32_t output_bytes) {
  if (!runtime.recording) return;
  write_held_output();
  put_end(kind, status, output_bytes);
  stop_recording();
  wake_after_end(urgent);
}

bool execution_open() { return runtime.shared->record(drafted() - 1).kind != RecordKind::End; }

void record_reaped(int status) {
  write_held_output();
  if (execution_open()) {
    if (WIFEXITED(status) && runtime.shared->status.end_seen.load() == 0) runtime.shared->status.left_control.store(1);
    put_end(WIFSIGNALED(status) ? EndKind::Crashed : EndKind::Exited, status);
  }
  wake_after_end(status != 0);
}

void record_failed_start(const char* why) {
  runtime.recording = true;
  record_message(MessageKind::Note, kNoTask, why, __builtin_strlen(why));
  record_end(EndKind::Killed, 0, true);
}

bool ended_well() {
  EndRecord end;
  __builtin_memcpy(static_cast<void*>(&end), &runtime.shared->record(drafted() - 1), sizeof end);
  return end.end == EndKind::Exited && end.status == 0;
}

bool all_read() { return runtime.shared->executions.read.load() == runtime.shared->executions.written.load(); }

void wait_until_read() {
  wake_reader();
  sleep_until(all_read);
}

void end_execution(EndKind kind, const char* message, MessageKind message_kind) {
  if (message != nullptr)
    record_message(message_kind, static_cast<TaskId>(runtime.shared->status.running_task.load()), message,
                   strlen(message));
  record_changes();
  if (runtime.recording) record_all_pending(kind == EndKind::Deadlock ? runtime.loop_from : 0);
  leave_execution(kind);
}

void note(const char* text) { record_message(MessageKind::Note, runtime.current, text, strlen(text)); }

}  // namespace heddle::runtime
