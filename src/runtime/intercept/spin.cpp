// Spin locks. The lock is one word: it holds the object's number.
#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/snapshot/user_memory.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

std::uint32_t* word_of(pthread_spinlock_t* lock) { return reinterpret_cast<std::uint32_t*>(const_cast<int*>(lock)); }

ObjectId spin_object(pthread_spinlock_t* lock, Site site) {
  return find_small_object(ObjectKind::SpinLock, word_of(lock), word_of(lock), site).id;
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  if (!controlled()) return real::pthread_spin_init(lock, shared);
  ObjectId id = kNoObject;
  if (others_are_there())
    id = take_initializing_step(spin_object(lock, HEDDLE_CALLER), ObjectKind::SpinLock, word_of(lock), HEDDLE_CALLER);
  *lock = 0;  // not a mark: a new object
  if (id == kNoObject) return spin_object(lock, HEDDLE_CALLER), 0;
  mark_small_object(id, word_of(lock));
  heddle::runtime::runtime.world->reevaluate_object(id);
  return 0;
}

HEDDLE_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) {
  if (!controlled() || !can_read(const_cast<const int*>(lock), 8)) return real::pthread_spin_destroy(lock);
  return perform(OperationKind::SpinDestroy, spin_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
  if (!controlled()) return real::pthread_spin_lock(lock);
  return perform(OperationKind::SpinLock, spin_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!controlled()) return real::pthread_spin_trylock(lock);
  return perform(OperationKind::SpinTryLock, spin_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (!controlled()) return real::pthread_spin_unlock(lock);
  return perform(OperationKind::SpinUnlock, spin_object(lock, HEDDLE_CALLER), HEDDLE_CALLER);
}
