// Threads that come one after the other may get the same stack and thread storage: it is fresh for each, as are errno,
// the values of keys and the locale of the thread.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#include "snapshot/two_threads.h"

static _Thread_local int counter = 5;
static _Thread_local char buffer[6000];
static pthread_key_t key, destroyed_key;
static int destroyed;
static locale_t other_locale;

static void destroy(void* value) { destroyed += *(int*)value; }

static void* work(void* unused) {
  static int one = 1;
  assert(++counter == 6);
  for (unsigned i = 0; i < sizeof buffer; i += 500) assert(buffer[i] == 0);
  memset(buffer, 'b', sizeof buffer);
  assert(errno == 0);
  errno = EDOM;
  assert(pthread_getspecific(key) == NULL && pthread_getspecific(destroyed_key) == NULL);
  pthread_setspecific(key, &one);
  pthread_setspecific(destroyed_key, &one);
  assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
  uselocale(other_locale);
  point();
  assert(errno == EDOM && counter == 6 && pthread_getspecific(key) == &one);
  return unused;
}

int main(void) {
  static int of_main = 7;
  pthread_key_create(&key, NULL);
  pthread_key_create(&destroyed_key, destroy);
  other_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  assert(other_locale != (locale_t)0);
  pthread_setspecific(key, &of_main);
  errno = 0;
  for (int round = 1; round <= 3; ++round) {
    run_two(work, work);
    assert(destroyed == 2 * round);
  }
  assert(errno == 0 && counter == 5 && pthread_getspecific(key) == &of_main);
  errno = ERANGE;
  counter = 6;
  pthread_setspecific(key, NULL);
  return 0;
}
