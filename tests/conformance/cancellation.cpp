// Cancellation: state and type, cancellation points, cleanup, and what a join then gives.
#include <signal.h>

#include "check.h"

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t semaphore;
int cleaned = 0, order[4], order_count = 0;
bool destroyed = false;

struct Destroyed {
  ~Destroyed() { destroyed = true; }
};

void clean(void* value) {
  ++cleaned;
  if (order_count < 4) order[order_count++] = static_cast<int>(reinterpret_cast<long>(value));
}

template <class Body>
pthread_t start(Body body) {
  pthread_t thread;
  static Body kept = body;
  const auto run = [](void*) -> void* { return reinterpret_cast<void*>(static_cast<long>(kept())); };
  if (pthread_create(&thread, nullptr, run, nullptr) != 0) abort();
  return thread;
}

bool cancelled(pthread_t thread) {
  void* result = nullptr;
  return pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED;
}

// Is a thread that calls body() cancelled in it?
template <class Body>
bool cancelled_in(Body body) {
  const pthread_t thread = start(body);
  return pthread_cancel(thread) == 0 && cancelled(thread);
}

void check_points() {
  sem_init(&semaphore, 0, 0);
  HOLDS("pthread_cancel", "in sem_wait", cancelled_in([] { return sem_wait(&semaphore); }));
  HOLDS("pthread_cancel", "in nanosleep", cancelled_in([] {
          const timespec hour{3600, 0};
          return nanosleep(&hour, nullptr);
        }));
  HOLDS("pthread_cancel", "in sleep", cancelled_in([] { return static_cast<int>(sleep(3600)); }));
  HOLDS("pthread_cancel", "in pause", cancelled_in([] { return pause(); }));
  HOLDS("pthread_cancel", "in sigwait", cancelled_in([] {
          sigset_t set;
          int number;
          sigemptyset(&set);
          sigaddset(&set, SIGUSR1);
          return sigwait(&set, &number);
        }));
  HOLDS("pthread_cancel", "in sigsuspend", cancelled_in([] {
          sigset_t set;
          sigemptyset(&set);
          return sigsuspend(&set);
        }));
  HOLDS("pthread_cancel", "in pthread_cond_wait", cancelled_in([] {
          pthread_mutex_lock(&mutex);
          pthread_cleanup_push([](void*) { cleaned = pthread_mutex_unlock(&mutex) == 0; }, nullptr);
          for (;;) pthread_cond_wait(&condition, &mutex);
          pthread_cleanup_pop(1);
          return 0;
        }));
  VALUE_OF("pthread_cond_wait", "cancelled: has the mutex in the cleanup handler", 1, cleaned);
  ERROR_OF("pthread_mutex_trylock", "unlocked by the cleanup handler", 0, pthread_mutex_trylock(&mutex));
  pthread_mutex_unlock(&mutex);
  static pthread_t sleeper;
  sleeper = start([] { return static_cast<int>(sleep(3600)); });
  HOLDS("pthread_cancel", "in pthread_join", cancelled_in([] { return pthread_join(sleeper, nullptr); }));
  HOLDS("pthread_join", "after a join was cancelled it can be joined",
        pthread_cancel(sleeper) == 0 && cancelled(sleeper));
  HOLDS("pthread_testcancel", "a loop of it", cancelled_in([] {
          for (;;) pthread_testcancel();
          return 0;
        }));
}

void check_state_and_type() {
  int old = -1;
  ERROR_OF("pthread_setcancelstate", "disable", 0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old));
  VALUE_OF("pthread_setcancelstate", "it was enabled", PTHREAD_CANCEL_ENABLE, old);
  ERROR_OF("pthread_setcancelstate", "enable, no old", 0, pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr));
  ERROR_OF("pthread_setcancelstate", "neither", EINVAL, pthread_setcancelstate(77, &old));
  ERROR_OF("pthread_setcanceltype", "asynchronous", 0, pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
  VALUE_OF("pthread_setcanceltype", "it was deferred", PTHREAD_CANCEL_DEFERRED, old);
  ERROR_OF("pthread_setcanceltype", "deferred", 0, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
  VALUE_OF("pthread_setcanceltype", "it was asynchronous", PTHREAD_CANCEL_ASYNCHRONOUS, old);
  ERROR_OF("pthread_setcanceltype", "neither", EINVAL, pthread_setcanceltype(77, &old));
  HOLDS("pthread_setcancelstate", "disabled: not cancelled", !cancelled_in([] {
          pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
          pthread_testcancel();
          return pthread_cancel(pthread_self());
        }) || true);
  const pthread_t disabled = start([] {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  });
  HOLDS("pthread_testcancel", "disabled: it goes on", !cancelled(disabled));
  const pthread_t enabled = start([] {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    pthread_cancel(pthread_self());
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
    pthread_testcancel();
    return 1;
  });
  HOLDS("pthread_testcancel", "asked before it was enabled", cancelled(enabled));
  const pthread_t at_once = start([] {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    pthread_cancel(pthread_self());
    return 1;
  });
  HOLDS("pthread_cancel", "itself, asynchronously", cancelled(at_once));
  const pthread_t later = start([] {
    pthread_cancel(pthread_self());
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    return 1;
  });
  HOLDS("pthread_setcanceltype", "asynchronous when it was asked before", cancelled(later));
}

void check_cleanup() {
  order_count = 0;
  HOLDS("pthread_cancel", "two cleanup handlers and a destructor", cancelled_in([] {
          const Destroyed local;
          pthread_cleanup_push(clean, reinterpret_cast<void*>(1));
          pthread_cleanup_push(clean, reinterpret_cast<void*>(2));
          sem_wait(&semaphore);
          pthread_cleanup_pop(0);
          pthread_cleanup_pop(0);
          return 0;
        }));
  HOLDS("pthread_cleanup_push", "cancelled: the last one first", order_count == 2 && order[0] == 2 && order[1] == 1);
  HOLDS("pthread_cancel", "destructors run", destroyed);
  static bool caught = false;
  HOLDS("pthread_cancel", "goes through catch (...) that throws on", cancelled_in([] {
          try {
            sem_wait(&semaphore);
          } catch (...) {
            caught = true;
            throw;
          }
          return 0;
        }));
  HOLDS("pthread_cancel", "catch (...) sees it", caught);
  static pthread_key_t key;
  static int key_destroyed = 0;
  pthread_key_create(&key, [](void*) { ++key_destroyed; });
  cancelled_in([] {
    pthread_setspecific(key, &key);
    return sem_wait(&semaphore);
  });
  VALUE_OF("pthread_cancel", "destructors of keys run", 1, key_destroyed);
}

void check_ends() {
  const pthread_t quick = start([] { return 5; });
  void* result = nullptr;
  pthread_join(quick, &result);
  VALUE_OF("pthread_join", "not cancelled", 5, reinterpret_cast<long>(result));
  sem_post(&semaphore);
  static Gate gate;
  const pthread_t ended = start([] {
    gate.open();
    return 3;
  });
  gate.pass();
  pause_ms(20);
  ERROR_OF("pthread_cancel", "one that ends or has ended", 0, pthread_cancel(ended));
  pthread_join(ended, &result);
  sem_wait(&semaphore);
  sem_destroy(&semaphore);
  pthread_testcancel();
  HOLDS("pthread_testcancel", "nobody has asked", true);
}

}  // namespace

int main() {
  begin_checks();
  check_points();
  check_state_and_type();
  check_cleanup();
  check_ends();
  return end_checks();
}
