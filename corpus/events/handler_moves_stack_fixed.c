// A handler moves only the stack pointer of its thread, and puts it back before it returns.
// heddle: run
// expect: clean complete
// twin: handler_moves_stack.c
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)info;
  greg_t* const registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  registers[REG_RSP] -= 4096;
  registers[REG_RSP] += 4096;
}

static void* work(void* unused) { return unused; }

int main(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  raise(SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
