// Two threads of which one strikes when the other one comes between its two looks: that takes one preemption.
#pragma once

#include "snapshot/two_threads.h"

static int changes;
static void (*strike_now)(void);

static void* look_twice(void* unused) {
  pthread_mutex_lock(&point_mutex);
  const int seen = changes;
#ifndef LOOK_UNDER_ONE_LOCK
  pthread_mutex_unlock(&point_mutex);
  pthread_mutex_lock(&point_mutex);
#endif
  const int changed = changes != seen;
  pthread_mutex_unlock(&point_mutex);
  if (changed) strike_now();
  return unused;
}

static void* change_once(void* unused) {
  pthread_mutex_lock(&point_mutex);
  ++changes;
  pthread_mutex_unlock(&point_mutex);
  return unused;
}

static inline void race(void (*strike)(void)) {
  strike_now = strike;
  run_two(look_twice, change_once);
}
