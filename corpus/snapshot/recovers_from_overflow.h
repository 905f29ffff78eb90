// Two threads, of which the first overflows its stack where the other one came before it, and goes on behind that by a
// handler on an alternate stack. Main has set one for itself; threads inherit none.
#pragma once

#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 64 << 10 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived;
static _Thread_local sigjmp_buf back;
static _Thread_local char* alternate;
static _Thread_local int was_on_alternate;

static void set_alternate(void) {
  stack_t before;
  assert(sigaltstack(NULL, &before) == 0 && before.ss_flags == SS_DISABLE);
  alternate = malloc(SIZE);
  const stack_t mine = {.ss_sp = alternate, .ss_size = SIZE};
  assert(sigaltstack(&mine, NULL) == 0);
}

static void free_alternate(void) {
  const stack_t none = {.ss_flags = SS_DISABLE};
  stack_t before;
  assert(sigaltstack(&none, &before) == 0 && before.ss_sp == alternate && before.ss_flags == 0);
  free(alternate);
}

static void handle(int number) {
  char here;
  (void)number;
  was_on_alternate = &here >= alternate && &here < alternate + SIZE;
  siglongjmp(back, 1);
}

static int descend(int depth) {
  volatile char room[4000];
  memset((char*)room, depth, sizeof room);
  return depth == 0 ? room[5] : descend(depth - 1) + room[7];
}

static void* work(void* number) {
  SET_IN_THREAD();
  pthread_mutex_lock(&mutex);
  const int place = ++arrived;
  pthread_mutex_unlock(&mutex);
  if (number == NULL && place == 2) {
    if (sigsetjmp(back, 1) == 0) descend(1000000);
    assert(was_on_alternate);
  }
  FREE_IN_THREAD();
  return NULL;
}

int main(void) {
  const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  set_alternate();
  sigaction(SIGSEGV, &action, NULL);
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  free_alternate();
  return 0;
}
