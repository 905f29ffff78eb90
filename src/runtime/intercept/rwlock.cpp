// Reader-writer locks.
#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/shared_objects.h"
#include "runtime/snapshot/user_memory.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

void set_state(ObjectId id, const pthread_rwlock_t* lock) {
  runtime.world->object(id).rwlock.prefer_writer = lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

ObjectId rwlock_object(pthread_rwlock_t* lock, Site site) {
  const Found found = find_object(ObjectKind::RwLock, lock, site);
  if (found.fresh) set_state(found.id, lock);
  return found.id;
}

int timed(OperationKind kind, pthread_rwlock_t* lock, clockid_t clock, const timespec* time, Site site) {
  const timespec* volatile given = time;  // declared never to be null; glibc waits without end then
  if ((given != nullptr && !valid(*given)) || !can_wait_by(clock)) return EINVAL;
  const Nanoseconds deadline = given != nullptr ? deadline_at(clock, given) : kNoDeadline;
  if (is_shared(lock))
    return kind == OperationKind::ReadLock ? read_lock_shared(lock, deadline, site)
                                           : write_lock_shared(lock, deadline, site);
  return perform(kind, rwlock_object(lock, site), site, deadline);
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  if (!controlled()) return real::pthread_rwlock_init(lock, attributes);
  const ObjectId begun = begin_initializing(ObjectKind::RwLock, lock, HEDDLE_CALLER, [&] {
    pthread_rwlock_t trial;
    return real::pthread_rwlock_init(&trial, attributes) == 0 && !is_shared(&trial);
  });
  const int error = real::pthread_rwlock_init(lock, attributes);
  if (error == 0 && !is_shared(lock))
    end_initializing(begun, ObjectKind::RwLock, lock, HEDDLE_CALLER, [&](ObjectId id) { set_state(id, lock); });
  return error;
}

HEDDLE_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (!controlled()) return real::pthread_rwlock_destroy(lock);
  if (!can_read(lock) || is_shared(lock)) return real::pthread_rwlock_destroy(lock);
  return perform(OperationKind::RwDestroy, rwlock_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return real::pthread_rwlock_rdlock(lock);
  if (is_shared(lock)) return read_lock_shared(lock, kNoDeadline, HEDDLE_CALLER);
  return perform(OperationKind::ReadLock, rwlock_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!controlled()) return real::pthread_rwlock_tryrdlock(lock);
  if (is_shared(lock)) return read_lock_shared(lock, kAtOnce, HEDDLE_CALLER);
  return perform(OperationKind::TryReadLock, rwlock_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return real::pthread_rwlock_timedrdlock(lock, time);
  return timed(OperationKind::ReadLock, lock, CLOCK_REALTIME, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  if (!controlled()) return real::pthread_rwlock_clockrdlock(lock, clock, time);
  return timed(OperationKind::ReadLock, lock, clock, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return real::pthread_rwlock_wrlock(lock);
  if (is_shared(lock)) return write_lock_shared(lock, kNoDeadline, HEDDLE_CALLER);
  return perform(OperationKind::WriteLock, rwlock_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!controlled()) return real::pthread_rwlock_trywrlock(lock);
  if (is_shared(lock)) return write_lock_shared(lock, kAtOnce, HEDDLE_CALLER);
  return perform(OperationKind::TryWriteLock, rwlock_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  if (!controlled()) return real::pthread_rwlock_timedwrlock(lock, time);
  return timed(OperationKind::WriteLock, lock, CLOCK_REALTIME, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  if (!controlled()) return real::pthread_rwlock_clockwrlock(lock, clock, time);
  return timed(OperationKind::WriteLock, lock, clock, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!controlled()) return real::pthread_rwlock_unlock(lock);
  if (is_shared(lock)) return unlock_shared(lock, HEDDLE_CALLER);
  return perform(OperationKind::RwUnlock, rwlock_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}
