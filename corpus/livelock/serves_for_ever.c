// Two threads serve for ever. Their first transfer reads the balance and writes it back in two sections of one lock:
// one preemption within the first steps shows that. What comes later hides it, where schedules are long.
// heddle: run
// expect: bug assertion at bound 1
// says: balance == 2
// twin: serves_for_ever_fixed
// runner: livelock_test.py
#include "serves_for_ever.h"

static void* serve(void* unused) {
  pthread_mutex_lock(&lock);
  const long seen = balance;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  balance = seen + 1;
  pthread_mutex_unlock(&lock);
  serve_for_ever();
  return unused;
}

int main(void) { return run_two(serve); }
