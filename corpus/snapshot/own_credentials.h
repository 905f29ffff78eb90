// Threads that set the user and the groups that the process has already, as servers do that were not started by root.
// libc tells all threads of it, and waits until each has answered.
#pragma once

#define _GNU_SOURCE
#include <assert.h>
#include <grp.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int servers;

static void set_own_credentials(void) {
  uid_t user, effective, saved;
  assert(getresuid(&user, &effective, &saved) == 0);
  assert(setgid(getgid()) == 0 && setegid(getegid()) == 0 && setregid(-1, getegid()) == 0);
  assert(setresuid(user, effective, saved) == 0 && seteuid(effective) == 0);
  assert(getuid() == user && geteuid() == effective);
}

static void* serve(void* unused) {
  set_own_credentials();
  ADD_SERVER();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, serve, NULL);
  set_own_credentials();
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(servers == 2);
  return 0;
}
