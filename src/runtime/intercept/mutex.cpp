// Mutexes: normal, recursive, error checking, robust; timed by any clock.
#include "model/mutex.h"

#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/mutex_object.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

// glibc's PTHREAD_MUTEX_* numbers and flags in __kind.
constexpr int kTypeBits = 3;
constexpr int kRobustBit = 16;

void set_state(ObjectId id, const pthread_mutex_t* mutex) {
  const int kind = mutex->__data.__kind;
  model::MutexState& state = runtime.world->object(id).mutex;
  switch (kind & kTypeBits) {
    case PTHREAD_MUTEX_RECURSIVE_NP:
      state.type = model::MutexType::Recursive;
      break;
    case PTHREAD_MUTEX_ERRORCHECK_NP:
      state.type = model::MutexType::ErrorCheck;
      break;
    default:
      state.type = model::MutexType::Normal;  // an adaptive mutex is a normal one that spins first
  }
  state.robust = (kind & kRobustBit) != 0;
}

}  // namespace

int init_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes, Site site) {
  const int error = real::pthread_mutex_init(mutex, attributes);
  if (error == 0) set_state(new_object(ObjectKind::Mutex, mutex, site), mutex);
  return error;
}

int lock_mutex_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time, Site site) {
  const ObjectId id = mutex_object(mutex, site);
  if (!can_wait_on(clock)) return EINVAL;
  if (valid(*time)) return perform(OperationKind::MutexLock, id, site, deadline_at(clock, time));
  const int result = perform(OperationKind::MutexTryLock, id, site);  // POSIX: checked only if the call must wait
  return result == EBUSY ? EINVAL : result;
}

ObjectId mutex_object(pthread_mutex_t* mutex, Site site) {
  const Found found = find_object(ObjectKind::Mutex, mutex, site);
  if (found.fresh) set_state(found.id, mutex);
  return found.id;
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (!controlled()) return real::pthread_mutex_init(mutex, attributes);
  return init_mutex(mutex, attributes, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (!controlled()) return real::pthread_mutex_destroy(mutex);
  return perform(OperationKind::MutexDestroy, mutex_object(mutex, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!controlled()) return real::pthread_mutex_lock(mutex);
  return perform(OperationKind::MutexLock, mutex_object(mutex, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (!controlled()) return real::pthread_mutex_trylock(mutex);
  return perform(OperationKind::MutexTryLock, mutex_object(mutex, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  if (!controlled()) return real::pthread_mutex_timedlock(mutex, time);
  return lock_mutex_until(mutex, CLOCK_REALTIME, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  if (!controlled()) return real::pthread_mutex_clocklock(mutex, clock, time);
  return lock_mutex_until(mutex, clock, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (!controlled()) return real::pthread_mutex_unlock(mutex);
  return perform(OperationKind::MutexUnlock, mutex_object(mutex, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  if (!controlled()) return real::pthread_mutex_consistent(mutex);
  return model::mutex_consistent(*heddle::runtime::runtime.world, current_task(), mutex_object(mutex, HEDDLE_CALLER));
}
