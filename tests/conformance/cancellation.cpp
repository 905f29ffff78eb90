// Cancellation: states, types, points, cleanup handlers, waits that are cancelled.
#include <signal.h>

#include "check.h"

namespace {

int cleaned;
void clean(void* amount) { cleaned += *static_cast<int*>(amount); }
int one = 1;

// Starts `body`, cancels it, and says whether it ended by that.
template <class Body>
const char* cancelled(Body body) {
  struct Run {
    static void* run(void* at) {
      (*static_cast<Body*>(at))();
      return nullptr;
    }
  };
  pthread_t thread;
  void* result = nullptr;
  if (pthread_create(&thread, nullptr, Run::run, &body) != 0) abort();
  pthread_cancel(thread);
  pthread_join(thread, &result);
  return result == PTHREAD_CANCELED ? "cancelled" : "ran to its end";
}

#define CANCELLED(function, condition, ...) say(function, condition, cancelled(__VA_ARGS__), "cancelled")
#define NOT_CANCELLED(function, condition, ...) say(function, condition, cancelled(__VA_ARGS__), "ran to its end")

void check_states() {
  int old = -1;
  ERROR_OF("pthread_setcancelstate", "disable", 0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
  VALUE_OF("pthread_setcancelstate", "enabled at first", PTHREAD_CANCEL_ENABLE, old);
  ERROR_OF("pthread_setcancelstate", "enable", 0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
  VALUE_OF("pthread_setcancelstate", "disabled before", PTHREAD_CANCEL_DISABLE, old);
  ERROR_OF("pthread_setcancelstate", "neither", EINVAL, pthread_setcancelstate(77, &old));
  ERROR_OF("pthread_setcancelstate", "the old one is not wanted", 0,
           pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr));
  ERROR_OF("pthread_setcanceltype", "asynchronous", 0, pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
  VALUE_OF("pthread_setcanceltype", "deferred at first", PTHREAD_CANCEL_DEFERRED, old);
  ERROR_OF("pthread_setcanceltype", "deferred", 0, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
  ERROR_OF("pthread_setcanceltype", "neither", EINVAL, pthread_setcanceltype(77, &old));
  pthread_testcancel();
  HOLDS("pthread_testcancel", "nobody has cancelled the thread", true);
}

void check_points() {
  CANCELLED("pthread_testcancel", "in a loop", [] {
    for (;;) pthread_testcancel(), sched_yield();
  });
  NOT_CANCELLED("pthread_testcancel", "disabled", [] {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    for (int i = 0; i < 3; ++i) pthread_testcancel(), sched_yield();
  });
  CANCELLED("pthread_cancel", "a thread that sleeps", [] { pause_ms(60000); });
  CANCELLED("nanosleep", "in a loop", [] {
    for (;;) pause_ms(1);
  });
  CANCELLED("sleep", "a minute", [] { sleep(60); });
  CANCELLED("usleep", "in a loop", [] {
    for (;;) usleep(1000);
  });
  CANCELLED("clock_nanosleep", "a minute", [] {
    const timespec minute = {60, 0};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &minute, nullptr);
  });
  CANCELLED("sem_wait", "value 0", [] {
    static sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    sem_wait(&semaphore);
  });
  CANCELLED("sem_timedwait", "value 0", [] {
    static sem_t semaphore;
    const timespec later = after_ms(CLOCK_REALTIME, 60000);
    sem_init(&semaphore, 0, 0);
    sem_timedwait(&semaphore, &later);
  });
  CANCELLED("sem_clockwait", "value 0", [] {
    static sem_t semaphore;
    const timespec later = after_ms(CLOCK_MONOTONIC, 60000);
    sem_init(&semaphore, 0, 0);
    sem_clockwait(&semaphore, CLOCK_MONOTONIC, &later);
  });
  static Gate go;
  static Thread slow([] { return go.pass(), 0; });
  CANCELLED("pthread_join", "of a thread that goes on", [] { pthread_join(slow.handle(), nullptr); });
  go.open();
  VALUE_OF("pthread_join", "the thread can still be joined", 0, slow.result());
  CANCELLED("pause", "no signal", [] { pause(); });
  CANCELLED("sigwait", "no signal", [] {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    sigwait(&set, &number);
  });
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
volatile int held_in_handler;

void check_conditions() {
  CANCELLED("pthread_cond_wait", "nobody signals", [] {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(
        [](void*) {
          held_in_handler = pthread_mutex_trylock(&mutex) == EBUSY;
          pthread_mutex_unlock(&mutex);
        },
        nullptr);
    for (;;) pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
  });
  VALUE_OF("pthread_cond_wait", "cancelled, the mutex is held in the cleanup handler", 1, held_in_handler);
  ERROR_OF("pthread_mutex_lock", "after the cancelled waiter's handler unlocked it", 0, pthread_mutex_lock(&mutex));
  pthread_mutex_unlock(&mutex);
  CANCELLED("pthread_cond_timedwait", "nobody signals", [] {
    const timespec later = after_ms(CLOCK_REALTIME, 60000);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push([](void*) { pthread_mutex_unlock(&mutex); }, nullptr);
    for (;;) pthread_cond_timedwait(&condition, &mutex, &later);
    pthread_cleanup_pop(1);
  });
  CANCELLED("pthread_cond_clockwait", "nobody signals", [] {
    const timespec later = after_ms(CLOCK_MONOTONIC, 60000);
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push([](void*) { pthread_mutex_unlock(&mutex); }, nullptr);
    for (;;) pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &later);
    pthread_cleanup_pop(1);
  });
}

void check_no_points() {
  static Gate go;
  static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&held);
  pthread_t thread;
  void* result = nullptr;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&held);
        return &one;
      },
      nullptr);
  ERROR_OF("pthread_cancel", "a thread that waits for a mutex", 0, pthread_cancel(thread));
  pthread_mutex_unlock(&held);
  pthread_join(thread, &result);
  HOLDS("pthread_mutex_lock", "is no cancellation point", result == &one);
  NOT_CANCELLED("pthread_setcancelstate", "disabled, a point is none", [] {
    // The cancellation may come before this line; then the thread has nothing behind that is one.
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    pthread_testcancel();
    pause_ms(1);
    pthread_exit(nullptr);
  });
  CANCELLED("pthread_setcancelstate", "enabled again, it is cancelled at the next point", [] {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    pause_ms(1);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    for (;;) pthread_testcancel(), sched_yield();
  });
  CANCELLED("pthread_setcanceltype", "asynchronous, a computation", [] {
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    for (;;) sched_yield();
  });
  pthread_create(
      &thread, nullptr, [](void*) -> void* { return go.pass(), &one; }, nullptr);
  go.open();
  pthread_join(thread, &result);
  HOLDS("pthread_join", "a thread that nobody cancelled", result == &one);
}

struct Counts {
  ~Counts() { cleaned += 100; }
};

void check_cleanup() {
  cleaned = 0;
  CANCELLED("pthread_cancel", "a thread with cleanup handlers", [] {
    static int ten = 10;
    pthread_cleanup_push(clean, &one);
    pthread_cleanup_push(clean, &ten);
    for (;;) pthread_testcancel(), sched_yield();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
  });
  // Whether the thread had come to its handlers when it was cancelled, it had no point before them.
  VALUE_OF("pthread_cancel", "its handlers have run", 11, cleaned);
  cleaned = 0;
  CANCELLED("pthread_cancel", "a thread with C++ objects", [] {
    const Counts counts;
    for (;;) pthread_testcancel(), sched_yield();
  });
  VALUE_OF("pthread_cancel", "their destructors have run", 100, cleaned);
  cleaned = 0;
  static bool rethrown = false;
  CANCELLED("pthread_cancel", "a thread that catches everything and throws on", [] {
    try {
      for (;;) pthread_testcancel(), sched_yield();
    } catch (...) {
      rethrown = true;
      throw;
    }
  });
  HOLDS("pthread_cancel", "catch (...) sees it", rethrown);
  static pthread_key_t key;
  cleaned = 0;
  pthread_key_create(&key, clean);
  CANCELLED("pthread_cancel", "a thread with a key's value", [] {
    pthread_setspecific(key, &one);
    for (;;) pthread_testcancel(), sched_yield();
  });
  VALUE_OF("pthread_cancel", "the key's destructor has run", 1, cleaned);
  cleaned = 0;
  elsewhere([] {
    pthread_cleanup_push(clean, &one);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(clean, &one);
    pthread_cleanup_pop(0);
    return 0;
  });
  VALUE_OF("pthread_cleanup_pop", "executes or not, as it is told", 1, cleaned);
  pthread_key_delete(key);
}

void check_itself() {
  pthread_t thread;
  void* result = nullptr;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        pthread_cancel(pthread_self());
        pthread_testcancel();
        return nullptr;
      },
      nullptr);
  pthread_join(thread, &result);
  HOLDS("pthread_cancel", "itself", result == PTHREAD_CANCELED);
  static Gate cancelled_now, started;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        int old;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        started.open();
        cancelled_now.pass();
        return &one;
      },
      nullptr);
  started.pass();
  ERROR_OF("pthread_cancel", "a thread that has it disabled", 0, pthread_cancel(thread));
  ERROR_OF("pthread_cancel", "a second time", 0, pthread_cancel(thread));
  cancelled_now.open();
  pthread_join(thread, &result);
  HOLDS("pthread_cancel", "disabled, the thread ends as it would", result == &one);
}

}  // namespace

int main() {
  begin_checks();
  check_states();
  check_points();
  check_conditions();
  check_no_points();
  check_cleanup();
  check_itself();
  return end_checks();
}
