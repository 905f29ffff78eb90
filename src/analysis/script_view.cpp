// See script_view.h.
#include "analysis/script_view.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include "analysis/held_locks.h"
#include "analysis/interpreter_lock.h"
#include "protocol/scripts.h"

namespace heddle {
namespace {

using K = OperationKind;

bool takes(const StepRecord& step) {
  return (step.operation == K::SemaphoreWait || step.operation == K::SemaphoreTryWait) && step.variant != kTimeout;
}

K as_of_lock(K operation) {
  switch (operation) {
    case K::SemaphoreWait:
      return K::MutexLock;
    case K::SemaphoreTryWait:
      return K::MutexTryLock;
    case K::SemaphorePost:
      return K::MutexUnlock;
    case K::SemaphoreDestroy:
      return K::MutexDestroy;
    default:
      return operation;
  }
}

class Translation {
 public:
  explicit Translation(Execution& execution) : execution_(execution) { find_ends(); }

  void run() {
    for (ObjectRecord& object : execution_.objects)
      if (is_lock(object)) become_lock(object);
    for (StepRecord& step : execution_.steps)
      if (const auto ends = ends_.find(step.object); ends != ends_.end()) become_join(step, ends->second);
    const ObjectId interpreter = interpreter_lock(execution_);
    for (PendingRecord& pending : execution_.pending) {
      // Who has it goes on, and gives it back.
      if (pending.object == interpreter && execution_.end.end != EndKind::Deadlock) pending.state |= TaskState::Enabled;
      const auto ends = ends_.find(pending.object);
      if (ends == ends_.end() || pending.operation != K::SemaphoreWait) continue;
      pending.operation = K::ThreadJoin;
      pending.object = execution_.tasks[ends->second].object;
      pending.held_by = ends->second;
    }
  }

 private:
  // The first semaphore that a thread makes and takes before it comes to the script stays taken until the thread ends
  // (threading.Thread._set_tstate_lock).
  void find_ends() {
    std::vector<bool> has_one(execution_.tasks.size(), false);
    for (const StepRecord& step : execution_.steps) {
      if (!takes(step) || step.task == 0 || step.task >= has_one.size() || has_one[step.task]) continue;
      const ObjectRecord* const object = execution_.object(step.object);
      if (object == nullptr || object->task != step.task || is_in_script(object->created_at)) continue;
      has_one[step.task] = true;
      if (execution_.tasks[step.task].object != kNoObject) ends_[step.object] = step.task;
    }
  }

  bool is_lock(const ObjectRecord& object) const {
    return object.object_kind == ObjectKind::Semaphore && is_in_script(object.created_at) &&
           !is_wait_of_script(execution_, object.object);
  }

  void become_lock(ObjectRecord& object) {
    object.object_kind = ObjectKind::Mutex;
    const StepRecord* holds = nullptr;
    for (StepRecord& step : execution_.steps) {
      if (step.object != object.object) continue;
      // An attempt that succeeds is how acquire() begins.
      const bool succeeds = takes(step) && step.result == 0;
      step.operation = succeeds ? K::MutexLock : as_of_lock(step.operation);
      if (step.operation == K::MutexTryLock && step.result == EAGAIN) step.result = EBUSY;
      if (takes_lock(step) && step.variant != kTimeout) holds = &step;
      if (released_lock(step) == object.object) holds = nullptr;
    }
    for (PendingRecord& pending : execution_.pending) {
      if (pending.object != object.object) continue;
      pending.operation = as_of_lock(pending.operation);
      if (holds == nullptr) continue;
      pending.held_by = holds->task;
      pending.held_since = holds->site;
    }
  }

  // The semaphore is posted again at once: others may wait for the end, too.
  void become_join(StepRecord& step, TaskId ends) {
    if (!takes(step) || step.result != 0 || step.task == ends) return;
    step.operation = K::ThreadJoin;
    step.object = execution_.tasks[ends].object;
  }

  Execution& execution_;
  std::map<ObjectId, TaskId> ends_;  // the semaphores that say that this thread has ended
};

}  // namespace

ScriptView::ScriptView(const Execution& execution) : raw_(execution) {
  if (interpreter_lock(execution) == kNoObject) return;
  changed_ = execution;
  Translation(*changed_).run();
}

}  // namespace heddle
