// Unnamed semaphores.
#include <limits.h>
#include <semaphore.h>
#include <string.h>

#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/shared_objects.h"
#include "runtime/snapshot/user_memory.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

// A semaphore that no call has initialised reads as glibc's: the value is in its first bytes.
ObjectId semaphore_object(sem_t* semaphore, Site site) {
  std::uint32_t value = 0;
  memcpy(&value, semaphore, sizeof value);
  const Found found = find_object(ObjectKind::Semaphore, semaphore, site);
  if (found.fresh) runtime.world->object(found.id).semaphore.value = value;
  return found.id;
}

int timed_wait(sem_t* semaphore, clockid_t clock, const timespec* time, Site site) {
  if (!valid(*time) || !can_wait_by(clock)) return through_errno(EINVAL);
  const Nanoseconds deadline = deadline_at(clock, time);
  if (is_shared(semaphore)) return through_errno(wait_for_shared(semaphore, deadline, site));
  return through_errno(perform(OperationKind::SemaphoreWait, semaphore_object(semaphore, site), site, deadline,
                               restarted_by_signals(deadline)));
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) {
  if (!controlled()) return real::sem_init(semaphore, shared, value);
  const ObjectId begun = begin_initializing(ObjectKind::Semaphore, semaphore, HEDDLE_CALLER, [&] {
    sem_t trial;
    return real::sem_init(&trial, shared, value) == 0 && !is_shared(&trial);
  });
  if (real::sem_init(semaphore, shared, value) != 0) return -1;
  if (is_shared(semaphore)) return 0;
  end_initializing(begun, ObjectKind::Semaphore, semaphore, HEDDLE_CALLER,
                   [&](ObjectId id) { heddle::runtime::runtime.world->object(id).semaphore.value = value; });
  return 0;
}

HEDDLE_EXPORT int sem_destroy(sem_t* semaphore) {
  if (!controlled() || !can_read(semaphore) || is_shared(semaphore)) return real::sem_destroy(semaphore);
  return through_errno(
      perform(OperationKind::SemaphoreDestroy, semaphore_object(semaphore, HEDDLE_CALLER), HEDDLE_CALLER));
}

HEDDLE_EXPORT int sem_wait(sem_t* semaphore) {
  if (!controlled()) return real::sem_wait(semaphore);
  if (is_shared(semaphore)) return through_errno(wait_for_shared(semaphore, kNoDeadline, HEDDLE_CALLER));
  return through_errno(perform(OperationKind::SemaphoreWait, semaphore_object(semaphore, HEDDLE_CALLER), HEDDLE_CALLER,
                               kNoDeadline, restarted_by_signals(kNoDeadline)));
}

HEDDLE_EXPORT int sem_trywait(sem_t* semaphore) {
  if (!controlled()) return real::sem_trywait(semaphore);
  if (is_shared(semaphore)) return through_errno(wait_for_shared(semaphore, kAtOnce, HEDDLE_CALLER));
  return through_errno(
      perform(OperationKind::SemaphoreTryWait, semaphore_object(semaphore, HEDDLE_CALLER), HEDDLE_CALLER));
}

HEDDLE_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* time) {
  if (!controlled()) return real::sem_timedwait(semaphore, time);
  return timed_wait(semaphore, CLOCK_REALTIME, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  if (!controlled()) return real::sem_clockwait(semaphore, clock, time);
  return timed_wait(semaphore, clock, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_post(sem_t* semaphore) {
  if (!controlled()) return real::sem_post(semaphore);
  if (is_shared(semaphore)) return through_errno(post_shared(semaphore, HEDDLE_CALLER));
  return through_errno(
      perform(OperationKind::SemaphorePost, semaphore_object(semaphore, HEDDLE_CALLER), HEDDLE_CALLER));
}

HEDDLE_EXPORT int sem_getvalue(sem_t* semaphore, int* value) {
  if (!controlled() || is_shared(semaphore)) return real::sem_getvalue(semaphore, value);
  *value = perform(OperationKind::SemaphoreGetValue, semaphore_object(semaphore, HEDDLE_CALLER), HEDDLE_CALLER);
  return 0;
}
