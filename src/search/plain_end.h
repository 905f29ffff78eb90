// The end of the process where none of the program's code runs any more: searches don't order it.
//
// main() returns, or a thread calls exit(), while others could go on. The process may end at any time then, so its end
// depends on each step of the others, and each beginning of what they do is a class of its own. But it shows nothing.
// The record says of a step ProcessExit whether any of the program's code runs behind it (StepMarks::RunsNothing): a
// handler of exit(), a destructor, a stream with functions of the program's own. If not, it is plain. Of the two such
// steps (main() has returned; the last handler is over) the second is always plain, but for streams. A plain step
// touches nothing that another one does, so it is independent of all steps. The one that ends the process is as if the
// task stopped there, and as if the others did.
//
// Let P E be a schedule in which the plain end E of task m comes when the steps P have been taken. A schedule X covers
// it if, up to equivalence, X = P Q E, and m takes no step in Q. X has all bugs of P E: what came of the steps in P is
// in X, and E comes to the same exit status, since m has done the same. (Output differs: X prints more.) Covers of
// covers are covers. What does not end by E must be run itself, and is.
//
// The bounded search (expander.h). In an execution X = P t … E, where m's next step behind P is E, the choice of m
// behind P leads to P E and to nothing else. X covers that, and has been run. It was within the bound: up to P it is
// the same, and where X goes on to follow the default that costs no more. What branches off between the two steps of an
// end branches off before them, too: to leave m costs the same there. This holds where nobody yields. Else the first of
// the two steps may matter, since by it m has let the others go first. And E is no rival for an operation o of another
// task (preemption_points.h): if nothing in b depends on o, o b E is possible, costs no more than b E, and covers it.
//
// Partial-order reduction (races.h). Take a program in which m just stops where it would end the process. Its classes
// are found by races among the other steps. Where the default takes E although others could go on, that execution is
// one of these that is not at its end: each step that was about to come races with E and is taken first. So a branch is
// found for each of them that no other branch covers, as for the first execution of that state. The races of E with
// what came before it would lead to P E only, where P is the beginning of an execution that has been run.
//
// So the end is not put off: the default takes it as before, since what others do may have no end. It may be taken
// earlier than needed, which costs an execution. Not covered is what the program prints up to an earlier end.
#pragma once

#include "trace/execution.h"

namespace heddle {

// For StepRecord and PendingRecord.
template <typename Record>
bool is_plain_end(const Record& record) {
  return record.operation == OperationKind::ProcessExit && (record.marks & StepMarks::RunsNothing) != 0;
}

// The plain end that an execution came to.
struct PlainEnd {
  TaskId task = kNoTask;      // whose it is; none: the execution came to another end
  std::uint32_t begin = 0;    // its first step; of no end, the number of steps
  std::uint32_t follows = 0;  // from this step on, the task does nothing else; not looked for before `first`
};

inline PlainEnd plain_end_of(const Execution& execution, std::uint32_t first = 0) {
  const auto& steps = execution.steps;
  const auto count = static_cast<std::uint32_t>(steps.size());
  if (execution.end.end != EndKind::Exited || count == 0 || !is_plain_end(steps[count - 1])) return {kNoTask, count};
  PlainEnd end{steps[count - 1].task, count - 1};
  if (count > 1 && steps[count - 2].task == end.task && is_plain_end(steps[count - 2])) --end.begin;
  for (end.follows = end.begin; end.follows > first && steps[end.follows - 1].task != end.task;) --end.follows;
  return end;
}

}  // namespace heddle
