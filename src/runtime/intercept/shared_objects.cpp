// See shared_objects.h.
#include "runtime/intercept/shared_objects.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "runtime/calls/files.h"
#include "runtime/calls/waiting.h"
#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"
#include "runtime/state/environment.h"
#include "runtime/world/live_children.h"

namespace heddle::runtime {

constinit ExecutionForks execution_forks{};

namespace {

// --- a state of our own, in the object's memory, which several processes change at once

// A signal is for those who have come before it: `wakes` of the `eligible` ones, whose numbers are below `limit`.
struct SharedCondition {
  std::uint32_t guard;
  std::uint32_t arrived;
  std::uint32_t limit;
  std::uint32_t waiting;
  std::uint32_t eligible;
  std::uint32_t wakes;
};
static_assert(sizeof(SharedCondition) <= offsetof(__pthread_cond_s, __wrefs));

// Up to `shared` as glibc's: the threshold and the flag are where it has put them.
struct SharedBarrier {
  std::uint32_t guard;
  std::uint32_t round;
  std::uint32_t threshold;
  int shared;
  std::uint32_t arrived;
};
static_assert(sizeof(SharedBarrier) <= sizeof(pthread_barrier_t));

SharedCondition& state_of(pthread_cond_t* condition) { return *reinterpret_cast<SharedCondition*>(condition); }
SharedBarrier& state_of(pthread_barrier_t* barrier) { return *reinterpret_cast<SharedBarrier*>(barrier); }

// --- operations

struct Known {
  const void* address;
  ObjectId object;
};

struct ExecutionSharedObjects {
  model::Table<Known> known;
  std::uint32_t known_count = 0;
};
constinit ExecutionSharedObjects execution_shared_objects{};

ObjectId object_at(const void* address, Site site) {
  for (std::uint32_t i = 0; i < execution_shared_objects.known_count; ++i)
    if (execution_shared_objects.known[i].address == address) return execution_shared_objects.known[i].object;
  const auto number = static_cast<int>(execution_shared_objects.known_count + 1);
  execution_shared_objects.known.ensure(execution_shared_objects.known_count, os::allocate);
  execution_shared_objects.known[execution_shared_objects.known_count] = {
      address, object_without_descriptor(DescriptorKind::SharedObject, number, site)};
  return execution_shared_objects.known[execution_shared_objects.known_count++].object;
}

// A step, and then attempt(), which gives -EAGAIN as long as it has to wait.
template <typename Ready, typename Attempt>
int attempt_step(OperationKind kind, const void* address, Nanoseconds deadline, std::uint8_t interruptible, Site site,
                 const Ready& ready, Attempt attempt) {
  Waiting waiting;
  waiting.data = &ready;
  waiting.ready = [](const Waiting& self) { return (*static_cast<const Ready*>(self.data))(); };
  waiting.never_blocks = deadline == kAtOnce;
  waiting.outside = true;
  waiting.by_relatives = true;
  const WaitingOperation operation{kind, object_at(address, site), site, waiting.never_blocks ? kNoDeadline : deadline,
                                   interruptible};
  return static_cast<int>(-wait_and_attempt(waiting, operation, -ETIMEDOUT, [&]() -> long {
    const int error = attempt();
    if (error == 0) {
      tell_relatives();
      races_acquire(address);
      races_release(address);
    }
    children_may_go_on();
    return -error;
  }));
}

template <typename Attempt>
int step(OperationKind kind, const void* address, Site site, Attempt attempt) {
  return attempt_step(
      kind, address, kAtOnce, 0, site, [] { return true; }, attempt);
}

// What libc's try-functions say.
int as_attempt(int error) { return error == EBUSY ? EAGAIN : error; }
int as_lock(int error, Nanoseconds deadline) { return error == EAGAIN && deadline == kAtOnce ? EBUSY : error; }

std::uint32_t word_at(const void* address) {
  return __atomic_load_n(static_cast<const std::uint32_t*>(address), __ATOMIC_RELAXED);
}

// --- mutexes

constexpr std::uint32_t kOwnerDied = 0x40000000;
constexpr int kTypeBits = 3;

bool is_own(const pthread_mutex_t* mutex) {
  const int* own = thread_id_of(runtime.current);
  return own != nullptr && mutex->__data.__owner == *own;
}

bool is_free(const pthread_mutex_t* mutex) {
  constexpr std::uint32_t kProtect = 64, kCeilingShift = 19;
  std::uint32_t word = word_at(&mutex->__data.__lock);
  if ((static_cast<std::uint32_t>(mutex->__data.__kind) & kProtect) != 0) word &= (1u << kCeilingShift) - 1;
  return word == 0 || (word & kOwnerDied) != 0;
}

// The owner's second lock: libc answers without waiting.
bool answers_at_once(const pthread_mutex_t* mutex) {
  const int type = mutex->__data.__kind & kTypeBits;
  return (type == PTHREAD_MUTEX_ERRORCHECK_NP || type == PTHREAD_MUTEX_RECURSIVE_NP) && is_own(mutex);
}

// --- condition variables

bool is_woken(const SharedCondition& state, std::uint32_t number) {
  return state.wakes != 0 && static_cast<std::int32_t>(number - state.limit) < 0;
}

bool take_wake(SharedCondition& state, std::uint32_t number) {
  const SharedGuard guard(state.guard);
  if (!is_woken(state, number)) return false;
  --state.wakes;
  --state.eligible;
  --state.waiting;
  return true;
}

// False: it has been woken after all, as every one that is left of those whom the signals were for.
bool give_up(SharedCondition& state, std::uint32_t number) {
  const SharedGuard guard(state.guard);
  const bool is_eligible = static_cast<std::int32_t>(number - state.limit) < 0;
  --state.waiting;
  if (!is_eligible) return true;
  const bool woken = state.wakes == state.eligible;
  if (woken) --state.wakes;
  --state.eligible;
  return !woken;
}

void wake(SharedCondition& state, bool all) {
  const SharedGuard guard(state.guard);
  state.limit = state.arrived;
  state.eligible = state.waiting;
  if (all)
    state.wakes = state.waiting;
  else if (state.wakes < state.waiting)
    ++state.wakes;
}

}  // namespace

bool is_shared(const sem_t* semaphore) {
  int flag = 0;
  constexpr std::size_t kFlag = 8;  // behind value and waiters
  memcpy(&flag, reinterpret_cast<const char*>(semaphore) + kFlag, sizeof flag);
  return __builtin_expect(execution_forks.program_has_forked, 0) && flag != 0;
}

bool is_shared(const pthread_barrier_t* barrier) {
  return __builtin_expect(execution_forks.program_has_forked, 0) &&
         reinterpret_cast<const SharedBarrier*>(barrier)->shared != 0;
}

int lock_shared(pthread_mutex_t* mutex, Nanoseconds deadline, Site site) {
  const auto ready = [mutex] { return is_free(mutex) || answers_at_once(mutex); };
  const int error = attempt_step(OperationKind::DescriptorLock, mutex, deadline, 0, site, ready, [mutex, deadline] {
    const bool at_once = deadline != kAtOnce && answers_at_once(mutex);
    return as_attempt(at_once ? real::pthread_mutex_lock(mutex) : real::pthread_mutex_trylock(mutex));
  });
  return as_lock(error, deadline);
}

int unlock_shared(pthread_mutex_t* mutex, Site site) {
  return step(OperationKind::DescriptorUnlock, mutex, site, [mutex] { return real::pthread_mutex_unlock(mutex); });
}

int wait_for_shared(sem_t* semaphore, Nanoseconds deadline, Site site) {
  const auto ready = [semaphore] { return word_at(semaphore) != 0; };
  const std::uint8_t interruptible = deadline == kAtOnce ? std::uint8_t{0} : restarted_by_signals(deadline);
  return attempt_step(OperationKind::DescriptorLock, semaphore, deadline, interruptible, site, ready,
                      [semaphore] { return real::sem_trywait(semaphore) == 0 ? 0 : errno; });
}

int post_shared(sem_t* semaphore, Site site) {
  return step(OperationKind::DescriptorUnlock, semaphore, site,
              [semaphore] { return real::sem_post(semaphore) == 0 ? 0 : errno; });
}

namespace {

// glibc's: who writes, and how many read.
constexpr std::uint32_t kWriteLocked = 2, kReaderShift = 3;

}  // namespace

int read_lock_shared(pthread_rwlock_t* lock, Nanoseconds deadline, Site site) {
  const auto ready = [lock] { return (word_at(&lock->__data.__readers) & kWriteLocked) == 0; };
  return as_lock(attempt_step(OperationKind::DescriptorLock, lock, deadline, 0, site, ready,
                              [lock] { return as_attempt(real::pthread_rwlock_tryrdlock(lock)); }),
                 deadline);
}

int write_lock_shared(pthread_rwlock_t* lock, Nanoseconds deadline, Site site) {
  const auto ready = [lock] {
    const std::uint32_t word = word_at(&lock->__data.__readers);
    return (word & kWriteLocked) == 0 && word >> kReaderShift == 0;
  };
  return as_lock(attempt_step(OperationKind::DescriptorLock, lock, deadline, 0, site, ready,
                              [lock] { return as_attempt(real::pthread_rwlock_trywrlock(lock)); }),
                 deadline);
}

int unlock_shared(pthread_rwlock_t* lock, Site site) {
  return step(OperationKind::DescriptorUnlock, lock, site, [lock] { return real::pthread_rwlock_unlock(lock); });
}

int wait_on_shared(pthread_cond_t* condition, pthread_mutex_t* mutex, Nanoseconds deadline, Site site) {
  SharedCondition& state = state_of(condition);
  std::uint32_t number = 0;
  const int refused = step(OperationKind::DescriptorUnlock, condition, site, [&] {
    {
      const SharedGuard guard(state.guard);
      number = state.arrived++;
      ++state.waiting;
    }
    const int error = real::pthread_mutex_unlock(mutex);
    if (error == 0) races_release(mutex);
    if (error != 0) give_up(state, number);
    return error;
  });
  if (refused != 0) return refused;
  int error = attempt_step(
      OperationKind::DescriptorWait, condition, deadline, 0, site,
      [&state, &number] { return is_woken(state, number); }, [&] { return take_wake(state, number) ? 0 : EAGAIN; });
  if (error != 0 && !give_up(state, number)) error = 0;
  const int locked = lock_shared(mutex, kNoDeadline, site);
  return locked != 0 ? locked : error;
}

int signal_shared(pthread_cond_t* condition, bool all, Site site) {
  return step(OperationKind::DescriptorControl, condition, site, [condition, all] {
    wake(state_of(condition), all);
    return 0;
  });
}

int wait_at_shared(pthread_barrier_t* barrier, Site site) {
  SharedBarrier& state = state_of(barrier);
  std::uint32_t round = 0;
  bool is_last = false;
  step(OperationKind::DescriptorControl, barrier, site, [&] {
    const SharedGuard guard(state.guard);
    round = state.round;
    is_last = ++state.arrived == state.threshold;
    if (!is_last) return 0;
    state.arrived = 0;
    ++state.round;
    return 0;
  });
  if (is_last) return PTHREAD_BARRIER_SERIAL_THREAD;
  const auto ready = [&] { return word_at(&state.round) != round; };
  return attempt_step(OperationKind::DescriptorWait, barrier, kNoDeadline, 0, site, ready,
                      [&] { return ready() ? 0 : EAGAIN; });
}

void init_shared(pthread_cond_t* condition) { state_of(condition) = SharedCondition(); }

void init_shared(pthread_barrier_t* barrier, unsigned threshold) {
  SharedBarrier& state = state_of(barrier);
  state.guard = state.round = state.arrived = 0;
  state.threshold = threshold;
}

}  // namespace heddle::runtime
