// Objects that several processes use: named semaphores, and mutexes, conditions, barriers in shared memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

namespace {

const char* own_name(const char* what) {
  static char name[64];
  snprintf(name, sizeof name, "/heddle-conformance-%s-%d", what, static_cast<int>(getpid()));
  return name;
}

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void check_named() {
  const char* name = own_name("a");
  sem_unlink(name);
  errno = 0;
  HOLDS("sem_open", "not there", sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
  sem_t* semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 2);
  HOLDS("sem_open", "a new one", semaphore != SEM_FAILED);
  errno = 0;
  HOLDS("sem_open", "a new one, but it is there",
        sem_open(name, O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED && errno == EEXIST);
  sem_t* again = sem_open(name, O_CREAT, 0600, 9);
  HOLDS("sem_open", "the same name gives the same address", again == semaphore);
  int value = -1;
  ERRNO_OF("sem_getvalue", "named", 0, sem_getvalue(semaphore, &value));
  VALUE_OF("sem_open", "the value is that of its making", 2, value);
  ERRNO_OF("sem_wait", "named", 0, sem_wait(semaphore));
  ERRNO_OF("sem_trywait", "named", 0, sem_trywait(again));
  ERRNO_OF("sem_trywait", "named, value 0", EAGAIN, sem_trywait(semaphore));
  ERRNO_OF("sem_post", "named", 0, sem_post(semaphore));
  ERRNO_OF("sem_timedwait", "named", 0, sem_timedwait(semaphore, &kLongAgo));
  ERRNO_OF("sem_timedwait", "named, value 0, deadline long ago", ETIMEDOUT, sem_timedwait(semaphore, &kLongAgo));
  Thread waiter([=] { return sem_wait(semaphore); });
  sched_yield();
  sem_post(again);
  ERRNO_OF("sem_wait", "named, another thread posts", 0, waiter.result());
  ERRNO_OF("sem_close", "one of two", 0, sem_close(again));
  ERRNO_OF("sem_post", "named, closed once of two", 0, sem_post(semaphore));
  ERRNO_OF("sem_unlink", "there", 0, sem_unlink(name));
  ERRNO_OF("sem_unlink", "not there", ENOENT, sem_unlink(name));
  ERRNO_OF("sem_trywait", "named, unlinked, still open", 0, sem_trywait(semaphore));
  ERRNO_OF("sem_close", "the last", 0, sem_close(semaphore));
  static sem_t none;
  ERRNO_OF("sem_close", "none that was opened", EINVAL, sem_close(&none));
  errno = 0;
  HOLDS("sem_open", "after it was unlinked", sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
  errno = 0;
  HOLDS("sem_open", "a value that is too large", sem_open(name, O_CREAT, 0600, ~0u) == SEM_FAILED && errno == EINVAL);
  char longer[300];
  memset(longer, 'x', sizeof longer);
  longer[0] = '/', longer[sizeof longer - 1] = 0;
  errno = 0;
  HOLDS("sem_open", "a name that is too long",
        sem_open(longer, O_CREAT, 0600, 1) == SEM_FAILED && errno == ENAMETOOLONG);
  ERRNO_OF("sem_unlink", "a name that is too long", ENAMETOOLONG, sem_unlink(longer));
}

struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  pthread_rwlock_t lock;
  pthread_barrier_t barrier;
  sem_t semaphore, answer;
  int value;
};

Shared* shared;

void make_shared() {
  shared =
      static_cast<Shared*>(mmap(nullptr, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  ERROR_OF("pthread_mutex_init", "shared between processes", 0, pthread_mutex_init(&shared->mutex, &mutex));
  pthread_condattr_t condition;
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  ERROR_OF("pthread_cond_init", "shared between processes", 0, pthread_cond_init(&shared->condition, &condition));
  pthread_rwlockattr_t lock;
  pthread_rwlockattr_init(&lock);
  pthread_rwlockattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
  ERROR_OF("pthread_rwlock_init", "shared between processes", 0, pthread_rwlock_init(&shared->lock, &lock));
  pthread_barrierattr_t barrier;
  pthread_barrierattr_init(&barrier);
  pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
  ERROR_OF("pthread_barrier_init", "shared between processes", 0, pthread_barrier_init(&shared->barrier, &barrier, 2));
  ERRNO_OF("sem_init", "shared between processes", 0, sem_init(&shared->semaphore, 1, 0));
  sem_init(&shared->answer, 1, 0);
}

void check_between_processes() {
  pid_t child = fork();
  if (child == 0) _exit(sem_post(&shared->semaphore) == 0 && sem_wait(&shared->answer) == 0 ? 0 : 1);
  ERRNO_OF("sem_wait", "shared, a child posts", 0, sem_wait(&shared->semaphore));
  ERRNO_OF("sem_post", "shared, a child waits", 0, sem_post(&shared->answer));
  VALUE_OF("sem_wait", "shared, the child that waited has gone on", 0, status_of(child));
  pthread_mutex_lock(&shared->mutex);
  child = fork();
  if (child == 0) {
    const int tried = pthread_mutex_trylock(&shared->mutex);
    sem_post(&shared->semaphore);
    pthread_mutex_lock(&shared->mutex);
    const int value = shared->value;
    pthread_mutex_unlock(&shared->mutex);
    _exit(tried == EBUSY && value == 5 ? 0 : 1);
  }
  sem_wait(&shared->semaphore);
  shared->value = 5;
  ERROR_OF("pthread_mutex_unlock", "shared, a child waits", 0, pthread_mutex_unlock(&shared->mutex));
  VALUE_OF("pthread_mutex_lock", "shared, the child waited for the parent", 0, status_of(child));
  child = fork();
  if (child == 0) {
    pthread_mutex_lock(&shared->mutex);
    shared->value = 6;
    pthread_cond_signal(&shared->condition);
    pthread_mutex_unlock(&shared->mutex);
    _exit(0);
  }
  pthread_mutex_lock(&shared->mutex);
  int error = 0;
  while (shared->value != 6 && error == 0) error = pthread_cond_wait(&shared->condition, &shared->mutex);
  pthread_mutex_unlock(&shared->mutex);
  ERROR_OF("pthread_cond_wait", "shared, a child signals", 0, error);
  status_of(child);
  child = fork();
  if (child == 0) _exit(pthread_barrier_wait(&shared->barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  const int serial = pthread_barrier_wait(&shared->barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  VALUE_OF("pthread_barrier_wait", "shared, one of parent and child is told apart", 1, serial + status_of(child));
  pthread_rwlock_wrlock(&shared->lock);
  child = fork();
  if (child == 0) _exit(pthread_rwlock_tryrdlock(&shared->lock) == EBUSY ? 0 : 1);
  VALUE_OF("pthread_rwlock_tryrdlock", "shared, held by the parent for writing", 0, status_of(child));
  ERROR_OF("pthread_rwlock_unlock", "shared", 0, pthread_rwlock_unlock(&shared->lock));
}

void check_robust_between_processes() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared->mutex, &attributes);
  const pid_t child = fork();
  if (child == 0) _exit(pthread_mutex_lock(&shared->mutex));
  status_of(child);
  ERROR_OF("pthread_mutex_lock", "shared and robust, its holder was a child that ended", EOWNERDEAD,
           pthread_mutex_lock(&shared->mutex));
  ERROR_OF("pthread_mutex_consistent", "shared and robust", 0, pthread_mutex_consistent(&shared->mutex));
  ERROR_OF("pthread_mutex_unlock", "shared and robust", 0, pthread_mutex_unlock(&shared->mutex));
}

// Opened before the fork, after it by both, and made by the child.
void check_named_between_processes() {
  char before[64], after[64];
  strcpy(before, own_name("before"));
  strcpy(after, own_name("after"));
  sem_unlink(before);
  sem_unlink(after);
  sem_t* const question = sem_open(before, O_CREAT | O_EXCL, 0600, 0);
  const pid_t child = fork();
  if (child == 0) {
    sem_t* const answer = sem_open(after, O_CREAT, 0600, 0);
    const bool waited = sem_wait(question) == 0;
    _exit(waited && sem_open(before, 0) == question && sem_post(answer) == 0 && sem_post(answer) == 0 ? 0 : 1);
  }
  sem_t* const answer = sem_open(after, O_CREAT, 0600, 0);
  ERRNO_OF("sem_post", "named, a child waits", 0, sem_post(question));
  ERRNO_OF("sem_wait", "named, a child posts", 0, sem_wait(answer));
  VALUE_OF("sem_open", "what a child opens by its name", 0, status_of(child));
  ERRNO_OF("sem_trywait", "named, a child has posted twice", 0, sem_trywait(answer));
  ERRNO_OF("sem_trywait", "named, a child has posted twice, once more", EAGAIN, sem_trywait(answer));
  const pid_t remover = fork();
  if (remover == 0) _exit(sem_unlink(before) == 0 && sem_close(question) == 0 ? 0 : 1);
  VALUE_OF("sem_unlink", "by a child", 0, status_of(remover));
  errno = 0;
  HOLDS("sem_open", "the name that a child has removed", sem_open(before, 0) == SEM_FAILED && errno == ENOENT);
  ERRNO_OF("sem_post", "named, a child has removed the name and closed it", 0, sem_post(question));
  ERRNO_OF("sem_close", "named, a child has closed it", 0, sem_close(question));
  ERRNO_OF("sem_unlink", "made by both", 0, sem_unlink(after));
}

}  // namespace

int main() {
  begin_checks();
  check_named();
  make_shared();
  check_between_processes();
  check_robust_between_processes();
  check_named_between_processes();
  return end_checks();
}
