// A thread with a stack of the size that its program asks for: it polls for what nobody sets.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void* poll_flag(void* unused) {
  for (int is = 0; !is; sched_yield()) {
    pthread_mutex_lock(&lock);
    is = ready;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static int poll_on_stack_of(size_t bytes) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_create(&thread, &attributes, poll_flag, NULL);
  return pthread_join(thread, NULL);
}
