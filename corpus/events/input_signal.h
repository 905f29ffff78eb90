// A thread that learns of input by SIGIO: WAIT waits until the handler has run.
#pragma once

#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t told;
static int ends[2];

static void note(int number) {
  (void)number;
  told = 1;
}

static void* put(void* unused) {
  assert(write(ends[1], "a", 1) == 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  sigset_t input, before;
  sigemptyset(&input);
  sigaddset(&input, SIGIO);
  signal(SIGIO, note);
  pthread_sigmask(SIG_BLOCK, &input, &before);
  assert(pipe(ends) == 0);
  fcntl(ends[0], F_SETOWN, getpid());
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  pthread_create(&thread, NULL, put, NULL);  // it lets no SIGIO in
  WAIT(&before);
  pthread_join(thread, NULL);
  char byte;
  assert(read(ends[0], &byte, 1) == 1 && byte == 'a');
  return 0;
}
