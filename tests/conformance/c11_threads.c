// C11 threads: what <threads.h> offers, with its own results.
#include <threads.h>

#include "check.h"

static const char* result_name(int result) {
  switch (result) {
    case thrd_success:
      return "thrd_success";
    case thrd_busy:
      return "thrd_busy";
    case thrd_error:
      return "thrd_error";
    case thrd_nomem:
      return "thrd_nomem";
    case thrd_timedout:
      return "thrd_timedout";
    default:
      return "another";
  }
}

#define RESULT_OF(function, condition, documented, call) \
  say(function, condition, result_name(call), result_name(documented))

static mtx_t mutex;
static cnd_t condition;
static int ready, runs;
static tss_t key;

static int gives_seven(void* unused) {
  (void)unused;
  return 7;
}

static int exits_with_eight(void* unused) {
  (void)unused;
  thrd_exit(8);
}

static int tries(void* object) { return mtx_trylock(object); }

static int times_out(void* object) {
  const struct timespec soon = after_ms(CLOCK_REALTIME, 5);
  return mtx_timedlock(object, &soon);
}

static int result_in_thread(thrd_start_t function, void* argument) {
  thrd_t thread;
  int result = -1;
  if (thrd_create(&thread, function, argument) != thrd_success) abort();
  if (thrd_join(thread, &result) != thrd_success) abort();
  return result;
}

static void check_threads(void) {
  thrd_t thread, other;
  int result = 0;
  RESULT_OF("thrd_create", "a function that returns", thrd_success, thrd_create(&thread, gives_seven, NULL));
  RESULT_OF("thrd_create", "a second thread", thrd_success, thrd_create(&other, exits_with_eight, NULL));
  HOLDS("thrd_equal", "two threads", !thrd_equal(thread, other));
  HOLDS("thrd_equal", "main and another", !thrd_equal(thread, thrd_current()));
  HOLDS("thrd_current", "the same each time", thrd_equal(thrd_current(), thrd_current()));
  RESULT_OF("thrd_join", "with a place for the result", thrd_success, thrd_join(thread, &result));
  VALUE_OF("thrd_join", "what the function returned", 7, result);
  RESULT_OF("thrd_join", "of a thread that exits", thrd_success, thrd_join(other, &result));
  VALUE_OF("thrd_exit", "what it was given", 8, result);
  VALUE_OF("thrd_exit", "a second time", 8, result_in_thread(exits_with_eight, NULL));
  thrd_create(&thread, exits_with_eight, NULL);
  RESULT_OF("thrd_join", "the result is not wanted", thrd_success, thrd_join(thread, NULL));
  HOLDS("thrd_exit", "the process goes on", 1);
  thrd_create(&thread, gives_seven, NULL);
  RESULT_OF("thrd_detach", "a joinable thread", thrd_success, thrd_detach(thread));
  const struct timespec millisecond = {0, 1000000}, wrong = {0, -1}, none = {0, 0};
  VALUE_OF("thrd_sleep", "a millisecond", 0, thrd_sleep(&millisecond, NULL));
  VALUE_OF("thrd_sleep", "no time", 0, thrd_sleep(&none, NULL));
  HOLDS("thrd_sleep", "negative nanoseconds", thrd_sleep(&wrong, NULL) < -1);
  const long long before = now_ns(CLOCK_MONOTONIC);
  thrd_sleep(&millisecond, NULL);
  HOLDS("thrd_sleep", "not shorter than asked", now_ns(CLOCK_MONOTONIC) - before >= 1000000);
  thrd_yield();
  HOLDS("thrd_yield", "returns", 1);
}

static int detaches_itself(void* unused) {
  (void)unused;
  return thrd_detach(thrd_current());
}

static int sets_flag(void* flag) {
  __atomic_store_n((int*)flag, 1, __ATOMIC_SEQ_CST);
  return 0;
}

static void check_yield(void) {
  static int flag;
  thrd_t thread;
  thrd_create(&thread, sets_flag, &flag);
  while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) thrd_yield();
  thrd_join(thread, NULL);
  HOLDS("thrd_yield", "until another thread has set a flag", flag == 1);
  flag = 0;
  thrd_create(&thread, sets_flag, &flag);
  thrd_detach(thread);
  while (!__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) thrd_yield();
  HOLDS("thrd_detach", "the thread runs all the same", flag == 1);
  RESULT_OF("thrd_create", "a thread that detaches itself", thrd_success, thrd_create(&thread, detaches_itself, NULL));
  HOLDS("thrd_detach", "itself", 1);
  HOLDS("thrd_yield", "between two threads", 1);
}

static void check_mutexes(void) {
  RESULT_OF("mtx_init", "plain", thrd_success, mtx_init(&mutex, mtx_plain));
  RESULT_OF("mtx_lock", "free", thrd_success, mtx_lock(&mutex));
  RESULT_OF("mtx_trylock", "held by itself", thrd_busy, mtx_trylock(&mutex));
  RESULT_OF("mtx_trylock", "held by another", thrd_busy, result_in_thread(tries, &mutex));
  RESULT_OF("mtx_unlock", "held", thrd_success, mtx_unlock(&mutex));
  RESULT_OF("mtx_trylock", "free", thrd_success, mtx_trylock(&mutex));
  mtx_unlock(&mutex);
  mtx_destroy(&mutex);
  RESULT_OF("mtx_init", "timed", thrd_success, mtx_init(&mutex, mtx_timed));
  const struct timespec later = after_ms(CLOCK_REALTIME, 60000);
  RESULT_OF("mtx_timedlock", "free", thrd_success, mtx_timedlock(&mutex, &later));
  RESULT_OF("mtx_timedlock", "held by another until the deadline", thrd_timedout, result_in_thread(times_out, &mutex));
  const struct timespec soon = after_ms(CLOCK_REALTIME, 5);
  RESULT_OF("mtx_timedlock", "held by itself until the deadline", thrd_timedout, mtx_timedlock(&mutex, &soon));
  RESULT_OF("mtx_timedlock", "held by itself, deadline long ago", thrd_timedout, mtx_timedlock(&mutex, &kLongAgo));
  RESULT_OF("mtx_unlock", "timed", thrd_success, mtx_unlock(&mutex));
  mtx_destroy(&mutex);
  HOLDS("mtx_destroy", "free", 1);
  RESULT_OF("mtx_init", "recursive", thrd_success, mtx_init(&mutex, mtx_plain | mtx_recursive));
  RESULT_OF("mtx_lock", "recursive, free", thrd_success, mtx_lock(&mutex));
  RESULT_OF("mtx_lock", "recursive, held by itself", thrd_success, mtx_lock(&mutex));
  RESULT_OF("mtx_trylock", "recursive, held by itself", thrd_success, mtx_trylock(&mutex));
  mtx_unlock(&mutex), mtx_unlock(&mutex);
  RESULT_OF("mtx_trylock", "recursive, unlocked once less than locked", thrd_busy, result_in_thread(tries, &mutex));
  RESULT_OF("mtx_unlock", "recursive, the last time", thrd_success, mtx_unlock(&mutex));
  mtx_destroy(&mutex);
  HOLDS("mtx_destroy", "recursive", 1);
  RESULT_OF("mtx_init", "timed and recursive", thrd_success, mtx_init(&mutex, mtx_timed | mtx_recursive));
  mtx_destroy(&mutex);
  HOLDS("mtx_destroy", "never used", 1);
}

static int waits(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  int result = thrd_success;
  while (!ready && result == thrd_success) result = cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
  return result;
}

static int waits_timed(void* unused) {
  (void)unused;
  const struct timespec later = after_ms(CLOCK_REALTIME, 60000);
  mtx_lock(&mutex);
  int result = thrd_success;
  while (!ready && result == thrd_success) result = cnd_timedwait(&condition, &mutex, &later);
  mtx_unlock(&mutex);
  return result;
}

static int woken(thrd_start_t waiter, int (*wake)(cnd_t*), int* wake_result) {
  thrd_t thread;
  int result = -1;
  ready = 0;
  thrd_create(&thread, waiter, NULL);
  thrd_yield();
  mtx_lock(&mutex);
  ready = 1;
  *wake_result = wake(&condition);
  mtx_unlock(&mutex);
  thrd_join(thread, &result);
  return result;
}

static void check_conditions(void) {
  int result;
  mtx_init(&mutex, mtx_plain);
  RESULT_OF("cnd_init", "new", thrd_success, cnd_init(&condition));
  RESULT_OF("cnd_wait", "signalled", thrd_success, woken(waits, cnd_signal, &result));
  RESULT_OF("cnd_signal", "for a waiter", thrd_success, result);
  RESULT_OF("cnd_wait", "broadcast", thrd_success, woken(waits, cnd_broadcast, &result));
  RESULT_OF("cnd_broadcast", "for a waiter", thrd_success, result);
  RESULT_OF("cnd_timedwait", "signalled before the deadline", thrd_success, woken(waits_timed, cnd_signal, &result));
  RESULT_OF("cnd_signal", "for a waiter with a deadline", thrd_success, result);
  RESULT_OF("cnd_timedwait", "broadcast before the deadline", thrd_success, woken(waits_timed, cnd_broadcast, &result));
  RESULT_OF("cnd_broadcast", "for a waiter with a deadline", thrd_success, result);
  RESULT_OF("cnd_signal", "nobody waits", thrd_success, cnd_signal(&condition));
  RESULT_OF("cnd_broadcast", "nobody waits", thrd_success, cnd_broadcast(&condition));
  mtx_lock(&mutex);
  const struct timespec soon = after_ms(CLOCK_REALTIME, 5);
  RESULT_OF("cnd_timedwait", "nobody signals until the deadline", thrd_timedout,
            cnd_timedwait(&condition, &mutex, &soon));
  RESULT_OF("cnd_timedwait", "deadline long ago", thrd_timedout, cnd_timedwait(&condition, &mutex, &kLongAgo));
  RESULT_OF("mtx_trylock", "after a timeout the mutex is held", thrd_busy, result_in_thread(tries, &mutex));
  mtx_unlock(&mutex);
  cnd_destroy(&condition);
  HOLDS("cnd_destroy", "nobody waits", 1);
  RESULT_OF("cnd_init", "after destroying it", thrd_success, cnd_init(&condition));
  cnd_destroy(&condition);
  HOLDS("cnd_destroy", "never used", 1);
  RESULT_OF("cnd_init", "a second time", thrd_success, cnd_init(&condition));
  RESULT_OF("cnd_wait", "after it was made again", thrd_success, woken(waits, cnd_signal, &result));
  cnd_destroy(&condition);
  HOLDS("cnd_destroy", "after use", 1);
  mtx_destroy(&mutex);
}

static void initialize(void) {
  ++runs;
  thrd_yield();
}

static int calls_once(void* control) {
  call_once(control, initialize);
  return runs;
}

static void adds(void* value) { *(int*)value += 1; }

static int sets_value(void* value) { return tss_set(key, value); }

static int looks_at_value(void* unused) {
  (void)unused;
  return tss_get(key) == NULL;
}

static void check_once_and_storage(void) {
  static once_flag control = ONCE_FLAG_INIT, second = ONCE_FLAG_INIT;
  thrd_t one, two;
  int first = 0, other = 0, counted = 0;
  thrd_create(&one, calls_once, &control);
  thrd_create(&two, calls_once, &control);
  thrd_join(one, &first), thrd_join(two, &other);
  VALUE_OF("call_once", "two threads at once, runs seen by the first", 1, first);
  VALUE_OF("call_once", "two threads at once, runs seen by the second", 1, other);
  call_once(&control, initialize);
  VALUE_OF("call_once", "done before", 1, runs);
  call_once(&second, initialize);
  VALUE_OF("call_once", "another flag", 2, runs);
  RESULT_OF("tss_create", "with destructor", thrd_success, tss_create(&key, adds));
  HOLDS("tss_get", "never set", tss_get(key) == NULL);
  RESULT_OF("tss_set", "a value", thrd_success, tss_set(key, &counted));
  HOLDS("tss_get", "the value that was set", tss_get(key) == &counted);
  HOLDS("tss_get", "in another thread", result_in_thread(looks_at_value, NULL));
  RESULT_OF("tss_set", "in another thread", thrd_success, result_in_thread(sets_value, &counted));
  VALUE_OF("tss_create", "the destructor runs when the thread ends", 1, counted);
  result_in_thread(sets_value, NULL);
  VALUE_OF("tss_create", "no destructor for a null value", 1, counted);
  tss_delete(key);
  VALUE_OF("tss_delete", "no destructor runs", 1, counted);
  RESULT_OF("tss_set", "deleted key", thrd_error, tss_set(key, &counted));
  tss_create(&key, NULL);
  HOLDS("tss_delete", "a key that is made anew has no value", tss_get(key) == NULL);
  tss_delete(key);
  HOLDS("tss_delete", "without destructor", 1);
}

int main(void) {
  begin_checks();
  check_threads();
  check_yield();
  check_mutexes();
  check_conditions();
  check_once_and_storage();
  return end_checks();
}
