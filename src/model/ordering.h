// The one place where operations become happens-before, for the race detector.
//
// This is not the dependence relation of the search (protocol/dependence.h): two locks of a mutex depend on each other,
// but only an unlock orders. What came before the unlock happens before what comes after the next lock.
#pragma once

#include "model/vector_clocks.h"
#include "model/world.h"

namespace heddle::model {

// What has to be known from before the step.
struct BeforeStep {
  bool exclusive = false;  // RwUnlock: it was held for writing
};
BeforeStep observe_before_step(const World& world, const Operation& operation);

// A step as it was taken. For SignalSend `object` is the thread that has got it.
struct TakenStep {
  TaskId task = 0;
  OperationKind kind = OperationKind::None;
  ObjectId object = kNoObject;
  ObjectId object2 = kNoObject;
  BeforeStep before;
  Effect effect;
};
// May a step of this kind order anything? Those on memory do so by their memory orders (RaceDetector::atomic()); those
// without an object are of the task alone, of other processes, or the process' end, which waits for nobody.
inline bool orders_others(OperationKind kind) {
  const ObjectKind object = object_kind(kind);
  const bool of_processes =
      kind == OperationKind::ProcessFork || kind == OperationKind::ProcessStart || kind == OperationKind::ProcessWait;
  return of_processes || (object != ObjectKind::None && object != ObjectKind::Memory);
}
void order_step(VectorClocks& clocks, const World& world, const TakenStep& step);
// The task has taken signals that had come for it, or for the process, by a descriptor (signalfd).
void order_signals_taken(VectorClocks& clocks, const World& world, TaskId task);

// Does the call whose step this is look at the object in the program's memory? Not where it only goes on behind a wait
// that another one has ended: whoever did that may destroy a condition variable or a barrier at once.
bool uses_memory_of_object(OperationKind kind);

}  // namespace heddle::model
