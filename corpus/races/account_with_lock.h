// An account and its lock.
#pragma once

#include <pthread.h>

struct account {
  pthread_mutex_t lock;
  int balance;
};

static struct account account = {PTHREAD_MUTEX_INITIALIZER, 100};
