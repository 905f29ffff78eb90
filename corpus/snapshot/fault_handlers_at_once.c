// Two threads are in the handlers of their faults at once, each on its own alternate stack, and wait there for each
// other. What stands on these stacks stays, and so do the marks of whose they are.
// heddle: run --max-preemptions=1
// expect: clean bound 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { SIZE = 64 << 10, PAGE = 4096 };
static pthread_barrier_t barrier;
static char* pages[2];
static _Thread_local long number;
static _Thread_local char* alternate;

static int is_mine(const char* address) { return address >= alternate && address < alternate + SIZE; }

static void handle(int signal, siginfo_t* info, void* context) {
  char pattern[600];
  (void)signal;
  memset(pattern, (int)number + 1, sizeof pattern);
  assert(is_mine(pattern) && (char*)info->si_addr == pages[number]);
  stack_t now;
  assert(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_ONSTACK && now.ss_sp == alternate);
  assert(((ucontext_t*)context)->uc_stack.ss_sp == alternate);
  pthread_barrier_wait(&barrier);
  for (unsigned i = 0; i < sizeof pattern; ++i) assert(pattern[i] == (int)number + 1);
  assert(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_ONSTACK && now.ss_sp == alternate);
  mprotect(pages[number], PAGE, PROT_READ | PROT_WRITE);
}

static void* work(void* argument) {
  number = (long)argument;
  alternate = malloc(SIZE);
  const stack_t mine = {.ss_sp = alternate, .ss_size = SIZE}, none = {.ss_flags = SS_DISABLE};
  assert(sigaltstack(&mine, NULL) == 0);
  pages[number] = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *(volatile char*)pages[number] = 1;
  char here;
  assert(pages[number][0] == 1 && !is_mine(&here));
  stack_t now;
  assert(sigaltstack(&none, &now) == 0 && now.ss_flags == 0 && now.ss_sp == alternate);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
