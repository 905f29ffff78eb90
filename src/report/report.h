// The one result of a run, filled by the driver. Text and JSON are made from it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/class_draws.h"
#include "analysis/outcome.h"
#include "analysis/smallest_hashes.h"
#include "protocol/memory_model.h"
#include "protocol/scripts.h"
#include "protocol/timeouts.h"
#include "report/bug_details.h"
#include "report/busy_places.h"
#include "report/regression_result.h"
#include "report/stop_reason.h"
#include "search/estimate.h"
#include "search/registry.h"
#include "search/strategy.h"
#include "trace/code_place.h"
#include "trace/moment.h"

namespace heddle {

// An atomic operation of a bug's execution whose memory order could be stronger.
struct AtomicPlace {
  Site site = 0;
  OperationKind operation = OperationKind::None;
  bool failed = false;         // a compare-exchange that found another value
  std::string variable, text;  // "flag", "queue.h:41"
};

struct Bug {
  int id = 0;  // 1, 2 … in the order of discovery
  Outcome outcome;
  std::string cause = {};  // in words that survive moved lines (cli/bug_cause.h)
  std::string key = {};    // a short word for the cause
  // A well-known mistake that it looks like (report/patterns): "lost wake-up", and what happened. Empty: none.
  struct PatternWords {
    std::string name, text;
  } pattern = {};
  std::string site;            // file:line where known, else module+offset
  std::string trace_path;      // empty when it could not be written (a note says why)
  std::uint64_t schedule = 0;  // the number of the schedule that found it, from 1
  std::string found_by;        // the part of the search that ran it; empty: the search has no parts
  unsigned preemptions = 0;
  unsigned preemptions_at_first = 0;        // before its schedule was made smaller
  bool needs_preemptions = false;           // every schedule with fewer was run, or is equivalent to one that was
  Moment moment;                            // when it became likely; nothing of a race
  std::vector<TriedWithout> tried;          // steps of its schedule that were left out to see whether it needs them
  unsigned timeouts = 0;                    // early or free timeouts that the schedule needs
  std::vector<std::string> timeouts_fired;  // each in words, with its place (the command line fills it)
  std::vector<std::string> slow_threads;    // so are these: who is slow, and where
  // A failed check that did not come up where deadlines passed in order: what that search says. Else empty.
  std::string only_time;
  // Which memory orders are to be stronger, and what was run then (--memory), or that none was found; empty: not tried.
  std::string repair;
  std::vector<AtomicPlace> weak;  // where orders could be stronger (the command line fills it, if memory is weak)
  // The same where that search ended too early to decide it: what it says. Else empty.
  std::string perhaps_only_time;
  enum class Replay { NotTried, Reproduced, Different, Diverged } replay = Replay::NotTried;
  std::string replay_detail;
  bool is_known = false;  // its cause is in --baseline: no failure
  BugDetails details;     // the command line fills them
  Execution execution;    // of the replay where it reproduced (with stacks), else the one that found it

  // For `run --resume`; the trace has the execution.
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.id, self.outcome, self.cause, self.key, self.pattern.name, self.pattern.text, self.site,
            self.trace_path, self.schedule, self.found_by, self.preemptions, self.preemptions_at_first,
            self.needs_preemptions, self.timeouts, self.timeouts_fired, self.slow_threads, self.replay,
            self.replay_detail, self.execution.output, self.execution.end, self.moment, self.details);
  }
};

enum class Verdict { Bug, NoBugFound, None };

// How likely the next schedule that a search draws is of a class that was not seen.
struct NewClassChance {
  std::string by;  // the search
  ClassDraws::Chance chance;
};

struct Report {
  std::vector<std::string> command;  // program and arguments
  Verdict verdict = Verdict::None;
  StopReason stop_reason = StopReason::None;
  std::string no_verdict_reason;  // for Verdict::None: what happened and what to do next
  Coverage coverage;
  std::optional<Estimate> estimate;    // where the search did not come to its end: how many there will have been
  std::vector<BusyPlace> busy_places;  // and which places brought most of them
  Promise promise = strategies().front().promise;               // of the strategy
  std::string limit = std::string(strategies().front().limit);  // its option that bounds the search
  std::uint64_t schedules = 0;
  std::uint64_t schedules_before = 0;    // of them, in earlier processes (--resume)
  std::uint64_t schedules_given_up = 0;  // run before the search began anew, and not among them
  std::uint64_t schedules_in_all() const { return schedules + schedules_given_up; }
  std::vector<PartReport> parts;  // of the search
  // For a farm. Where everything is searched, there is no progress of a shard.
  struct Shard {
    ShardProgress progress;
    std::vector<CodePlace> points;  // those that were known, and those that were found
    std::vector<SpinLoop> spins;    // likewise
    SmallestHashes classes;
  } shard = {};
  std::uint64_t schedules_stopped = 0;  // of them, in which a thread was stopped behind a release (kStop)
  std::uint64_t distinct = 0;           // of them, up to the order of independent steps (analysis/happens_before.h)
  bool distinct_is_all = true;          // false: there were more, beyond what is kept in memory
  double seconds = 0;                   // from the branching point to the end of the search
  std::uint32_t steps_max = 0;
  std::uint64_t steps_run = 0;  // of all executions; what a checkpoint saved is not counted
  std::uint32_t tasks_max = 0;
  std::string carrier, isolation, search;
  std::size_t workers = 1;
  // Snapshot isolation: what was copied back after each execution, and how many went on from a checkpoint.
  std::uint64_t dirty_pages = 0, checkpoints = 0, resumed = 0, resumed_from_bookmarks = 0;
  std::string why_no_snapshots;             // why they can't be used, though they were wanted; empty: they can
  bool randomized = false;                  // address randomization could not be switched off
  bool switches_by_call = false;            // each switch of threads is a system call
  std::uint64_t thread_pointer_faults = 0;  // the kernel had loaded its own (runtime/state/thread_pointer.h)
  std::vector<std::string> no_preempt;      // --no-preempt: places where threads were not preempted
  std::vector<std::string> benign;          // --benign: variables on which races were seen that do no harm
  std::string start_at;                     // --start-at: what came before was not interleaved
  std::uint64_t seed = 0, input_seed = 0;
  // What the search left out or met on its way; the claims come from these.
  Timeouts timeouts = Timeouts::Early;
  unsigned spurious_wakeups = 0;  // how many each execution could have
  MemoryModel memory = MemoryModel::Sc;
  // How many old values each execution could read, where memory is weak; nothing: any number.
  std::optional<unsigned> max_stale;
  std::string weaker_orders;  // --relax: which could be weaker, and what was run then; or why that is not known
  std::uint32_t max_steps = 0;
  std::uint32_t max_threads = 0;    // an execution that creates more was cut off; 0: any number
  bool deterministic = true;        // false: two executions of one schedule were seen to differ
  bool races_checked = false;       // in those parts
  bool old_values_missed = false;   // of weak memory: in some execution there were more than are kept
  bool races_unchecked = false;     // in some execution, though it was asked for
  std::size_t racing_places = 0;    // whose accesses were scheduling points
  bool instrumented = false;        // parts of the program were built with heddle-cc
  bool patched = false;             // atomic instructions of the rest were to be scheduling points
  std::uint32_t atomics_found = 0;  // so many there are then; those that could not be replaced:
  std::uint32_t atomics_left = 0;
  PythonPoints python = PythonPoints::No;   // where scripts in Python had scheduling points
  bool of_another_version = false;          // … with the heddle-cc of another version
  bool random_drawn = false;                // the program drew random numbers of the system: they are one draw
  bool real_clock = false;                  // time was not virtual
  bool clock_read_in_time = false;          // a clock was read where no thread could be slow
  bool slow_threads = false;                // a clock was read where the thread could be slow
  bool step_limit_reached = false;          // some execution was cut off there
  double seconds_in_all = 0;                // from the start of heddle on, set-ups of the program included
  bool processes_ran = false;               // it forked child processes
  bool goroutines = false;                  // it is in Go, whose runtime decides which of them runs on a thread
  bool left_control = false;                // it became another program, or ended where Heddle did not see it
  bool waiters_chosen = false;              // somewhere a choice said which waiter was woken
  bool timeouts_could_fire = false;         // somewhere a wait could have ended by its time although others could go on
  bool fairness_held_back = false;          // somewhere a task could run and had to let others go first
  std::optional<NewClassChance> new_class;  // nothing: it can't be said
  // A bug of depth 1, 2 … was missed with at most this probability (analysis/pct_draws.h), as far as that is known.
  struct Missed {
    std::vector<double> at_most;
    std::uint32_t steps = 0;  // of a schedule
  } missed;
  std::string program_output;                 // what the program printed when it was last looked at
  std::vector<std::string> notes;             // one line each: fallbacks, warnings
  std::vector<RegressionResult> regressions;  // stored bugs that were tried before the search
  std::vector<Bug> bugs;
  // Of those that --baseline does not know.
  bool needs_only_time() const {
    return any_new() &&
           std::all_of(bugs.begin(), bugs.end(), [](const Bug& bug) { return bug.is_known || !bug.only_time.empty(); });
  }
  bool only_known() const { return !bugs.empty() && !any_new(); }
  bool any_new() const {
    return std::any_of(bugs.begin(), bugs.end(), [](const Bug& bug) { return !bug.is_known; });
  }
  std::string baseline;          // the file of --baseline; empty: none
  std::string output_directory;  // empty when nothing was kept
  std::string kept_search;       // the file with which --resume goes on; empty: none

  // Was some execution cut off because it created too many threads?
  bool max_threads_reached() const { return step_limit_reached && max_threads != 0 && tasks_max >= max_threads; }
};

}  // namespace heddle
