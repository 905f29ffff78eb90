// main() joins what it forgot to start: natively a crash.
// heddle: run
// expect: bug misuse at bound 0
// says: main used a pthread_t that belongs to no thread
// says: join_no_thread.c:18
// twin: join_started.c
#include <pthread.h>
#include <stddef.h>

static pthread_t threads[2];

static void* work(void* unused) { return unused; }

int main(int count, char** arguments) {
  (void)arguments;
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i)
    if (pthread_join(threads[i], NULL) != 0) return 1;
  return 0;
}
