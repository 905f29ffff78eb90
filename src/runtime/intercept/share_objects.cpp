// The first fork of the program: objects of the model that processes share become libc's objects again, or get a state
// of our own; see shared_objects.h.
#include <string.h>

#include "model/mutex.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/shared_objects.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/environment.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

// The owner's thread takes it as it would; for another thread's the words are written, of which libc knows no more.
void give_to_owner(pthread_mutex_t* mutex, const model::MutexState& state) {
  if (state.owner == runtime.current) {
    for (std::uint32_t i = 0; i < (state.depth == 0 ? 1 : state.depth); ++i) real::pthread_mutex_trylock(mutex);
    return;
  }
  if (state.robust) not_modelled("fork while another thread holds a robust mutex that is shared between processes");
  const int* owner = thread_id_of(state.owner);
  mutex->__data.__lock = 1;
  mutex->__data.__owner = owner != nullptr ? *owner : 0;
  mutex->__data.__count = state.depth;
  mutex->__data.__nusers = 1;
}

void share_mutex(pthread_mutex_t* mutex, const model::MutexState& state) {
  constexpr unsigned kCeilingShift = 19;
  if (state.owner_died || state.inconsistent || state.not_recoverable)
    not_modelled("fork while a robust mutex that is shared between processes is inconsistent");
  mutex->__data.__lock = static_cast<int>(unsigned{state.ceiling} << kCeilingShift);
  mutex->__data.__count = 0;
  if (state.owner != kNoTask) give_to_owner(mutex, state);
}

void share_rwlock(pthread_rwlock_t* lock, const model::RwLockState& state) {
  lock->__data.__readers = lock->__data.__writers = 0;
  if (state.writer != kNoTask) {
    real::pthread_rwlock_trywrlock(lock);
    if (const int* writer = thread_id_of(state.writer); writer != nullptr) lock->__data.__cur_writer = *writer;
  }
  for (unsigned i = 0; i < state.readers; ++i) real::pthread_rwlock_tryrdlock(lock);
}

void share_semaphore(sem_t* semaphore, const model::SemaphoreState& state) {
  const std::uint64_t value_and_waiters = state.value;
  memcpy(semaphore, &value_and_waiters, sizeof value_and_waiters);
}

// Is the memory still the object's, and did the program say that processes share it?
template <typename T>
T* shared_at(const model::Object& object) {
  auto* found = reinterpret_cast<T*>(object.address);
  return can_read(found) && is_shared(found) ? found : nullptr;
}

// `busy`: somebody waits, in the model, where no other process could let him go on.
template <typename T, typename Share>
void share_at(ObjectId id, const model::Object& object, bool busy, Share share) {
  T* found = shared_at<T>(object);
  if (found == nullptr || !is_marked(id, found)) return;
  if (busy || object.pending_first != kNoTask)
    not_modelled("fork while another thread waits for an object that is shared between processes");
  share(found);
}

void share(ObjectId id, const model::Object& object) {
  switch (object.kind) {
    case ObjectKind::Mutex:
      return share_at<pthread_mutex_t>(id, object, false, [&](auto* found) { share_mutex(found, object.mutex); });
    case ObjectKind::RwLock:
      return share_at<pthread_rwlock_t>(id, object, false, [&](auto* found) { share_rwlock(found, object.rwlock); });
    case ObjectKind::Semaphore:
      return share_at<sem_t>(id, object, false, [&](auto* found) { share_semaphore(found, object.semaphore); });
    case ObjectKind::Condition:
      return share_at<pthread_cond_t>(id, object, object.condition.waiters.count != 0,
                                      [](auto* found) { init_shared(found); });
    case ObjectKind::Barrier:
      return share_at<pthread_barrier_t>(id, object, object.barrier.arrived != 0 || object.barrier.leaving != 0,
                                         [&](auto* found) { init_shared(found, object.barrier.threshold); });
    default:
      return;
  }
}

}  // namespace

void before_fork_with_shared_objects() {
  if (execution_forks.program_has_forked) return;
  execution_forks.program_has_forked = true;
  thread_id_of(0);  // found as long as this is the process that it was
  model::World& world = *runtime.world;
  for (ObjectId id = 1; id <= world.population().object_count(); ++id) {
    const model::Object& object = world.object(id);
    if (!object.is_gone() && object.address != 0) share(id, object);
  }
}

}  // namespace heddle::runtime
