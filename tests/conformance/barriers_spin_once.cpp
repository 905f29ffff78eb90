// Barriers, spin locks, one-time initialization, keys.
#include <limits.h>

#include "check.h"

namespace {

void check_barriers() {
  pthread_barrier_t barrier;
  ERROR_OF("pthread_barrier_init", "count 0", EINVAL, pthread_barrier_init(&barrier, nullptr, 0));
  ERROR_OF("pthread_barrier_init", "count 1", 0, pthread_barrier_init(&barrier, nullptr, 1));
  VALUE_OF("pthread_barrier_wait", "alone", PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&barrier));
  VALUE_OF("pthread_barrier_wait", "alone, again", PTHREAD_BARRIER_SERIAL_THREAD, pthread_barrier_wait(&barrier));
  ERROR_OF("pthread_barrier_destroy", "nobody waits", 0, pthread_barrier_destroy(&barrier));
  ERROR_OF("pthread_barrier_init", "count 3", 0, pthread_barrier_init(&barrier, nullptr, 3));
  for (int round = 1; round <= 2; ++round) {
    int arrived = 0;
    const auto arrive = [&] {
      __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
      const int result = pthread_barrier_wait(&barrier);
      return (result == PTHREAD_BARRIER_SERIAL_THREAD) + 10 * (result == 0) + 100 * (arrived == 3);
    };
    Thread one(arrive), two(arrive), three(arrive);
    const int sum = one.result() + two.result() + three.result();
    VALUE_OF("pthread_barrier_wait", round == 1 ? "how many of three are told apart" : "the same, a second time", 1,
             sum % 10);
    VALUE_OF("pthread_barrier_wait", round == 1 ? "how many of three get 0" : "get 0, a second time", 2, sum / 10 % 10);
    VALUE_OF("pthread_barrier_wait", round == 1 ? "how many saw all three there" : "saw all, a second time", 3,
             sum / 100);
  }
  ERROR_OF("pthread_barrier_destroy", "after use by three", 0, pthread_barrier_destroy(&barrier));
  pthread_barrierattr_t attributes;
  int shared = -1;
  ERROR_OF("pthread_barrierattr_init", "new", 0, pthread_barrierattr_init(&attributes));
  ERROR_OF("pthread_barrierattr_getpshared", "default", 0, pthread_barrierattr_getpshared(&attributes, &shared));
  VALUE_OF("pthread_barrierattr_getpshared", "the default", PTHREAD_PROCESS_PRIVATE, shared);
  ERROR_OF("pthread_barrierattr_setpshared", "shared", 0,
           pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  ERROR_OF("pthread_barrierattr_setpshared", "neither", EINVAL, pthread_barrierattr_setpshared(&attributes, 9));
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE);
  ERROR_OF("pthread_barrier_init", "with attributes", 0, pthread_barrier_init(&barrier, &attributes, 2));
  ERROR_OF("pthread_barrier_destroy", "never used", 0, pthread_barrier_destroy(&barrier));
  ERROR_OF("pthread_barrierattr_destroy", "used", 0, pthread_barrierattr_destroy(&attributes));
}

void check_spin_locks() {
  pthread_spinlock_t lock;
  ERROR_OF("pthread_spin_init", "private", 0, pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  ERROR_OF("pthread_spin_lock", "free", 0, pthread_spin_lock(&lock));
  ERROR_OF("pthread_spin_trylock", "held by itself", EBUSY, pthread_spin_trylock(&lock));
  ERROR_OF("pthread_spin_trylock", "held by another", EBUSY, elsewhere([&] { return pthread_spin_trylock(&lock); }));
  Thread waiter([&] { return pthread_spin_lock(&lock) + pthread_spin_unlock(&lock); });
  sched_yield();
  ERROR_OF("pthread_spin_unlock", "held", 0, pthread_spin_unlock(&lock));
  ERROR_OF("pthread_spin_lock", "waits until it is unlocked", 0, waiter.result());
  ERROR_OF("pthread_spin_trylock", "free", 0, pthread_spin_trylock(&lock));
  ERROR_OF("pthread_spin_unlock", "taken by trylock", 0, pthread_spin_unlock(&lock));
  int inside = 0, most = 0;
  const auto work = [&] {
    for (int i = 0; i < 3; ++i) {
      pthread_spin_lock(&lock);
      if (++inside > most) most = inside;
      --inside;
      pthread_spin_unlock(&lock);
    }
    return 0;
  };
  Thread one(work), two(work);
  one.result(), two.result();
  VALUE_OF("pthread_spin_lock", "most threads inside at once", 1, most);
  ERROR_OF("pthread_spin_destroy", "free", 0, pthread_spin_destroy(&lock));
  ERROR_OF("pthread_spin_init", "after destroying it", 0, pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  ERROR_OF("pthread_spin_destroy", "never used", 0, pthread_spin_destroy(&lock));
  ERROR_OF("pthread_spin_init", "shared", 0, pthread_spin_init(&lock, PTHREAD_PROCESS_SHARED));
  ERROR_OF("pthread_spin_unlock", "shared, held", 0, (pthread_spin_lock(&lock), pthread_spin_unlock(&lock)));
  ERROR_OF("pthread_spin_destroy", "shared", 0, pthread_spin_destroy(&lock));
}

int runs = 0, finished = 0;

void initialize() {
  ++runs;
  sched_yield();
  ++finished;
}

void check_once() {
  static pthread_once_t once = PTHREAD_ONCE_INIT, second = PTHREAD_ONCE_INIT;
  const auto call = [] { return pthread_once(&once, initialize) + 100 * (finished != 1); };
  Thread one(call), two(call), three(call);
  ERROR_OF("pthread_once", "three threads at once, and each finds it done", 0,
           one.result() + two.result() + three.result());
  VALUE_OF("pthread_once", "how often the function ran", 1, runs);
  ERROR_OF("pthread_once", "done before", 0, pthread_once(&once, initialize));
  VALUE_OF("pthread_once", "how often it ran after another call", 1, runs);
  ERROR_OF("pthread_once", "another control", 0, pthread_once(&second, initialize));
  VALUE_OF("pthread_once", "how often it ran for two controls", 2, runs);
}

int destroyed = 0;

void check_keys() {
  pthread_key_t key, other;
  ERROR_OF("pthread_key_create", "without destructor", 0, pthread_key_create(&key, nullptr));
  HOLDS("pthread_getspecific", "never set", pthread_getspecific(key) == nullptr);
  ERROR_OF("pthread_setspecific", "a value", 0, pthread_setspecific(key, &destroyed));
  HOLDS("pthread_getspecific", "the value that was set", pthread_getspecific(key) == &destroyed);
  HOLDS("pthread_getspecific", "in another thread", elsewhere([=] { return pthread_getspecific(key) == nullptr; }));
  elsewhere([=] { return pthread_setspecific(key, &runs); });
  HOLDS("pthread_getspecific", "set by another thread", pthread_getspecific(key) == &destroyed);
  ERROR_OF("pthread_key_create", "with destructor", 0,
           pthread_key_create(&other, [](void* value) { *static_cast<int*>(value) += 1; }));
  elsewhere([=] { return pthread_setspecific(other, &destroyed); });
  VALUE_OF("pthread_key_create", "the destructor runs when the thread ends", 1, destroyed);
  elsewhere([=] { return pthread_setspecific(other, nullptr); });
  VALUE_OF("pthread_key_create", "no destructor for a null value", 1, destroyed);
  elsewhere([=] { return pthread_setspecific(other, &destroyed), pthread_exit(nullptr), 0; });
  VALUE_OF("pthread_key_create", "the destructor runs after pthread_exit", 2, destroyed);
  ERROR_OF("pthread_key_delete", "in use", 0, pthread_key_delete(key));
  ERROR_OF("pthread_key_delete", "deleted before", EINVAL, pthread_key_delete(key));
  ERROR_OF("pthread_setspecific", "deleted key", EINVAL, pthread_setspecific(key, &runs));
  elsewhere([=] { return pthread_setspecific(other, &destroyed), pthread_key_delete(other); });
  VALUE_OF("pthread_key_delete", "no destructor afterwards", 2, destroyed);
  ERROR_OF("pthread_key_delete", "a key that never was", EINVAL, pthread_key_delete(PTHREAD_KEYS_MAX - 1));
  static pthread_key_t again;
  static int rounds = 0;
  pthread_key_create(&again, [](void*) {
    if (++rounds < 3) pthread_setspecific(again, &rounds);
  });
  elsewhere([] { return pthread_setspecific(again, &rounds); });
  VALUE_OF("pthread_key_create", "a destructor that sets the value again runs again", 3, rounds);
  static pthread_key_t endless;
  static int turns = 0;
  pthread_key_create(&endless, [](void*) { ++turns, pthread_setspecific(endless, &turns); });
  elsewhere([] { return pthread_setspecific(endless, &turns); });
  VALUE_OF("pthread_key_create", "not more often than PTHREAD_DESTRUCTOR_ITERATIONS", PTHREAD_DESTRUCTOR_ITERATIONS,
           turns);
  pthread_key_delete(again), pthread_key_delete(endless);
  static pthread_key_t many[PTHREAD_KEYS_MAX + 1];
  int made = 0, error = 0;
  while (made <= PTHREAD_KEYS_MAX && (error = pthread_key_create(&many[made], nullptr)) == 0) ++made;
  ERROR_OF("pthread_key_create", "more than PTHREAD_KEYS_MAX", EAGAIN, error);
  while (made > 0) pthread_key_delete(many[--made]);
}

}  // namespace

int main() {
  begin_checks();
  check_barriers();
  check_spin_locks();
  check_once();
  check_keys();
  return end_checks();
}
