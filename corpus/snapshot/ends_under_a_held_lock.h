// A thread that still waits when main() returns holds the lock of standard output. The end of the process writes what
// it has printed all the same.
#pragma once

#include <semaphore.h>
#include <stdio.h>

#include "snapshot/two_threads.h"

static sem_t has_printed, never;

static void* print_and_wait(void* unused) {
  flockfile(stdout);
  fputs("from under the lock\n", stdout);
  sem_post(&has_printed);
  sem_wait(&never);
  return unused;
}

int main(void) {
  static char buffer[4096];
  pthread_t thread;
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  sem_init(&has_printed, 0, 0);
  sem_init(&never, 0, 0);
  pthread_create(&thread, NULL, print_and_wait, NULL);
  sem_wait(&has_printed);
  return STATUS;
}
