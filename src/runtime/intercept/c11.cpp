// C11 threads. In glibc they are the pthread objects and functions under other names and with other error values
// (nptl/thrd_*.c, mtx_*.c, cnd_*.c), so here they become the same operations.
#include <threads.h>

#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/mutex_object.h"
#include "runtime/state/up_calls.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t) && sizeof(tss_t) == sizeof(pthread_key_t));

pthread_mutex_t* as_mutex(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* as_condition(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

// glibc's thrd_err_map()
int as_thrd(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

int init(mtx_t* mutex, int type, Site site) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if (type == (mtx_plain | mtx_recursive) || type == (mtx_timed | mtx_recursive))
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  return as_thrd(init_mutex(as_mutex(mutex), &attributes, site));
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int thrd_create(thrd_t* handle, thrd_start_t function, void* argument) {
  if (!controlled()) return real::thrd_create(handle, function, argument);
  // Called as what it is, a function that gives an int (run_task.cpp).
  const ThreadEntry entry{reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(function)), argument, true};
  return as_thrd(create_thread(handle, nullptr, entry, HEDDLE_CALLER));
}

HEDDLE_EXPORT int thrd_join(thrd_t handle, int* result) {
  if (!controlled()) return real::thrd_join(handle, result);
  void* value = nullptr;
  const int error = join_thread(handle, &value, HEDDLE_CALLER);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<std::uintptr_t>(value));
  return as_thrd(error);
}

HEDDLE_EXPORT int thrd_detach(thrd_t handle) {
  if (!controlled()) return real::thrd_detach(handle);
  return as_thrd(detach_thread(handle, HEDDLE_CALLER));
}

HEDDLE_EXPORT void thrd_exit(int result) {
  if (!controlled()) real::thrd_exit(result);
  exit_thread(reinterpret_cast<void*>(static_cast<std::uintptr_t>(result)));
}

HEDDLE_EXPORT int thrd_sleep(const timespec* duration, timespec* left) {
  if (!controlled()) return real::thrd_sleep(duration, left);
  const int error = sleep_on_clock(CLOCK_REALTIME, 0, duration, left, HEDDLE_CALLER);
  if (error == 0) return 0;
  return error == EINTR ? -1 : -2;
}

HEDDLE_EXPORT void thrd_yield() {
  if (!controlled()) return real::thrd_yield();
  perform(OperationKind::Yield, kNoObject, HEDDLE_CALLER);
}

HEDDLE_EXPORT int mtx_init(mtx_t* mutex, int type) {
  if (!controlled()) return real::mtx_init(mutex, type);
  return init(mutex, type, HEDDLE_CALLER);
}

HEDDLE_EXPORT void mtx_destroy(mtx_t* mutex) {
  if (!controlled()) return real::mtx_destroy(mutex);
  perform(OperationKind::MutexDestroy, mutex_object(as_mutex(mutex), HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int mtx_lock(mtx_t* mutex) {
  if (!controlled()) return real::mtx_lock(mutex);
  return as_thrd(perform(OperationKind::MutexLock, mutex_object(as_mutex(mutex), HEDDLE_CALLER), HEDDLE_CALLER));
}

HEDDLE_EXPORT int mtx_trylock(mtx_t* mutex) {
  if (!controlled()) return real::mtx_trylock(mutex);
  return as_thrd(perform(OperationKind::MutexTryLock, mutex_object(as_mutex(mutex), HEDDLE_CALLER), HEDDLE_CALLER));
}

HEDDLE_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  if (!controlled()) return real::mtx_timedlock(mutex, time);
  return as_thrd(lock_mutex_until(as_mutex(mutex), CLOCK_REALTIME, time, HEDDLE_CALLER));
}

HEDDLE_EXPORT int mtx_unlock(mtx_t* mutex) {
  if (!controlled()) return real::mtx_unlock(mutex);
  return as_thrd(perform(OperationKind::MutexUnlock, mutex_object(as_mutex(mutex), HEDDLE_CALLER), HEDDLE_CALLER));
}

HEDDLE_EXPORT int cnd_init(cnd_t* condition) {
  if (!controlled()) return real::cnd_init(condition);
  return as_thrd(init_condition(as_condition(condition), nullptr, HEDDLE_CALLER));
}

HEDDLE_EXPORT void cnd_destroy(cnd_t* condition) {
  if (!controlled()) return real::cnd_destroy(condition);
  perform(OperationKind::ConditionDestroy, condition_object(as_condition(condition), HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  if (!controlled()) return real::cnd_wait(condition, mutex);
  return as_thrd(wait_on_condition(as_condition(condition), as_mutex(mutex), CLOCK_REALTIME, nullptr, HEDDLE_CALLER));
}

HEDDLE_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  if (!controlled()) return real::cnd_timedwait(condition, mutex, time);
  return as_thrd(wait_on_condition(as_condition(condition), as_mutex(mutex), CLOCK_REALTIME, time, HEDDLE_CALLER));
}

HEDDLE_EXPORT int cnd_signal(cnd_t* condition) {
  if (!controlled()) return real::cnd_signal(condition);
  return as_thrd(
      perform(OperationKind::ConditionSignal, condition_object(as_condition(condition), HEDDLE_CALLER), HEDDLE_CALLER));
}

HEDDLE_EXPORT int cnd_broadcast(cnd_t* condition) {
  if (!controlled()) return real::cnd_broadcast(condition);
  return as_thrd(perform(OperationKind::ConditionBroadcast, condition_object(as_condition(condition), HEDDLE_CALLER),
                         HEDDLE_CALLER));
}

HEDDLE_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  if (!controlled()) return real::tss_create(key, destructor);
  return as_thrd(create_key(key, destructor));
}

HEDDLE_EXPORT void tss_delete(tss_t key) {
  if (!controlled()) return real::tss_delete(key);
  delete_key(key, HEDDLE_CALLER);
}

HEDDLE_EXPORT void call_once(once_flag* flag, void (*initializer)()) {
  auto* control = reinterpret_cast<pthread_once_t*>(flag);
  if (!controlled()) return is_once_done(control) ? void() : real::call_once(flag, initializer);
  run_once(control, initializer, HEDDLE_CALLER);
}
