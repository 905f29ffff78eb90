// Threads that name themselves by prctl, as libuv, Qt and Rust's threads do: the names are told, by libc's function as
// by the raw system call, and a name that is too long is cut off.
// heddle: run
// expect: bug deadlock at bound 1
// says: red waits for b, which blue with a lon holds
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}

static void* red(void* unused) {
  char name[16];
  assert(prctl(PR_SET_NAME, "red") == 0);
  assert(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "red") == 0);
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "red") == 0);
  lock_both(&a, &b);
  return unused;
}

static void* blue(void* unused) {
  char name[16];
  assert(syscall(SYS_prctl, PR_SET_NAME, "blue with a long name") == 0);
  assert(syscall(SYS_prctl, PR_GET_NAME, name) == 0 && strcmp(name, "blue with a lon") == 0);
  lock_both(&b, &a);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, red, NULL);
  pthread_create(&threads[1], NULL, blue, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
