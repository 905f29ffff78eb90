// A handler moves only the stack pointer of its thread: the call that it has interrupted goes on with another stack,
// and the program crashes. Heddle does not know the registers of that call, and says so.
// heddle: run
// expect: no verdict
// says: changed registers of its thread, interrupted at handler_moves_stack.c:25, but not where it goes on
// twin: handler_moves_stack_fixed.c
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)info;
  greg_t* const registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  registers[REG_RSP] -= 4096;
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
