// Counts under a lock for ever, and nobody else is there: no state comes again. That it never ends is not proved.
// heddle: run --max-steps=20000
// expect: no verdict
// says: warning: the program did not end within 20000 steps in
// says: no schedule ended within 20000 steps
// twin: counts_for_long
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long count;
static void* end_at_once(void* unused) { return unused; }
int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, end_at_once, NULL);
  pthread_join(other, NULL);
  for (;;) {
    pthread_mutex_lock(&lock);
    ++count;
    pthread_mutex_unlock(&lock);
  }
}
