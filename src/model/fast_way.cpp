// See fast_way.h.
#include "model/fast_way.h"

#include "model/evaluation.h"
#include "model/object_model.h"
#include "model/spinning.h"

namespace heddle::model {

[[gnu::noinline]] void reevaluate_others(World& world, TaskId id, const Object& object) {
  world.schedule().steps().begin(id);
  reevaluate_pending(world, object);
  world.schedule().steps().end();
}

bool goes_at_once(const World& world, TaskId id) {
  const Task& task = world.task(id);
  const Operation& operation = task.pending;
  if (!goes_on_at_once(world, task, id)) return false;
  if (operation.kind == OperationKind::ThreadExit || world.population().spin_places().may_be(operation.site))
    return false;
  // What two objects are for (condition waits) goes on to a second stage.
  if (operation.object2 != kNoObject || operation.deadline != kNoDeadline) return false;
  // Without an object there are also yields and sleeps, and the end of the process.
  if (operation.object == kNoObject) return operation.kind == OperationKind::ThreadCreate;
  return is_enabled(world, task) && (task.reads == nullptr || !yields(world, id));
}

Effect step_at_once(World& world, TaskId id) {
  Steps& steps = world.schedule().steps();
  Task& task = world.task(id);
  const ObjectId object = task.pending.object;
  steps.begin(id);
  const Effect effect = apply_operation(world, id, 0);
  if (effect.misuse != nullptr) {
    steps.end();
    steps.take_back();
    return effect;
  }
  if (effect.completes) task.result = effect.result;
  task.variant = 0;
  task.yielded = false;
  if (object != kNoObject) world.reevaluate_object(object);
  steps.end();
  world.schedule().on_step(id);
  return effect;
}

}  // namespace heddle::model
