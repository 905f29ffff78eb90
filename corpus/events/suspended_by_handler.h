// Suspends a thread as runtimes with a garbage collector do: a signal's handler does not wait itself, but changes where
// the thread goes on. It goes on in suspended(), which waits outside of any handler and then goes back.
#pragma once

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <ucontext.h>

static sem_t stopped, go_on;
static int times_suspended;
__attribute__((used)) static greg_t interrupted_at;

static void wait_for(sem_t* semaphore) {
  while (sem_wait(semaphore) != 0) assert(errno == EINTR);
}

// The handler is over: what it blocked is open again.
__attribute__((used)) static void stand_still(void) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  assert(!sigismember(&mask, SIGUSR1));
  ++times_suspended;
  sem_post(&stopped);
  wait_for(&go_on);
}

// As if called where the thread was interrupted, 128 bytes further down: those may be in use. Changes no register.
void suspended(void);
__asm__(
    ".text\n.globl suspended\nsuspended:\n"
    "  push interrupted_at(%rip)\n"
    "  pushfq\n  push %rax\n  push %rcx\n  push %rdx\n  push %rbx\n  push %rbp\n  push %rsi\n  push %rdi\n"
    "  push %r8\n  push %r9\n  push %r10\n  push %r11\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, %rbx\n  and $-16, %rsp\n  cld\n  call stand_still\n  mov %rbx, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %r11\n  pop %r10\n  pop %r9\n  pop %r8\n"
    "  pop %rdi\n  pop %rsi\n  pop %rbp\n  pop %rbx\n  pop %rdx\n  pop %rcx\n  pop %rax\n  popfq\n"
    "  ret $128\n");

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)info;
  greg_t* const registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  interrupted_at = registers[REG_RIP];
  registers[REG_RSP] -= 128;
  registers[REG_RIP] = (greg_t)&suspended;
}

static void prepare_to_suspend(void) {
  sem_init(&stopped, 0, 0);
  sem_init(&go_on, 0, 0);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
}

static void suspend(pthread_t thread) {
  pthread_kill(thread, SIGUSR1);
  wait_for(&stopped);
}
