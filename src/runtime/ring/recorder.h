// Writes the records of the current execution into the ring that the driver reads (protocol/records.h).
#pragma once

#include "model/race_detector.h"
#include "model/world.h"
#include "protocol/plan.h"
#include "protocol/records.h"
#include "runtime/ring/marks.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

// All of these do nothing while no execution is being recorded.

void record_begin(PlanId plan);
// For an execution that goes on from a checkpoint; `bookmark`: which, or kNoBookmark.
void record_resumed(PlanId plan, const LevelMarks& marks, int bookmark);
// The driver is to keep what has been recorded of this execution so far.
void record_bookmark(int number);
// What a checkpoint taken now keeps of the record.
LevelMarks level_marks_here();
void record_task(TaskId task, Site entry);
// The program gets something that differs between tasks that were started alike. Recorded once for each task.
void record_told_apart(TaskId task);
// Once per execution; later calls for the same object do nothing.
void record_object(ObjectId object);
// Who was enabled at the decision that is about to be made.
void record_changes();
// What of an operation goes into the record of its step; taken before the step, which may replace the operation.
struct StepNames {
  explicit StepNames(const model::Operation& operation)
      : kind(operation.kind),
        signal(operation.signal),
        object(operation.object),
        object2(operation.object2),
        site(operation.site) {}
  OperationKind kind;
  std::uint8_t signal;  // or the offset, of operations on memory
  ObjectId object, object2;
  Site site;
  std::uint8_t marks = 0;  // StepMarks, where they are wanted
};
// What the record has for StepMarks: of the kinds that have a signal or an offset to tell, that as well.
// Of a ProcessExit: StepMarks::RunsNothing or nothing.
std::uint8_t marks_of_exit(const model::Operation& exit);
inline std::uint8_t marks_in_record(const StepNames& names) {
  if (names.signal == 0) return names.marks;
  if (object_kind(names.kind) != ObjectKind::Memory) return names.signal;
  return static_cast<std::uint8_t>(names.marks | names.signal << StepMarks::kOffsetShift);
}
void record_step(const model::Decision& decision, Choice choice, const StepNames& names, std::uint16_t variants,
                 const model::Effect& effect);
// Its words (StepRecord): a record that is put together elsewhere from smaller parts, and then copied, waits for its
// parts.
constexpr std::uint64_t first_word_of_step(OperationKind kind, unsigned flags, unsigned marks, TaskId task) {
  return static_cast<std::uint64_t>(RecordKind::Step) | static_cast<std::uint64_t>(kind) << 8 |
         std::uint64_t{flags} << 16 | std::uint64_t{marks} << 24 | std::uint64_t{task} << 32;
}
constexpr std::uint64_t last_word_of_step(std::int32_t result, std::uint16_t eligible, std::uint16_t variants = 1) {
  return static_cast<std::uint32_t>(result) | std::uint64_t{variants} << 32 | std::uint64_t{eligible} << 48;
}
void record_stack(TaskId task, bool always = false);
// Where one of two accesses that race was made: behind so many steps, with its call stack, innermost first, if it has
// one.
struct RacePlace {
  Site site = 0;
  std::uint32_t step = 0;
  const Site* stack = nullptr;
  unsigned depth = 0;
};
// One of two accesses that race; `flags`: of RaceFlags, besides those of the access.
void record_race(const model::RacingAccess& access, const RacePlace& place, std::uint8_t flags);
// `size` bytes of text; embedded NULs separate fields.
void record_message(MessageKind kind, TaskId task, const char* text, std::size_t size);
// Where the running task was when a fatal signal came.
void record_fault(TaskId task, Site site);
// What every task that has not ended is about to do.
void record_pending();
// Ends the record. `urgent`: the driver is woken at once, not with a batch. `output_bytes`: see EndRecord.
void record_end(EndKind kind, int status, bool urgent, std::uint32_t output_bytes = EndRecord::kAllOutput);
// Tells the watchdog that the program gets on.
inline void beat() {
  auto& heartbeat = runtime.shared->status.heartbeat;
  heartbeat.store(heartbeat.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}
// Lets the driver see what has been written so far.
void publish_records();

// Has the last execution no End yet?
bool execution_open();
// For whoever reaps an execution: completes its record if the execution itself could not. `status` is as from wait().
void record_reaped(int status);
// For an execution that could not even begin: a note and an End of kind Killed.
void record_failed_start(const char* why);
// Did the last execution end by exit(0)?
bool ended_well();
// Has everything up to and including the last End been read by the driver?
bool all_read();
// Sleeps until the driver has read everything, or is gone.
void wait_until_read();

// Ends the execution here: records what remains to be said, and the process is gone (see isolation.h for who goes on).
[[noreturn]] void end_execution(EndKind kind, const char* message, MessageKind message_kind);
// A note for the user, given once per execution at most where it arises.
void note(const char* text);

}  // namespace heddle::runtime
