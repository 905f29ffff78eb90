// Condition variables.
#include "runtime/intercept/calls.h"
#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/interpreter.h"
#include "runtime/intercept/mutex_object.h"
#include "runtime/intercept/shared_objects.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr unsigned kMonotonicFlag = 2;  // in __wrefs: pthread_condattr_setclock(CLOCK_MONOTONIC)

clockid_t clock_of(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & kMonotonicFlag) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

}  // namespace

ObjectId condition_object(pthread_cond_t* condition, Site site) {
  return find_object(ObjectKind::Condition, condition, site).id;
}

int init_condition(pthread_cond_t* condition, const pthread_condattr_t* attributes, Site site) {
  const ObjectId begun = begin_initializing(ObjectKind::Condition, condition, site, [&] {
    pthread_cond_t trial;
    return real::pthread_cond_init(&trial, attributes) == 0 && !is_shared(&trial);
  });
  const int error = real::pthread_cond_init(condition, attributes);
  if (error != 0) return error;
  if (is_shared(condition))
    init_shared(condition);
  else
    end_initializing(begun, ObjectKind::Condition, condition, site, [](ObjectId) {});
  return error;
}

int wait_on_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time,
                      Site site) {
  if (time != nullptr && !(valid(*time) && can_wait_by(clock))) return EINVAL;
  if (is_shared(condition)) return wait_on_shared(condition, mutex, deadline_at(clock, time), site);
  model::Operation wait = operation(OperationKind::ConditionWait, condition_object(condition, site), site);
  wait.object2 = mutex_object(mutex, site);
  wait.deadline = deadline_at(clock, time);
  wait.interruptible = kCancellable;
  return perform(wait);
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  if (!controlled()) return real::pthread_cond_init(condition, attributes);
  return init_condition(condition, attributes, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) {
  if (!controlled()) return real::pthread_cond_destroy(condition);
  if (is_shared(condition)) return 0;
  return perform(OperationKind::ConditionDestroy, condition_object(condition, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!controlled()) return real::pthread_cond_wait(condition, mutex);
  return wait_on_condition(condition, mutex, CLOCK_REALTIME, nullptr, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  if (!controlled()) return real::pthread_cond_timedwait(condition, mutex, time);
  read_as_libc_does(&time->tv_nsec);
  return wait_on_condition(condition, mutex, clock_of(condition), time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                         const timespec* time) {
  if (!controlled()) return real::pthread_cond_clockwait(condition, mutex, clock, time);
  read_as_libc_does(&time->tv_nsec);
  return wait_on_condition(condition, mutex, clock, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  if (!controlled()) return real::pthread_cond_signal(condition);
  if (is_shared(condition)) return signal_shared(condition, false, HEDDLE_CALLER);
  if (passes_signal(condition)) return 0;
  return perform(OperationKind::ConditionSignal, condition_object(condition, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!controlled()) return real::pthread_cond_broadcast(condition);
  if (is_shared(condition)) return signal_shared(condition, true, HEDDLE_CALLER);
  return perform(OperationKind::ConditionBroadcast, condition_object(condition, HEDDLE_CALLER), HEDDLE_CALLER);
}
