// What came of an execution: End record, messages and captured output, turned into a kind, a sentence and a site.
#pragma once

#include <string>
#include <vector>

#include "analysis/outcome_kind.h"
#include "trace/execution.h"
#include "trace/modules.h"

namespace heddle {

struct Outcome {
  OutcomeKind kind = OutcomeKind::Ok;
  std::string message;  // one sentence or the quoted failure
  Site site = 0;        // where; 0 when unknown
  // What makes two bugs the same: the kind and the final sites, sorted (for a deadlock those of its core, waiting.h). A
  // hash of the printed place stands where a failure is known by what was printed (a test framework's failure, an
  // exception).
  std::vector<Site> final_sites;
  // Of an uncaught exception, abort() and a fatal signal: the calls that led there, innermost first; empty: not known.
  // One function of a library's fails for many.
  std::vector<Site> stack;
  // Where a test framework says that the test failed: "queue.cpp:9". Such a failure has no call stack. Empty: it
  // doesn't.
  std::string printed_place = {};

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.kind, self.message, self.site, self.final_sites, self.stack, self.printed_place);
  }
};

// The steps that a livelock or a violation of the good samaritan rule is made of: from `first` to the end of the
// execution. Proved: they are a cycle. Else they are the last ones before the step limit.
struct Loop {
  std::size_t first = 0;
  bool proved = false;
};
Loop loop_of(const Execution& execution);
// The tasks that could have gone on and were never let, ascending: at some step of a loop that is proved, else at all.
std::vector<TaskId> kept_waiting(const Execution& execution, const Loop& loop);

// `ok_exit`: exit statuses that are no bug (0 is always among them).
Outcome classify(const Execution& execution, const std::vector<int>& ok_exit);

// The parts of a message that has several (MessageKind), at least five: empty where it has fewer.
std::vector<std::string> fields_of(const std::string& text);

// Is the misuse that of an object whose memory was freed before?
bool is_use_after_free(const Execution& execution);
// How many steps came before what went wrong was there: of a race its later access, else all.
std::size_t steps_needed(OutcomeKind kind, const Execution& execution);
// The same, without the steps at the end in which services only tick: the others stand still already.
std::size_t steps_before_ticks(OutcomeKind kind, const Execution& execution);

// Did a signal end it that comes from outside: from a user, a tool of theirs, the kernel that is short of memory?
bool ended_by_stranger(const Execution& execution);

// A race of an execution, as an outcome of its own. Its final sites are the two places.
Outcome race_outcome(const ExecutionRace& race);
// The race between the same two places, in whichever order; null when there is none. `modules`: of the process that ran
// the execution; `others`: of the one whose race it is. Files may lie elsewhere in each.
const ExecutionRace* same_race(const Execution& execution, const ModuleMap& modules, const ExecutionRace& race,
                               const ModuleMap& others);

}  // namespace heddle
