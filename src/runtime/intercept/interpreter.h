// The lock of an interpreter (CPython's "GIL") as one mutex of the model.
//
// CPython makes it of a mutex, a condition variable and a word that says whether the lock is taken; who waits does so
// for 5 ms at a time. As such each switch would be a dozen steps, with choices that mean nothing. Here the mutex is the
// lock itself: it stays locked where CPython unlocks it with the word set, and is unlocked where CPython does so after
// a signal to those that wait. So the word is clear whenever a thread has the mutex, and nobody ever waits for the
// condition. This holds because no thread can be switched to between the mutex and the word.
//
// Who has the lock is not preempted: the others wait for it, or are in calls of the interpreter's that they leave by
// taking it.
// (take_gil() and drop_gil() of CPython 3.11.)
#pragma once

#include <pthread.h>

#include "protocol/operations.h"

namespace heddle::runtime {

struct ExecutionInterpreter {
  bool has_lock = false;  // what follows is known, or is being learned
  bool is_learned = false;
  bool gives_up = false;  // who has the lock has signalled that it is free
  pthread_mutex_t* lock = nullptr;
  pthread_cond_t* is_free = nullptr;
  pthread_mutex_t* handover = nullptr;       // with these an interpreter waits until another thread has taken the lock;
  pthread_cond_t* is_handed_over = nullptr;  // it does not, since nobody ever asks it to give the lock up
};
extern ExecutionInterpreter execution_interpreter;

bool keeps_interpreter_lock(pthread_mutex_t* mutex);
bool keeps_interpreter_unlock(const pthread_mutex_t* mutex);
bool keeps_interpreter_signal(pthread_cond_t* condition);
void end_interpreter_lock(pthread_mutex_t* mutex, Site site);

// Is that call of the program none, since the model's mutex is to stay as it is?
[[gnu::always_inline]] inline bool passes_lock(pthread_mutex_t* mutex) {
  return __builtin_expect(execution_interpreter.has_lock, 0) && keeps_interpreter_lock(mutex);
}
[[gnu::always_inline]] inline bool passes_unlock(const pthread_mutex_t* mutex) {
  return __builtin_expect(execution_interpreter.has_lock, 0) && keeps_interpreter_unlock(mutex);
}
[[gnu::always_inline]] inline bool passes_signal(pthread_cond_t* condition) {
  return __builtin_expect(execution_interpreter.has_lock, 0) && keeps_interpreter_signal(condition);
}
// The mutex is destroyed: it is free then.
[[gnu::always_inline]] inline void before_mutex_is_destroyed(pthread_mutex_t* mutex, Site site) {
  if (__builtin_expect(execution_interpreter.has_lock, 0)) end_interpreter_lock(mutex, site);
}

}  // namespace heddle::runtime
