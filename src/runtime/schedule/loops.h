// Executions that go round: has this one come back to where it was before, memory and all?
//
// A state is what every task is about to do, the states of the objects (model/state_hash.h), and the memory of the
// program: its pages, and the live part of each task's stack. If a state comes again, everything in between may repeat
// for ever. If every task that could go on did so in between, that is a livelock; a schedule need contain the cycle
// only once to show it (fairness as in model/fairness.h). If some task did not go on, and nobody has yielded either,
// the tasks that go round keep it waiting for ever: a violation of the good samaritan rule (CHESS, OSDI 2008, section
// 5.4.2).
//
// States are compared where threads got nowhere: after a failed try, a yield, a sleep, a wait whose time was over. A
// cycle without any of these is found only after it has gone round for a long time by default choices.
//
// If time passes in the cycle, those that go round are services, and others may be in a deadlock (model/services.h).
//
// This works on snapshots, which know the dirty pages. It also works in any execution whose plan says where its cycle
// begins (PlanHeader::loop_from), so that a fresh process can confirm what was found. Elsewhere all memory is read, so
// states are compared only behind waits that end by their time, while no other task can go on.
#pragma once

#include "model/world.h"
#include "protocol/dependence.h"
#include "protocol/time_slice.h"

namespace heddle::runtime {

// At the beginning of an execution, when its plan is known.
void begin_loop_detection();
// The execution goes on from a level that another one has taken: what only that one was to look for is forgotten.
void detect_loops_by_plan();
// A step got its task nowhere: the next decision is to be looked at.
void note_idle_step(bool yields, bool timed_out);
// To be called for each step that is recorded. `comes_round`: model::Task::comes_round, before it.
inline void check_step(OperationKind kind, const model::Effect& effect, bool comes_round = false) {
  const bool at_yield = (traits(kind) & OperationTraits::Yield) != 0 && effect.result != kStoppedBehind;
  const bool yields = comes_round || effect.timed_out || at_yield;
  if (__builtin_expect(yields || is_failed_try(kind, effect.result), 0)) note_idle_step(yields, effect.timed_out);
}

}  // namespace heddle::runtime

// To be called where Runtime::detect_loops_from says so, after the running task has published its operation and before
// the decision: does not come back if the execution has come to its end. Puts all registers on the stack first.
extern "C" void heddle_detect_loop();
