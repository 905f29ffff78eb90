// Scheduling policies and priorities of threads: kept per task and returned as they were set, without effect. The
// kernel is only asked for its error values.
#pragma once

#include <pthread.h>

#include "protocol/operations.h"

namespace heddle::runtime {

// What a new thread begins with, by its attributes or from its creator. Before it is made: 0, or what pthread_create
// returns.
int check_scheduling_of_new(const pthread_attr_t* attributes);
void set_scheduling_of_new(TaskId made, TaskId creator, const pthread_attr_t* attributes);

}  // namespace heddle::runtime
