// Small programs over the pure model, run in place of a real target: a plan goes in, an execution comes out, exactly as
// the runtime would record it. And the enumeration of all their schedules by brute force, which knows nothing of plans.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/weak_memory.h"
#include "model/world.h"
#include "trace/execution.h"
#include "trace/plan.h"

namespace heddle::test {

// One call of a task. `object` and `object2` count from 0 within their kind.
struct Call {
  enum class If : std::uint8_t { Always, Zero, NotZero };  // what the task's call before it returned
  OperationKind kind = OperationKind::Yield;
  unsigned object = 0;
  unsigned object2 = 0;  // of operations on memory: the value that a compare-exchange expects
  Nanoseconds deadline = kNoDeadline;
  Site site = 0;
  bool in_region = false;  // the task is not to be preempted here: StepFlags::Unpreemptible
  // Choose: of how many; Yield: what kind (protocol/time_slice.h); operations on memory: what is written; ProcessExit:
  // a PretendExit.
  unsigned argument = 0;
  If only_if = If::Always;
  unsigned loop = 0;  // while it returns 0, the last so many calls up to this one are made again
  AtomicOrder order = AtomicOrder::SequentiallyConsistent;  // of operations on weak memory
  friend bool operator==(const Call&, const Call&) = default;
};

// What is recorded of a ProcessExit, and whether the process ends with it.
enum PretendExit : unsigned { kHandlersFollow, kNothingFollows, kEnds };

// A call at this place is one at which the task is not to be preempted either (BoundedSearch::Options::no_preempt).
inline constexpr Site kUnpreemptibleSite = 7;

struct Program {
  std::vector<std::vector<Call>> tasks;  // all exist from the start
  model::Limits limits;
  bool weak = false;   // memory is that of --memory=rc11
  bool alike = false;  // tasks other than the first that make the same calls were started alike
  // The first task that makes the same calls; the task itself where there is none before it.
  TaskId first_like(TaskId task) const;
  std::string text() const;
};

Program random_program(std::uint64_t seed);
// Everything at once: locks of all kinds taken, tried and read, conditions, semaphores, memory, choices, joins; two to
// four tasks, and calls that depend on what the one before returned. No deadlines but where `deadlines` says so.
Program mixed_program(std::uint64_t seed, bool deadlines = false);
// Pipes that are written to, read, and looked at, with mutexes and memory beside them; reads may have deadlines.
Program piped_program(std::uint64_t seed);
// Tasks that are alike, beside the first and perhaps another one. The first may wait for all of them, or for one of
// them before it does something else.
Program alike_program(std::uint64_t seed, bool deadlines);
// Some of its tasks come to one-time initializations, too; the initializer may throw.
Program with_once(Program program, std::uint64_t seed);
// Some of its calls are at kUnpreemptibleSite, or (`regions`) in a region.
Program with_scopes(Program program, std::uint64_t seed, bool regions);

using Schedule = std::vector<Choice>;
std::string text(const Schedule& schedule);

constexpr unsigned kWords = 3;

// An access of a pretended program to its memory.
struct PretendAccess : model::MemoryAccess {
  OperationKind kind = OperationKind::None;
  std::int32_t* word = nullptr;
  std::int32_t expected = 0, written = 0;
  unsigned location = 0;
  TaskId task = 0;
  model::AtomicUse use;  // of weak memory
};

// The state of a program in mid-run. There may be only one at a time.
class Run {
 public:
  explicit Run(const Program& program);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  model::World& world() { return *world_; }
  model::Decision decide() { return world_->decide(); }
  bool early_timeouts() const { return program_.limits.early_timeouts(); }
  model::Effect step(Choice choice);
  // Every choice that may be made now.
  std::vector<Choice> choices();
  // The call that the task makes; null: it is about to end.
  const Call* call_of(TaskId task) const {
    return position_[task] < program_.tasks[task].size() ? &program_.tasks[task][position_[task]] : nullptr;
  }
  // A task has ended the process, or all have ended.
  bool is_over() const { return ended_by_ != kNoTask || world_->population().live_tasks() == 0; }
  TaskId ended_by() const { return ended_by_; }
  // StepMarks, as recorded.
  std::uint8_t marks_of(TaskId task) const;
  // What all of it has come to, in words: memory, locks, semaphores, who waits, what each task saw. Of programs whose
  // tasks are alike: up to who of them is who.
  std::string state() const;

 private:
  std::string state_as(const std::vector<TaskId>& numbers) const;  // each task with another number
  void publish_next(TaskId task);
  // As the runtime does behind a step with kStop.
  void stop_behind(TaskId task);
  void skip_what_does_not_apply(TaskId task);
  model::Operation operation_of(TaskId task);

  void begin_weak();
  void fill_weak(TaskId task, const Call& call, PretendAccess& access);
  void skip_local_fences(TaskId task);

  void perform_on_pipe(const Call& call, model::Effect& effect);
  void tell_who_can_read();

  const Program& program_;
  model::World* world_;
  std::vector<std::size_t> position_;  // of each task: the call it is in
  std::vector<bool> stopped_;          // and whether it has stopped before that
  std::map<std::pair<ObjectKind, unsigned>, ObjectId> objects_;
  std::int32_t memory_[kWords] = {};
  std::vector<std::int32_t> pipes_[2];           // what was written and not yet read
  std::vector<PretendAccess> accesses_;          // by task
  std::vector<std::vector<std::int32_t>> seen_;  // by task: what its calls returned
  TaskId ended_by_ = kNoTask;                    // who has ended the process
};

// Its output is Run::state() at the end.
Execution execute(const Program& program, const Plan& plan, std::uint32_t max_steps = 10'000);
Schedule schedule_of(const Execution& execution);

// All schedules with at most `bound` preemptions, with their numbers of preemptions, up to `most` of them (then empty).
std::map<std::string, unsigned> enumerate(const Program& program, unsigned bound, std::size_t most);

}  // namespace heddle::test
