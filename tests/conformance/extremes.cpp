// Bad input and large numbers: ten thousand objects, many threads, signal storms, jumps out of handlers, nesting.
// heddle: --execution-timeout=60s
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "check.h"

namespace {

constexpr int kMany = 10000, kSome = 1000;

void check_many_objects() {
  static pthread_mutex_t mutexes[kMany];
  static pthread_cond_t conditions[kSome];
  static pthread_rwlock_t locks[kSome];
  static sem_t semaphores[kSome];
  int errors = 0;
  for (auto& mutex : mutexes) errors += pthread_mutex_init(&mutex, nullptr) + pthread_mutex_lock(&mutex);
  VALUE_OF("pthread_mutex_lock", "ten thousand at once, errors", 0, errors);
  VALUE_OF("pthread_mutex_trylock", "ten thousand held by another, how many are busy", kMany, elsewhere([] {
             int busy = 0;
             for (auto& mutex : mutexes) busy += pthread_mutex_trylock(&mutex) == EBUSY;
             return busy;
           }));
  for (auto& mutex : mutexes) errors += pthread_mutex_unlock(&mutex) + pthread_mutex_destroy(&mutex);
  VALUE_OF("pthread_mutex_destroy", "ten thousand, errors", 0, errors);
  for (auto& condition : conditions) errors += pthread_cond_init(&condition, nullptr) + pthread_cond_signal(&condition);
  for (auto& condition : conditions) errors += pthread_cond_destroy(&condition);
  VALUE_OF("pthread_cond_destroy", "a thousand, errors", 0, errors);
  for (auto& lock : locks) errors += pthread_rwlock_init(&lock, nullptr) + pthread_rwlock_rdlock(&lock);
  for (auto& lock : locks) errors += pthread_rwlock_unlock(&lock) + pthread_rwlock_destroy(&lock);
  VALUE_OF("pthread_rwlock_destroy", "a thousand, errors", 0, errors);
  for (auto& semaphore : semaphores) errors += sem_init(&semaphore, 0, 1) + sem_wait(&semaphore);
  for (auto& semaphore : semaphores) errors += sem_destroy(&semaphore);
  VALUE_OF("sem_destroy", "a thousand, errors", 0, errors);
  for (int i = 0; i < kSome; ++i) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    errors += pthread_mutex_lock(&own) + pthread_mutex_unlock(&own) + pthread_mutex_destroy(&own);
  }
  VALUE_OF("pthread_mutex_destroy", "a thousand one after the other at one place, errors", 0, errors);
}

void check_many_threads() {
  constexpr int kThreads = 200;
  static pthread_t threads[kThreads];
  static pthread_barrier_t barrier;
  int errors = 0, serial = 0;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 16384);
  for (auto& thread : threads)
    errors += pthread_create(
        &thread, &attributes,
        [](void*) -> void* {
          return pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD ? &barrier : nullptr;
        },
        nullptr);
  VALUE_OF("pthread_create", "two hundred threads at once, errors", 0, errors);
  for (auto& thread : threads) {
    void* result = nullptr;
    errors += pthread_join(thread, &result);
    serial += result != nullptr;
  }
  VALUE_OF("pthread_join", "two hundred threads, errors", 0, errors);
  VALUE_OF("pthread_barrier_wait", "of two hundred threads, how many are told apart", 1, serial);
  for (int i = 0; i < 500; ++i) elsewhere([] { return 0; });
  HOLDS("pthread_create", "five hundred one after the other", true);
  pthread_attr_destroy(&attributes);
}

void check_recursion_depth() {
  static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  int errors = 0;
  for (int i = 0; i < kSome; ++i) errors += pthread_mutex_lock(&mutex);
  VALUE_OF("pthread_mutex_lock", "recursive, a thousand times, errors", 0, errors);
  for (int i = 1; i < kSome; ++i) errors += pthread_mutex_unlock(&mutex);
  ERROR_OF("pthread_mutex_trylock", "recursive, a thousand times less one", EBUSY,
           elsewhere([] { return pthread_mutex_trylock(&mutex); }));
  ERROR_OF("pthread_mutex_unlock", "recursive, the thousandth time", 0, pthread_mutex_unlock(&mutex));
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  for (int i = 0; i < kSome; ++i) errors += pthread_rwlock_rdlock(&lock);
  for (int i = 0; i < kSome; ++i) errors += pthread_rwlock_unlock(&lock);
  VALUE_OF("pthread_rwlock_rdlock", "a thousand times by one thread, errors", 0, errors);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < kSome; ++i) errors += sem_post(&semaphore);
  int value = 0;
  sem_getvalue(&semaphore, &value);
  VALUE_OF("sem_getvalue", "after a thousand posts", kSome, value);
}

void check_far_times() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  timespec far = {LONG_MAX, 999999999};
  ERRNO_OF("sem_timedwait", "value 1, until the end of time", 0, sem_timedwait(&semaphore, &far));
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  ERROR_OF("pthread_mutex_timedlock", "free, until the end of time", 0, pthread_mutex_timedlock(&mutex, &far));
  ERROR_OF("pthread_mutex_unlock", "after a lock until the end of time", 0, pthread_mutex_unlock(&mutex));
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  ERROR_OF("pthread_rwlock_timedwrlock", "free, until the end of time", 0, pthread_rwlock_timedwrlock(&lock, &far));
  static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  static bool set = false;
  Thread waiter([] {
    const timespec late = {LONG_MAX, 0};
    int error = 0;
    pthread_mutex_lock(&guard);
    while (!set && error == 0) error = pthread_cond_timedwait(&condition, &guard, &late);
    pthread_mutex_unlock(&guard);
    return error;
  });
  pthread_mutex_lock(&guard);
  set = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&guard);
  ERROR_OF("pthread_cond_timedwait", "signalled, until the end of time", 0, waiter.result());
}

volatile sig_atomic_t handled;
sigjmp_buf place;

void check_storm() {
  signal(SIGUSR1, [](int) { handled = handled + 1; });
  for (int i = 0; i < 1000; ++i) raise(SIGUSR1);
  VALUE_OF("raise", "a thousand times", 1000, handled);
  handled = 0;
  Gate go;
  Thread target([&] { return go.pass(), 0; });
  int errors = 0;
  for (int i = 0; i < 200; ++i) errors += pthread_kill(target.handle(), SIGUSR1);
  go.open();
  target.result();
  VALUE_OF("pthread_kill", "two hundred times at a thread that waits, errors", 0, errors);
  HOLDS("pthread_kill", "two hundred times, at least one was handled", handled >= 1);
  struct sigaction action = {};
  action.sa_handler = [](int) { handled = handled + 1; };
  sigaction(SIGRTMIN, &action, nullptr);
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  handled = 0;
  for (int i = 0; i < 100; ++i) raise(SIGRTMIN);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  VALUE_OF("raise", "a hundred blocked real-time signals", 100, handled);
}

void check_jumps() {
  signal(SIGUSR1, [](int) { siglongjmp(place, 1); });
  static volatile int jumps;
  jumps = 0;
  for (int i = 0; i < 50; ++i) {
    if (sigsetjmp(place, 1) == 0)
      raise(SIGUSR1);
    else
      jumps = jumps + 1;
  }
  VALUE_OF("siglongjmp", "fifty jumps out of a handler", 50, jumps);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  ERROR_OF("pthread_mutex_lock", "after the jumps", 0, pthread_mutex_lock(&mutex));
  HOLDS("pthread_create", "after the jumps", elsewhere([] { return 1; }) == 1);
}

void check_wild_pointers() {
  ERRNO_OF("nanosleep", "a wild pointer", EFAULT, nanosleep(static_cast<timespec*>(kWild), nullptr));
  ERROR_OF("clock_nanosleep", "a wild pointer", EFAULT,
           clock_nanosleep(CLOCK_MONOTONIC, 0, static_cast<timespec*>(kWild), nullptr));
  ERRNO_OF("sigtimedwait", "a wild pointer", EFAULT, sigtimedwait(static_cast<sigset_t*>(kWild), nullptr, &kLongAgo));
}

// A handler that never returns, in a child: it ends the process itself.
void check_endless_handler() {
  signal(SIGUSR2, [](int) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 100; ++i) pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
    pthread_exit(&place);
  });
  pthread_t thread;
  void* result = nullptr;
  pthread_create(
      &thread, nullptr, [](void*) -> void* { return raise(SIGUSR2), nullptr; }, nullptr);
  pthread_join(thread, &result);
  HOLDS("pthread_exit", "from a handler that never returns", result == &place);
}

}  // namespace

int main() {
  begin_checks();
  check_many_objects();
  check_many_threads();
  check_recursion_depth();
  check_far_times();
  check_storm();
  check_jumps();
  check_endless_handler();
  check_wild_pointers();
  return end_checks();
}
