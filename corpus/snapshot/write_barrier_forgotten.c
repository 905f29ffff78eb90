// The write barrier of write_barrier.c, whose handler no longer lets a page be written when a thread has closed it.
// heddle: run
// expect: bug exit at bound 1
// isolation: auto fork
// twin: write_barrier.c
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "snapshot/two_threads.h"

enum { PAGE = 4096 };
static char* page;
static volatile int closed;

static void notice(int number) {
  (void)number;
  if (closed) _exit(9);
  mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void* write_twice(void* unused) {
  pthread_mutex_lock(&point_mutex);
  const int may_write = !closed;
  pthread_mutex_unlock(&point_mutex);
  point();
  if (may_write) page[10] += 1;
  return unused;
}

static void* close_page(void* unused) {
  pthread_mutex_lock(&point_mutex);
  closed = 1;
  mprotect(page, PAGE, PROT_READ);
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

int main(void) {
  page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(page != MAP_FAILED);
  struct sigaction action = {.sa_handler = notice};
  assert(sigaction(SIGSEGV, &action, NULL) == 0);
  run_two(write_twice, close_page);
  return 0;
}
