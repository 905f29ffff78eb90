// A program with its own handler of SIGSEGV, which protects a page to notice the first write to it, as collectors of
// garbage do.
// heddle: run
// expect: clean complete
// isolation: auto fork
// twin: write_barrier_forgotten.c
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096 };
static char* page;
static volatile sig_atomic_t noticed;

static void notice(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  const char* where = info->si_addr;
  if (where < page || where >= page + PAGE) _exit(9);
  ++noticed;
  mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void add(int place) {
  pthread_mutex_lock(&point_mutex);
  page[place] += 1;
  pthread_mutex_unlock(&point_mutex);
}

static void* write_twice(void* unused) {
  add(10);
  add(20);
  return unused;
}

static void* protect_again(void* unused) {
  pthread_mutex_lock(&point_mutex);
  const int before = noticed;
  assert(before <= 1);
  assert(mprotect(page, PAGE, PROT_READ) == 0);
  page[30] += 1;
  assert(noticed == before + 1);
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

int main(void) {
  page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(page != MAP_FAILED);
  page[10] = page[20] = page[30] = 1;
  struct sigaction action = {.sa_sigaction = notice, .sa_flags = SA_SIGINFO};
  assert(sigaction(SIGSEGV, &action, NULL) == 0);
  assert(mprotect(page, PAGE, PROT_READ) == 0);
  run_two(write_twice, protect_again);
  assert(noticed == 1 || noticed == 2);
  assert(page[10] == 2 && page[20] == 2 && page[30] == 2);
  return 0;
}
