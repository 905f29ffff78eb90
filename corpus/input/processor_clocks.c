// Clocks of processor time: they move while they are read, not while one sleeps; a loop that waits for one ends; each
// thread has its own, and the process's is not less than any of them.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static long long read_ns(clockid_t clock) {
  struct timespec time;
  assert(clock_gettime(clock, &time) == 0);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void* burn(void* unused) {
  const long long begin = read_ns(CLOCK_THREAD_CPUTIME_ID);
  while (read_ns(CLOCK_THREAD_CPUTIME_ID) - begin < 2000000) {
  }
  sleep(2);
  const long long used = read_ns(CLOCK_THREAD_CPUTIME_ID);
  assert(used - begin < 1000000000);
  assert(read_ns(CLOCK_PROCESS_CPUTIME_ID) >= used);
  struct rusage usage;
  assert(getrusage(RUSAGE_THREAD, &usage) == 0 && usage.ru_utime.tv_sec == 0);
  clockid_t own;
  assert(pthread_getcpuclockid(pthread_self(), &own) == 0);
  assert(read_ns(own) >= used);
  return unused;
}

static void check_setting(void) {
  const struct timespec wrong = {0, 1000000000};
  struct timespec now;
  assert(clock_settime(CLOCK_MONOTONIC, &(struct timespec){1, 0}) == -1 && errno == EINVAL);
  assert(clock_settime(CLOCK_REALTIME, &wrong) == -1 && errno == EINVAL);
  assert(clock_gettime(12345, &now) == -1 && errno == EINVAL);
  assert(clock_getres(CLOCK_THREAD_CPUTIME_ID, &now) == 0 && now.tv_sec == 0 && now.tv_nsec == 1);
  struct timex state = {0};
  assert(adjtimex(&state) >= 0);
  assert(state.time.tv_sec >= time(NULL) - 1);
}

int main(void) {
  check_setting();
  struct tms used;
  const clock_t begin = times(&used);
  pthread_t thread;
  pthread_create(&thread, NULL, burn, NULL);
  clockid_t clock_of_thread;
  const int error = pthread_getcpuclockid(thread, &clock_of_thread);
  assert(error == 0 || error == ESRCH);
  if (error == 0) assert(read_ns(clock_of_thread) >= 0);
  pthread_join(thread, NULL);
  assert(times(&used) - begin >= 2 * sysconf(_SC_CLK_TCK));
  assert(clock() < CLOCKS_PER_SEC);
  return 0;
}
