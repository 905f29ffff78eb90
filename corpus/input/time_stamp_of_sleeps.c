// The processor's time stamp counter, read by rdtsc and rdtscp: inline, in a library, by assembly, in a signal handler,
// before the first thread and in several. Reads never go back, also from thread to thread, and virtual sleeps take as
// many ticks as nanoseconds. Executions are the same each time, though steps depend on what was read.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// library: input/library/ticks.c
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <x86intrin.h>

unsigned long long library_ticks(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long latest;
static volatile unsigned long long in_handler;

static unsigned long long assembly_ticks(void) {
  unsigned low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (unsigned long long)high << 32 | low;
}

static unsigned long long ticks_and_processor(void) {
  unsigned processor;
  const unsigned long long ticks = __rdtscp(&processor);
  assert(processor < 65536);
  return ticks;
}

static void handle(int signal) {
  (void)signal;
  in_handler = __rdtsc();
}

// Reads in each way; the lock makes each a step whose place among the others depends on no tick.
static void read_all(void) {
  pthread_mutex_lock(&mutex);
  const unsigned long long reads[] = {latest, __rdtsc(), library_ticks(), assembly_ticks(), ticks_and_processor()};
  for (unsigned i = 1; i < sizeof reads / sizeof *reads; ++i) assert(reads[i - 1] < reads[i]);
  latest = reads[4];
  pthread_mutex_unlock(&mutex);
}

static void sleep_a_second(void) {
  const unsigned long long before = __rdtsc();
  const struct timespec second = {1, 0};
  nanosleep(&second, NULL);
  const unsigned long long ticks = library_ticks() - before;
  assert(ticks >= 1000000000 && ticks < 10000000000);
}

static void* work(void* unused) {
  read_all();
  const unsigned rounds = (unsigned)(__rdtsc() / 1000 % 3);
  for (unsigned i = 0; i < rounds; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  sleep_a_second();
  return unused;
}

int main(void) {
  read_all();
  sleep_a_second();
  signal(SIGUSR1, handle);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  read_all();
  const unsigned long long before = __rdtsc();
  raise(SIGUSR1);
  assert(before < in_handler && in_handler < library_ticks());
  pthread_join(thread, NULL);
  read_all();
  return 0;
}
