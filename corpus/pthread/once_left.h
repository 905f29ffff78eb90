// An initializer is left by cancellation, pthread_exit() or longjmp(): the next caller runs it again.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stddef.h>

static pthread_once_t cancelled = PTHREAD_ONCE_INIT, exited = PTHREAD_ONCE_INIT, jumped = PTHREAD_ONCE_INIT;
static jmp_buf back;
static sem_t never;  // posted
static int half_made, made;

static void finish(void) {
  assert(half_made == 0);
  ++made;
}

static void take_back(void* unused) {
  half_made = 0;
  (void)unused;
}

static void wait_long(void) {
  half_made = 1;
#ifdef TAKES_BACK
  pthread_cleanup_push(take_back, NULL);
  sem_wait(&never);
  pthread_cleanup_pop(0);
#else
  (void)take_back;
  sem_wait(&never);
#endif
}

static void exit_early(void) { pthread_exit(NULL); }

static void jump_out(void) { longjmp(back, 1); }

static void* initialize(void* unused) {
  pthread_once(&cancelled, wait_long);
  return unused;
}

static void* exit_in_initializer(void* unused) {
  pthread_once(&exited, exit_early);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, initialize, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_once(&cancelled, finish);

  pthread_create(&thread, NULL, exit_in_initializer, NULL);
  pthread_join(thread, NULL);
  pthread_once(&exited, finish);

  if (setjmp(back) == 0) pthread_once(&jumped, jump_out);
  pthread_once(&jumped, finish);
  assert(made == 3);
  return 0;
}
