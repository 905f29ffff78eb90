// Executions that go round: has this one come back to where it was before, memory and all?
//
// A state is what every task is about to do, what the objects are in (model/state_hash.h), and the memory of the
// program: its pages, and of each task's stack what is alive. If it comes again, then so may all that happened in
// between, for ever. If every task that could go on has gone on in between, that is a livelock; the schedule that shows
// it need contain the cycle only once (fairness as in model/fairness.h). If not, and nobody has given
// way either, then who goes round keeps others waiting for ever: a violation of the good samaritan rule (CHESS, OSDI
// 2008, section 5.4.2).
//
// States are looked at where threads got nowhere: behind a try that failed, a yield, a sleep, a wait whose time was
// over. A cycle without any of these is found only once it has gone round for a long time by default choices.
//
// Where: on snapshots, as they know which pages matter; and in any execution whose plan says where its cycle begins
// (PlanHeader::loop_from), so that what was found is confirmed in a fresh process. Fiber carrier only: the registers of
// a task that does not run are on its stack there.
#pragma once

#include "model/world.h"
#include "protocol/dependence.h"

namespace heddle::runtime {

// At the beginning of an execution, when its plan is known.
void begin_loop_detection();
// The execution goes on from a level that another one has taken: what only that one was to look for is forgotten.
void detect_loops_by_plan();
// A step got its task nowhere: the next decision is to be looked at.
void note_idle_step(bool yields);
// To be called for each step that is recorded. `comes_round`: model::Task::comes_round, before it.
inline void check_step(OperationKind kind, const model::Effect& effect, bool comes_round = false) {
  const bool yields = comes_round || effect.timed_out || (traits(kind) & OperationTraits::Yield) != 0;
  if (__builtin_expect(yields || is_failed_try(kind, effect.result), 0)) note_idle_step(yields);
}

}  // namespace heddle::runtime

// To be called where Runtime::detect_loops_from says so, after the running task has published its operation and before
// the decision: does not come back if the execution has come to its end. Puts all registers on the stack first.
extern "C" void heddle_detect_loop();
