// Services beside threads that deadlock, and look-alikes that let others go on in the end. The argument is the case.
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done, ticks, flag;

// --- services: nothing that they do lets another thread go on

static void* sleeps(void* unused) {
  for (;;) usleep(1000);
  return unused;
}

static void* takes_a_mutex(void* unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    if (done) ticks = 0;
    pthread_mutex_unlock(&lock);
    usleep(1000);
  }
  return unused;
}

static void* polls(void* unused) {
  for (;;) poll(NULL, 0, 10);
  return unused;
}

static void* signals_nobody(void* unused) {
  for (;;) {
    usleep(1000);
    pthread_cond_signal(&changed);
  }
  return unused;
}

static void* repeats_every_third_tick(void* unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    ticks = (ticks + 1) % 3;
    pthread_mutex_unlock(&lock);
    usleep(1000);
  }
  return unused;
}

static void* counts(void* unused) {
  for (;;) {
    ++ticks;
    usleep(1000);
  }
  return unused;
}

// --- look-alikes: what they do changes over time

static void be_done(void) {
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static void* counts_to_ten_then_signals(void* unused) {
  for (int i = 0; i < 10; ++i) usleep(1000);
  be_done();
  return unused;
}

static void* counts_for_long(void* unused) {
  for (int i = 0; i < 90000; ++i) usleep(1000);
  be_done();
  return unused;
}

static void* adds_up_times_then_signals(void* unused) {
  for (long waited = 0; waited < 10000000; waited += 1000000) usleep(1000);
  be_done();
  return unused;
}

static void* signals_each_tick(void* unused) {
  for (int more = 1; more != 0;) {
    usleep(1000);
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    more = ++ticks < 5;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* signals_every_third_tick(void* unused) {
  for (int tick = 0; tick < 3; ++tick) usleep(1000);
  be_done();
  return unused;
}

static void* polls_a_flag(void* unused) {
  for (int seen = 0; seen == 0;) {
    usleep(1000);
    pthread_mutex_lock(&lock);
    seen = flag;
    pthread_mutex_unlock(&lock);
  }
  be_done();
  return unused;
}

static void* ends_after_a_second(void* unused) {
  sleep(1);
  be_done();
  return unused;
}

// --- those that they run beside

static void* left_first(void* unused) {
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return unused;
}

static void* right_first(void* unused) {
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return unused;
}

static void wait_until(const int* what, int least) {
  pthread_mutex_lock(&lock);
  while (*what < least) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void* works(void* unused) {
  usleep(20000);
  return unused;
}

// Three that tick at the same times.
static int tick_beside_work(void) {
  pthread_t thread;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, sleeps, NULL);
  pthread_create(&thread, NULL, works, NULL);
  pthread_join(thread, NULL);
  return 0;
}

static const struct {
  const char* name;
  void* (*service)(void*);
  void* (*other)(void*);  // a second one beside it
} kCases[] = {
    {"sleeps", sleeps, NULL},
    {"takes_a_mutex", takes_a_mutex, NULL},
    {"polls", polls, NULL},
    {"signals_nobody", signals_nobody, NULL},
    {"repeats_every_third_tick", repeats_every_third_tick, NULL},
    {"two_periods", sleeps, polls},
    {"counts", counts, NULL},
    {"counts_to_ten_then_signals", counts_to_ten_then_signals, NULL},
    {"counts_for_long", counts_for_long, NULL},
    {"adds_up_times_then_signals", adds_up_times_then_signals, NULL},
    {"signals_each_tick", signals_each_tick, NULL},
    {"signals_every_third_tick", signals_every_third_tick, NULL},
    {"polls_a_flag", polls_a_flag, NULL},
    {"ends_after_a_second", ends_after_a_second, sleeps},
    {"long_after_a_short_one", counts_to_ten_then_signals, polls},
};

// "deadlock" CASE: two threads take two locks in two orders. "wait" CASE: main waits for what the look-alike does.
// "tick": there is nothing but ticks.
int main(int count, char** words) {
  // As the kernel may draw one for a stack: within half a year of Heddle's clock, and no time for all that.
  volatile unsigned long drawn = 0x0d3a92c75f4b0e83ul + (1ul << 52);
  (void)drawn;
  pthread_t service, one, two;
  if (count == 2 && strcmp(words[1], "tick") == 0) return tick_beside_work();
  if (count < 3) return 2;
  for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
    if (strcmp(kCases[i].name, words[2]) != 0) continue;
    pthread_create(&service, NULL, kCases[i].service, NULL);
    if (kCases[i].other != NULL) pthread_create(&one, NULL, kCases[i].other, NULL);
    if (strcmp(words[1], "deadlock") == 0) {
      pthread_create(&one, NULL, left_first, NULL);
      pthread_create(&two, NULL, right_first, NULL);
      pthread_join(one, NULL);
      pthread_join(two, NULL);
      return 0;
    }
    if (kCases[i].service == polls_a_flag) {
      usleep(5000);
      pthread_mutex_lock(&lock);
      flag = 1;
      pthread_mutex_unlock(&lock);
    }
    const int each_tick = kCases[i].service == signals_each_tick;
    wait_until(each_tick ? &ticks : &done, each_tick ? 5 : 1);
    return 0;
  }
  return 2;
}
