// What semaphore_set_order and its twin share.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;
static void take_both(unsigned short first, unsigned short second);

static void give_both(void) {
  struct sembuf both[] = {{0, 1, 0}, {1, 1, 0}};
  assert(semop(set, both, 2) == 0);
}

static void* forwards(void* unused) {
  take_both(0, 1);
  give_both();
  return unused;
}

static void* backwards(void* unused) {
  take_both(1, 0);
  give_both();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  set = semget(IPC_PRIVATE, 2, 0600);
  assert(set >= 0);
  give_both();
  pthread_create(&threads[0], NULL, forwards, NULL);
  pthread_create(&threads[1], NULL, backwards, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return semctl(set, 0, IPC_RMID);
}
