// What a run is asked to do, independent of the command line (that is in cli/options.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/no_preempt.h"
#include "protocol/scripts.h"
#include "protocol/shared.h"
#include "protocol/timeouts.h"
#include "search/registry.h"
#include "search/shard.h"
#include "trace/code_place.h"

namespace heddle {

enum class OutputMode { Failing, All, None };
enum class SamaritanMode { Warn, Bug };
enum class RaceMode { Bug, Report, Ignore };
enum class IsolationChoice { Auto, Snapshot, Fork, Exec };

struct RunOptions {
  std::vector<std::string> command;  // program, arguments
  // search
  std::string search{strategies().front().name};
  OptionValues search_options;            // those of strategies' own that were given
  std::shared_ptr<const Subtrees> shard;  // all that is searched, for a farm; null: everything
  std::optional<std::uint64_t> max_schedules;
  std::uint32_t max_steps = 200'000;
  bool max_steps_given = false;  // by the user: it is not raised
  double time_s = 60;
  double execution_timeout_s = 10;
  std::uint64_t seed = 1;
  unsigned spurious_wakeups = 0;
  MemoryModel memory = MemoryModel::Sc;
  unsigned max_stale = 2;  // of one execution, where memory is weak
  std::vector<ChangedOrder> changed_orders = {};
  bool relax = false;          // which memory orders could be weaker (the command line finds out)
  bool report_non_sc = false;  // where an execution is not sequentially consistent
  Fill fill = Fill::Left;
  bool patch = false;  // atomic instructions of code that is not instrumented become scheduling points
  Timeouts timeouts = Timeouts::Early;
  bool fair = true;                       // of a replay: as the trace was made
  bool slow_threads = true;               // so is this
  std::vector<NoPreemptRule> no_preempt;  // places where no thread is preempted
  double minimize_s = -1;  // to make the schedule of a bug smaller; 0: not at all; below 0: by what was spent so far
  bool keep_going = false;
  bool has_baseline = false;  // a bug may turn out to be known (Bug::is_known): the search goes on behind such a one
  RaceMode races = RaceMode::Bug;  // data races, in programs that were built with heddle-cc
  MonitorSet monitors = 0;         // besides the race detector
  bool note_blocks = false;        // of a replay
  bool races_asked_for = false;    // by the user, and not only by default
  // Places whose accesses race: scheduling points. The search adds to them; a replay has those of its trace.
  std::vector<CodePlace> points;
  // A thread goes round without yielding, while others that could go on wait.
  SamaritanMode samaritan = SamaritanMode::Warn;
  std::vector<SpinLoop> spins;  // loops that do so, and count as yielding. The search adds to them, as to the points
  std::string orders_file;      // of orders of statements (report/orders_file.h); empty: none
  unsigned context = 1;         // functions on the call stack by which its statements are told apart
  std::string suppressions;     // a file that says which of them are not to be reported
  std::string benign;           // variables on which data races do no harm: names with commas between them
  std::optional<unsigned> require_bound;
  unsigned determinism_check = 3;  // so many of the first schedules are run twice
  unsigned prime = 3;              // so often more the first one is run until two runs of it are alike
  // control
  CarrierKind carrier = CarrierKind::Fiber;
  IsolationChoice isolation = IsolationChoice::Auto;
  CheckpointChoice checkpoints = CheckpointChoice::Auto;
  unsigned workers = 0;            // -j; 0: as many as there are processors for them
  std::uint64_t memory_bytes = 0;  // --memory-limit; 0: no limit
  std::string frontier_file;       // where schedules that wait go beyond that; empty: nowhere
  std::string start_at;
  ClockKind clock = ClockKind::Virtual;
  std::string target;
  PythonPoints python = PythonPoints::Line;  // where the program is Python
  bool follow_fork = false;                  // explore a child that the program forks before its first thread, too
  std::uint64_t input_seed = 1;              // of the random numbers that the program gets from the system
  // What the program sees of the world; fixed, so that every execution and replay sees the same.
  Nanoseconds realtime_start = 1'700'000'000'000'000'000;  // 14 November 2023
  Nanoseconds monotonic_start = 100'000'000'000'000;       // a little more than a day after boot
  std::uint32_t processors = 0;                            // 0: as many as this process may use
  // output
  bool resume = false;           // go on with the search that was kept
  double save_every_s = 2;       // how often it is; 0: never
  std::string output_directory;  // empty: heddle-out/PROGRAM-N/
  OutputMode output = OutputMode::Failing;
  std::vector<int> ok_exit{0};
  std::string execution_log;  // empty: none
};

}  // namespace heddle
