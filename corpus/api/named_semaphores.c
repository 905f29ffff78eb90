// Named semaphores within one process: names, values, errors, and waiting on one.
// heddle: run
// expect: clean complete
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char name[40];  // the process's own: natively it is a file that all others see

static void* post(void* semaphore) {
  assert(sem_post(semaphore) == 0);
  return NULL;
}

static int error_of_open(const char* which, int flags, unsigned value) {
  errno = 0;
  return sem_open(which, flags, 0600, value) == SEM_FAILED ? errno : 0;
}

static int error_of_unlink(const char* which) {
  errno = 0;
  return sem_unlink(which) == 0 ? 0 : errno;
}

static void check_names(void) {
  char longer[254];
  memset(longer, 'x', sizeof longer);
  longer[0] = '/';
  longer[sizeof longer - 1] = 0;
  assert(error_of_open(longer, O_CREAT, 1) == ENAMETOOLONG && error_of_unlink(longer) == ENAMETOOLONG);
  assert(error_of_open("/", O_CREAT, 1) == EINVAL && error_of_unlink("") == ENOENT);
  assert(error_of_open("/a/b", O_CREAT, 1) == EINVAL && error_of_unlink("a/b") == ENOENT);
  assert(error_of_open(name, 0, 0) == ENOENT && error_of_unlink(name) == ENOENT);
  assert(error_of_open(name, O_CREAT, (unsigned)SEM_VALUE_MAX + 1) == EINVAL);
}

int main(void) {
  snprintf(name, sizeof name, "/heddle-corpus-named-%d", (int)getpid());
  check_names();
  sem_t* semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
  assert(semaphore != SEM_FAILED);
  assert(error_of_open(name, O_CREAT | O_EXCL, 1) == EEXIST);
  sem_t* again = sem_open(name, O_CREAT, 0600, 7);
  assert(again == semaphore && sem_wait(again) == 0 && sem_trywait(semaphore) == -1 && errno == EAGAIN);
  pthread_t thread;
  pthread_create(&thread, NULL, post, semaphore);
  assert(sem_wait(again) == 0 && sem_close(again) == 0);
  assert(sem_unlink(name) == 0 && error_of_open(name, 0, 0) == ENOENT);
  pthread_join(thread, NULL);
  int value = -1;
  assert(sem_getvalue(semaphore, &value) == 0 && value == 0 && sem_close(semaphore) == 0);
  sem_t own;
  errno = 0;
  assert(sem_close(&own) == -1 && errno == EINVAL);
  return 0;
}
