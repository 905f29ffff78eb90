// What C11 threads answer: every function of <threads.h>, with its error values.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive, timed;
static cnd_t ready;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int initialized, destroyed, is_ready;

static void initialize(void) { ++initialized; }
static void destroy(void* value) { destroyed += *(int*)value; }

static struct timespec in_a_moment(void) {
  struct timespec time;
  assert(timespec_get(&time, TIME_UTC) == TIME_UTC);
  time.tv_nsec += 1000000;
  if (time.tv_nsec >= 1000000000) {
    ++time.tv_sec;
    time.tv_nsec -= 1000000000;
  }
  return time;
}

static int helper(void* number) {
  call_once(&once, initialize);
  assert(tss_get(key) == NULL && tss_set(key, number) == thrd_success && tss_get(key) == number);
  assert(mtx_trylock(&plain) == thrd_busy);
  struct timespec soon = in_a_moment();
  assert(mtx_timedlock(&timed, &soon) == thrd_timedout);
  assert(mtx_lock(&recursive) == thrd_success);
  is_ready = 1;
  assert(cnd_signal(&ready) == thrd_success);
  assert(mtx_unlock(&recursive) == thrd_success);
  thrd_yield();
  if (*(int*)number == 2) thrd_exit(INT_MIN);
  return -*(int*)number;
}

static int ends_alone(void* unused) {
  (void)unused;
  return 0;
}

static void check_mutexes(void) {
  assert(mtx_init(&plain, mtx_plain) == thrd_success);
  assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
  assert(mtx_init(&timed, mtx_timed) == thrd_success);
  assert(mtx_lock(&recursive) == thrd_success && mtx_trylock(&recursive) == thrd_success);
  assert(mtx_unlock(&recursive) == thrd_success && mtx_unlock(&recursive) == thrd_success);
  assert(mtx_unlock(&recursive) == thrd_error);
  assert(mtx_lock(&plain) == thrd_success && mtx_lock(&timed) == thrd_success);
  const struct timespec wrong = {0, -1};
  assert(mtx_timedlock(&timed, &wrong) == thrd_error);
}

static void wait_for_helper(void) {
  assert(mtx_lock(&recursive) == thrd_success);
  struct timespec soon = in_a_moment();
  int result = thrd_success;
  while (!is_ready && result == thrd_success) result = cnd_timedwait(&ready, &recursive, &soon);
  assert(result == thrd_success || result == thrd_timedout);
  while (!is_ready) assert(cnd_wait(&ready, &recursive) == thrd_success);
  is_ready = 0;
  assert(mtx_unlock(&recursive) == thrd_success);
}

static void run_helper(int number, int expected) {
  thrd_t thread;
  int result = 0;
  assert(thrd_create(&thread, helper, &number) == thrd_success);
  assert(!thrd_equal(thread, thrd_current()));
  wait_for_helper();
  assert(thrd_join(thread, &result) == thrd_success && result == expected);
}

int main(void) {
  check_mutexes();
  assert(cnd_init(&ready) == thrd_success && cnd_broadcast(&ready) == thrd_success);
  assert(tss_create(&key, destroy) == thrd_success);
  run_helper(1, -1);
  run_helper(2, INT_MIN);
  call_once(&once, initialize);
  assert(initialized == 1 && destroyed == 3);
  const struct timespec moment = {0, 1000}, wrong = {0, 1000000000};
  assert(thrd_sleep(&moment, NULL) == 0 && thrd_sleep(&wrong, NULL) == -2);
  thrd_t alone;
  assert(thrd_create(&alone, ends_alone, NULL) == thrd_success && thrd_detach(alone) == thrd_success);
  assert(mtx_unlock(&plain) == thrd_success && mtx_unlock(&timed) == thrd_success);
  mtx_destroy(&plain);
  mtx_destroy(&recursive);
  mtx_destroy(&timed);
  cnd_destroy(&ready);
  tss_delete(key);
  return 0;
}
