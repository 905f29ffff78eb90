// A thread is refused a shared lock that had looked free: a child has taken it in between. The child gives it up and
// ends before the thread has begun to wait: nobody is left who could wake it, and nobody needs to.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: exec
// runner: processes_test.py
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
  pthread_mutex_t mutex;
  atomic_int wanted, taken, had;
} * shared;

// Of the kernel, and seen by nobody: the child rests in true time.
static void rest(void) {
  const struct timespec millisecond = {0, 1000000};
  long result = SYS_nanosleep;
  __asm__ volatile("syscall" : "+a"(result) : "D"(&millisecond), "S"(0) : "rcx", "r11", "memory");
}

static void take_lock_when_wanted(void) {
  while (!atomic_load(&shared->wanted)) rest();
  pthread_mutex_lock(&shared->mutex);
  atomic_store(&shared->taken, 1);
  for (volatile int i = 0; i < 10000000; ++i) continue;
  pthread_mutex_unlock(&shared->mutex);
  _exit(0);
}

static void* take_lock(void* unused) {
  pthread_mutex_lock(&shared->mutex);
  atomic_store(&shared->had, 1);
  pthread_mutex_unlock(&shared->mutex);
  return unused;
}

static void* have_it_taken(void* unused) {
  atomic_store(&shared->wanted, 1);
  while (!atomic_load(&shared->taken) && !atomic_load(&shared->had)) continue;
  return unused;
}

int main(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &attributes);
  const pid_t child = fork();
  if (child == 0) take_lock_when_wanted();
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, take_lock, NULL);
  pthread_create(&threads[1], NULL, have_it_taken, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  int status = -1;
  assert(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
