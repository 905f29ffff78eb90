// Mutexes: normal, recursive, error checking, robust; timed by any clock.
#include "model/mutex.h"

#include <sched.h>

#include "runtime/intercept/calls.h"
#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/interpreter.h"
#include "runtime/intercept/mutex_object.h"
#include "runtime/intercept/shared_objects.h"
#include "runtime/schedule/fast_step.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/up_calls.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

// glibc's PTHREAD_MUTEX_* numbers and flags in __kind.
constexpr int kTypeBits = 3;
constexpr int kRobustBit = 16;

constexpr int kProtectBit = 64;
constexpr unsigned kCeilingShift = 19;  // in __lock

std::uint16_t ceiling_in(const pthread_mutex_t* mutex) {
  if ((mutex->__data.__kind & kProtectBit) == 0) return 0;
  return static_cast<std::uint16_t>(static_cast<unsigned>(mutex->__data.__lock) >> kCeilingShift);
}

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

// mutex_object(), in line where the model knows it already.
ObjectId known_mutex(pthread_mutex_t* mutex, Site site) {
  const ObjectId id = marked_object(ObjectKind::Mutex, mutex);
  return __builtin_expect(id != kNoObject, 1) ? id : mutex_object(mutex, site);
}

// Performs it, and sets `id` to what it acted on: an initialization may have come first (model/plain.cpp).
int perform_on(OperationKind kind, ObjectId& id, Site site) {
  const int error = perform(kind, id, site);
  id = runtime.world->task(current_task()).pending.object;
  return error;
}

// Where the step is taken later: others may have made the mutex anew meanwhile, by writing an initializer over it (a
// constructor of std::mutex that comes behind the thread's start). What counts is what is there when the call goes on.
[[gnu::noinline]] int lock_later(pthread_mutex_t* mutex, ObjectId id, Site site) {
  for (;;) {
    const int error = perform_on(OperationKind::MutexLock, id, site);
    if (error != 0 || is_marked(id, mutex)) return error;
    perform(OperationKind::MutexUnlock, id, site);
    id = mutex_object(mutex, site);
  }
}

[[gnu::noinline]] int unlock_later(pthread_mutex_t* mutex, ObjectId id, Site site) {
  const int error = perform_on(OperationKind::MutexUnlock, id, site);
  // Behind a stop the mutex may be gone: who has locked it meanwhile may have freed it.
  if (error != 0 || runtime.world->task(current_task()).pending.stopped_behind || is_marked(id, mutex)) return error;
  return perform(OperationKind::MutexUnlock, mutex_object(mutex, site), site);
}

// Takes the mutex, unless the caller has it, as glibc does.
int set_ceiling(pthread_mutex_t* mutex, int ceiling, int* old, Site site) {
  if ((mutex->__data.__kind & kProtectBit) == 0) return EINVAL;
  if (ceiling < sched_get_priority_min(SCHED_FIFO) || ceiling > sched_get_priority_max(SCHED_FIFO)) return EINVAL;
  ObjectId id = mutex_object(mutex, site);
  const bool is_held = runtime.world->object(id).mutex.owner == current_task();
  if (!is_held)
    if (const int error = perform_on(OperationKind::MutexLock, id, site); error != 0) return error;
  model::MutexState& state = runtime.world->object(id).mutex;
  if (is_held && state.type == model::MutexType::ErrorCheck) return EDEADLK;
  if (old != nullptr) *old = state.ceiling;
  state.ceiling = static_cast<std::uint16_t>(ceiling);
  return is_held ? 0 : perform(OperationKind::MutexUnlock, id, site);
}

}  // namespace

int init_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes, Site site) {
  const ObjectId begun = begin_initializing(ObjectKind::Mutex, mutex, site, [&] {
    pthread_mutex_t trial;
    return real::pthread_mutex_init(&trial, attributes) == 0 && !is_shared(&trial);
  });
  const int error = real::pthread_mutex_init(mutex, attributes);
  if (error != 0 || is_shared(mutex)) return error;
  const std::uint16_t ceiling = ceiling_in(mutex);  // lies where the mark will be
  end_initializing(begun, ObjectKind::Mutex, mutex, site, [&](ObjectId id) {
    set_state(id, mutex);
    runtime.world->object(id).mutex.ceiling = ceiling;
  });
  return 0;
}

int lock_mutex_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time, Site site) {
  if (!can_wait_by(clock)) return EINVAL;
  if (is_shared(mutex) && can_read(time) && valid(*time)) return lock_shared(mutex, deadline_at(clock, time), site);
  if (is_shared(mutex)) return lock_shared(mutex, kAtOnce, site) == 0 ? 0 : EINVAL;
  const ObjectId id = mutex_object(mutex, site);
  const bool is_there = can_read(time);
  if (is_there && valid(*time)) return perform(OperationKind::MutexLock, id, site, deadline_at(clock, time));
  const int result = perform(OperationKind::MutexTryLock, id, site);  // POSIX: looked at only if the call must wait
  return result != EBUSY ? result : is_there || valid(*time) ? EINVAL : EFAULT;
}

namespace {

// The runtime calls a library (Runtime::inside), and that the program: for memory, where its own malloc() takes a
// mutex. One that the model has is locked for libc by the model's mark, and its owner is nobody or a task that can't go
// on meanwhile: the call does nothing.
bool passes_by(const pthread_mutex_t* mutex) {
  return heddle::runtime::runtime.inside && marked_object(ObjectKind::Mutex, mutex) != kNoObject;
}

}  // namespace

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
  if (is_shared(mutex)) return real::pthread_mutex_destroy(mutex);
  before_mutex_is_destroyed(mutex, HEDDLE_CALLER);
  return perform(OperationKind::MutexDestroy, mutex_object(mutex, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!controlled()) return passes_by(mutex) ? 0 : real::pthread_mutex_lock(mutex);
  if (is_shared(mutex)) return lock_shared(mutex, kNoDeadline, HEDDLE_CALLER);
  if (passes_lock(mutex)) return 0;
  const ObjectId id = known_mutex(mutex, HEDDLE_CALLER);
  return lock_mutex_at_once(id, HEDDLE_CALLER) ? 0 : lock_later(mutex, id, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (!controlled()) return passes_by(mutex) ? 0 : real::pthread_mutex_trylock(mutex);
  if (is_shared(mutex)) return lock_shared(mutex, kAtOnce, HEDDLE_CALLER);
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
  if (!controlled()) return passes_by(mutex) ? 0 : real::pthread_mutex_unlock(mutex);
  if (is_shared(mutex)) return unlock_shared(mutex, HEDDLE_CALLER);
  if (passes_unlock(mutex)) return 0;
  const ObjectId id = known_mutex(mutex, HEDDLE_CALLER);
  return unlock_mutex_at_once(id, HEDDLE_CALLER) ? 0 : unlock_later(mutex, id, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  if (!controlled() || is_shared(mutex)) return real::pthread_mutex_consistent(mutex);
  return model::mutex_consistent(*heddle::runtime::runtime.world, current_task(), mutex_object(mutex, HEDDLE_CALLER));
}

HEDDLE_EXPORT int pthread_mutex_getprioceiling(const pthread_mutex_t* mutex, int* ceiling) {
  if (!controlled() || is_shared(mutex)) return real::pthread_mutex_getprioceiling(mutex, ceiling);
  if ((mutex->__data.__kind & kProtectBit) == 0) return EINVAL;
  const ObjectId id = mutex_object(const_cast<pthread_mutex_t*>(mutex), HEDDLE_CALLER);
  *ceiling = heddle::runtime::runtime.world->object(id).mutex.ceiling;
  return 0;
}

HEDDLE_EXPORT int pthread_mutex_setprioceiling(pthread_mutex_t* mutex, int ceiling, int* old) {
  if (!controlled()) return real::pthread_mutex_setprioceiling(mutex, ceiling, old);
  if (is_shared(mutex)) not_modelled("pthread_mutex_setprioceiling for a mutex that is shared between processes");
  return set_ceiling(mutex, ceiling, old, HEDDLE_CALLER);
}
