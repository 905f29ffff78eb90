// Robust mutexes: the holder ends, the next one is told, and what becomes of a mutex that nobody makes consistent.
#include "check.h"

namespace {

const char* name_of(const char* before, const char* name) {
  static char text[100];
  snprintf(text, sizeof text, "%s%s", before, name);
  return text;
}

class Robust {
 public:
  // With a name, its making is checked.
  explicit Robust(int type, const char* name = nullptr) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    const int set = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    const int made = pthread_mutex_init(&mutex, &attributes);
    if (name != nullptr) ERROR_OF("pthread_mutexattr_setrobust", name, 0, set);
    if (name != nullptr) ERROR_OF("pthread_mutex_init", (name_of("robust, ", name)), 0, made);
    pthread_mutexattr_destroy(&attributes);
  }
  void left_locked() {
    elsewhere([this] { return pthread_mutex_lock(&mutex); });
  }
  pthread_mutex_t mutex;
};

void check_owner_died(int type, const char* name) {
  char text[100];
  const auto with = [&](const char* condition) {
    snprintf(text, sizeof text, "%s, %s", name, condition);
    return text;
  };
  Robust robust(type, name);
  pthread_mutex_t* mutex = &robust.mutex;
  robust.left_locked();
  ERROR_OF("pthread_mutex_lock", with("its holder ended"), EOWNERDEAD, pthread_mutex_lock(mutex));
  ERROR_OF("pthread_mutex_trylock", with("taken over, from another thread"), EBUSY,
           elsewhere([=] { return pthread_mutex_trylock(mutex); }));
  ERROR_OF("pthread_mutex_consistent", with("its holder ended"), 0, pthread_mutex_consistent(mutex));
  ERROR_OF("pthread_mutex_unlock", with("made consistent"), 0, pthread_mutex_unlock(mutex));
  ERROR_OF("pthread_mutex_lock", with("made consistent"), 0, pthread_mutex_lock(mutex));
  pthread_mutex_unlock(mutex);
  robust.left_locked();
  ERROR_OF("pthread_mutex_trylock", with("its holder ended"), EOWNERDEAD, pthread_mutex_trylock(mutex));
  pthread_mutex_consistent(mutex);
  pthread_mutex_unlock(mutex);
  robust.left_locked();
  timespec later = after_ms(CLOCK_REALTIME, 60000);
  ERROR_OF("pthread_mutex_timedlock", with("its holder ended"), EOWNERDEAD, pthread_mutex_timedlock(mutex, &later));
  pthread_mutex_consistent(mutex);
  pthread_mutex_unlock(mutex);
  robust.left_locked();
  later = after_ms(CLOCK_MONOTONIC, 60000);
  ERROR_OF("pthread_mutex_clocklock", with("its holder ended"), EOWNERDEAD,
           pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &later));
  pthread_mutex_consistent(mutex);
  pthread_mutex_unlock(mutex);
  ERROR_OF("pthread_mutex_destroy", with("free again"), 0, pthread_mutex_destroy(mutex));
}

void check_not_recoverable() {
  Robust robust(PTHREAD_MUTEX_NORMAL);
  pthread_mutex_t* mutex = &robust.mutex;
  robust.left_locked();
  pthread_mutex_lock(mutex);
  ERROR_OF("pthread_mutex_unlock", "not made consistent", 0, pthread_mutex_unlock(mutex));
  ERROR_OF("pthread_mutex_lock", "not recoverable", ENOTRECOVERABLE, pthread_mutex_lock(mutex));
  const timespec later = after_ms(CLOCK_REALTIME, 60000);
  ERROR_OF("pthread_mutex_timedlock", "not recoverable", ENOTRECOVERABLE, pthread_mutex_timedlock(mutex, &later));
  ERROR_OF("pthread_mutex_lock", "not recoverable, from another thread", ENOTRECOVERABLE,
           elsewhere([=] { return pthread_mutex_lock(mutex); }));
  ERROR_OF("pthread_mutex_destroy", "not recoverable", 0, pthread_mutex_destroy(mutex));
  ERROR_OF("pthread_mutex_init", "again after not recoverable", 0, pthread_mutex_init(mutex, nullptr));
  pthread_mutex_destroy(mutex);
}

// By itself: glibc's trylock leaves such a mutex locked.
void check_not_recoverable_tried() {
  Robust robust(PTHREAD_MUTEX_NORMAL);
  robust.left_locked();
  pthread_mutex_lock(&robust.mutex);
  pthread_mutex_unlock(&robust.mutex);
  ERROR_OF("pthread_mutex_trylock", "not recoverable", ENOTRECOVERABLE, pthread_mutex_trylock(&robust.mutex));
}

void check_waiter_is_told() {
  Robust robust(PTHREAD_MUTEX_NORMAL);
  pthread_mutex_t* mutex = &robust.mutex;
  Gate locked, go;
  Thread holder([&] {
    pthread_mutex_lock(mutex);
    locked.open();
    go.pass();
    return 0;
  });
  locked.pass();
  Thread waiter([&] {
    const int error = pthread_mutex_lock(mutex);
    if (error == EOWNERDEAD) pthread_mutex_consistent(mutex);
    pthread_mutex_unlock(mutex);
    return error;
  });
  sched_yield();
  go.open();
  holder.result();
  ERROR_OF("pthread_mutex_lock", "the holder ends while it waits", EOWNERDEAD, waiter.result());
}

void check_consistent_errors() {
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  ERROR_OF("pthread_mutex_consistent", "not robust", EINVAL, pthread_mutex_consistent(&plain));
  Robust robust(PTHREAD_MUTEX_ERRORCHECK);
  ERROR_OF("pthread_mutex_consistent", "robust and free", EINVAL, pthread_mutex_consistent(&robust.mutex));
  pthread_mutex_lock(&robust.mutex);
  ERROR_OF("pthread_mutex_consistent", "robust, held, never inconsistent", EINVAL,
           pthread_mutex_consistent(&robust.mutex));
  ERROR_OF("pthread_mutex_lock", "robust, error checking, held by itself", EDEADLK, pthread_mutex_lock(&robust.mutex));
  ERROR_OF("pthread_mutex_unlock", "robust, held by another", EPERM,
           elsewhere([&] { return pthread_mutex_unlock(&robust.mutex); }));
  pthread_mutex_unlock(&robust.mutex);
}

void check_condition_with_dead_owner() {
  Robust robust(PTHREAD_MUTEX_NORMAL);
  pthread_mutex_t* mutex = &robust.mutex;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  bool waiting = false, ready = false;
  Thread waiter([&] {
    pthread_mutex_lock(mutex);
    waiting = true;
    int error = 0;
    while (!ready && error == 0) error = pthread_cond_wait(&condition, mutex);
    if (error == EOWNERDEAD) pthread_mutex_consistent(mutex);
    pthread_mutex_unlock(mutex);
    return error;
  });
  for (bool seen = false; !seen; sched_yield()) {
    pthread_mutex_lock(mutex);
    seen = waiting;
    pthread_mutex_unlock(mutex);
  }
  elsewhere([&] {
    pthread_mutex_lock(mutex);
    ready = true;
    return pthread_cond_signal(&condition);  // and ends with the mutex locked
  });
  ERROR_OF("pthread_cond_wait", "who signals ends with the robust mutex", EOWNERDEAD, waiter.result());
}

}  // namespace

int main() {
  begin_checks();
  check_owner_died(PTHREAD_MUTEX_NORMAL, "normal");
  check_owner_died(PTHREAD_MUTEX_RECURSIVE, "recursive");
  check_owner_died(PTHREAD_MUTEX_ERRORCHECK, "error checking");
  check_not_recoverable();
  check_not_recoverable_tried();
  check_waiter_is_told();
  check_consistent_errors();
  check_condition_with_dead_owner();
  return end_checks();
}
