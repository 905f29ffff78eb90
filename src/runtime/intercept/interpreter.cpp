// What an interpreter tells of the scripts that it runs, and its lock; see interpreter.h and state/scripts.h. The other
// side is src/python/heddle_trace.c, a module that CPython loads. To do the same for another interpreter, write such a
// module.
#include "runtime/intercept/interpreter.h"

#include "protocol/interpreter.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/mutex_object.h"
#include "runtime/ring/memory_names.h"
#include "runtime/schedule/points.h"
#include "runtime/state/scripts.h"

namespace heddle::runtime {

constinit ExecutionInterpreter execution_interpreter{};

namespace {

ExecutionInterpreter& interpreter = execution_interpreter;

bool is_held_here(pthread_mutex_t* mutex) {
  return runtime.world->object(mutex_object(mutex, 0)).mutex.owner == current_task();
}

// As heddle_atomic_end().
void leave_region() {
  if (current_data().atomic_depth != 0) --current_data().atomic_depth;
}

// Between the two the interpreter gives its lock up and takes it again, while there is one thread: the first mutex and
// the first condition variable make up the lock.
void begin_learning() {
  interpreter = {};
  interpreter.has_lock = controlled();
}

bool end_learning() {
  interpreter.is_learned = true;
  interpreter.has_lock = interpreter.lock != nullptr && interpreter.is_free != nullptr;
  runtime.atomic_regions = runtime.atomic_regions || interpreter.has_lock;
  if (interpreter.has_lock) name_memory(interpreter.lock, sizeof(pthread_mutex_t), kInterpreterLock);
  return interpreter.has_lock;
}

struct InterpreterFunctions {
  Site (*add_script)(const char* path);
  void (*enter)(Site site);
  void (*move)(Site site);
  void (*leave)();
  // Would a step be one that others could come before?
  bool (*is_point)();
  void (*begin_learning)();
  bool (*end_learning)();
};

constexpr InterpreterFunctions kFunctions = {add_script, enter_script_function, move_in_script, leave_script_function,
                                             is_point,   begin_learning,        end_learning};

}  // namespace

bool keeps_interpreter_lock(pthread_mutex_t* mutex) {
  if (!interpreter.is_learned && interpreter.lock == nullptr) interpreter.lock = mutex;
  if (mutex == interpreter.lock) return is_held_here(mutex);
  if (!interpreter.is_learned && interpreter.handover == nullptr) interpreter.handover = mutex;
  return mutex == interpreter.handover;
}

bool keeps_interpreter_unlock(const pthread_mutex_t* mutex) {
  if (mutex != interpreter.lock) return mutex == interpreter.handover;
  const bool gives_up = interpreter.gives_up;
  interpreter.gives_up = false;
  if (!gives_up) ++current_data().atomic_depth;
  return !gives_up;
}

bool keeps_interpreter_signal(pthread_cond_t* condition) {
  if (!interpreter.is_learned && interpreter.is_free == nullptr) interpreter.is_free = condition;
  if (condition == interpreter.is_free) {
    leave_region();
    return interpreter.gives_up = true;
  }
  if (!interpreter.is_learned && interpreter.is_handed_over == nullptr) interpreter.is_handed_over = condition;
  return condition == interpreter.is_handed_over;
}

void end_interpreter_lock(pthread_mutex_t* mutex, Site site) {
  if (mutex != interpreter.lock) return;
  leave_region();
  if (is_held_here(mutex)) perform(OperationKind::MutexUnlock, mutex_object(mutex, site), site);
  interpreter = {};
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_EXPORT const void* heddle_interpreter_1(unsigned size) {
  return controlled() && size <= sizeof kFunctions ? &kFunctions : nullptr;
}
