// Synchronization objects that a program shares with the processes it forks (PTHREAD_PROCESS_SHARED). Until its first
// fork the model keeps them, as all others. At the fork they become libc's objects again, or (condition variables,
// barriers) get a state of our own in their memory. From then on the runtime reads and takes them without blocking. A
// task that has to wait for one waits as for a descriptor: another process may end its wait.
//
// A program that it executes runs without Heddle and shares nothing with it; nor does a process that it did not fork.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "protocol/operations.h"

namespace heddle::runtime {

// For a moment: what several processes change at once, by a word that is 0 at first.
class SharedGuard {
 public:
  explicit SharedGuard(std::uint32_t& word) : word_(&word) {
    while (__atomic_exchange_n(word_, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  }
  ~SharedGuard() { __atomic_store_n(word_, 0, __ATOMIC_RELEASE); }
  SharedGuard(const SharedGuard&) = delete;
  SharedGuard& operator=(const SharedGuard&) = delete;

 private:
  std::uint32_t* word_;
};

// The program is about to fork.
void before_fork_with_shared_objects();

struct ExecutionForks {
  bool program_has_forked = false;
};
extern ExecutionForks execution_forks;

// Is it to be taken by the functions below? `object` need not have been seen before.
inline bool is_shared(const pthread_mutex_t* mutex) {
  constexpr int kSharedBit = 128;
  return __builtin_expect(execution_forks.program_has_forked, 0) && (mutex->__data.__kind & kSharedBit) != 0;
}
inline bool is_shared(const pthread_cond_t* condition) {
  return __builtin_expect(execution_forks.program_has_forked, 0) && (condition->__data.__wrefs & 1) != 0;
}
inline bool is_shared(const pthread_rwlock_t* lock) {
  return __builtin_expect(execution_forks.program_has_forked, 0) && lock->__data.__shared != 0;
}
bool is_shared(const sem_t* semaphore);
bool is_shared(const pthread_barrier_t* barrier);

// They return errno values. `deadline`: kNoDeadline waits without end; kAtOnce does not wait.
inline constexpr Nanoseconds kAtOnce = -1;
int lock_shared(pthread_mutex_t* mutex, Nanoseconds deadline, Site site);
int unlock_shared(pthread_mutex_t* mutex, Site site);
int wait_for_shared(sem_t* semaphore, Nanoseconds deadline, Site site);
int post_shared(sem_t* semaphore, Site site);
int read_lock_shared(pthread_rwlock_t* lock, Nanoseconds deadline, Site site);
int write_lock_shared(pthread_rwlock_t* lock, Nanoseconds deadline, Site site);
int unlock_shared(pthread_rwlock_t* lock, Site site);
// While it waits it is no cancellation point.
int wait_on_shared(pthread_cond_t* condition, pthread_mutex_t* mutex, Nanoseconds deadline, Site site);
int signal_shared(pthread_cond_t* condition, bool all, Site site);
int wait_at_shared(pthread_barrier_t* barrier, Site site);
void init_shared(pthread_cond_t* condition);
void init_shared(pthread_barrier_t* barrier, unsigned threshold);

}  // namespace heddle::runtime
