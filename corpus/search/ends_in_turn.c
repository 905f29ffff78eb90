// A search that can be made as long as one likes, with a bug for each of two orders in which its threads can end.
// runner: resume_test.py
// Arguments: how many sections each of the three threads has, which orders are bugs (1, 2 or 3: both), and how many
// sections fewer the last thread has. With a fourth, one schedule draws a random number: the first thread runs to its
// end, then the last, then the other.
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

enum { THREADS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sections, fewer, ended[THREADS], count;
static long latest = -1;
static int turns;  // of threads, with one or more sections each

static void* run(void* number) {
  const int mine = sections - ((long)number == THREADS - 1 ? fewer : 0);
  for (int i = 1; i <= mine; ++i) {
    pthread_mutex_lock(&lock);
    turns += latest != (long)number;
    latest = (long)number;
    if (i == mine) ended[count++] = (int)(long)number;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(int argument_count, char** arguments) {
  sections = argument_count > 1 ? atoi(arguments[1]) : 3;
  const int bugs = argument_count > 2 ? atoi(arguments[2]) : 0;
  fewer = argument_count > 3 ? atoi(arguments[3]) : 0;
  const int draws = argument_count > 4;
  if (getenv("MORE_SECTIONS") != NULL) ++sections;  // it does something else then
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  unsigned number = 0;
  if (draws && turns == THREADS && ended[0] == 0 && ended[1] == 2) getrandom(&number, sizeof number, 0);
  if ((bugs & 1) != 0 && ended[0] == 2 && ended[1] == 1) return 3;
  if ((bugs & 2) != 0 && ended[0] == 1 && ended[1] == 2) return 4;
  return 0;
}
