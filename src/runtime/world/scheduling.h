// Scheduling policies, priorities and nice values of threads: kept per task and returned as they were set, without
// effect. The kernel is only asked for its error values. The program's thread numbers (gettid()) are Heddle's; the
// kernel gives them to nobody.
#pragma once

#include <sys/types.h>

#include "protocol/operations.h"

namespace heddle::runtime {

struct Scheduling {
  int policy;
  int priority;
};

Scheduling scheduling_of(TaskId task);
// 0, or the error. set_scheduling() tries in the kernel, too.
int try_scheduling(const Scheduling& wanted);
int set_scheduling(TaskId task, const Scheduling& wanted);

int nice_of(TaskId task);
// False: the caller has no right to it.
bool set_nice(TaskId task, int nice);

// Is it one of ours, also of a thread that has ended? 0 is the caller's.
bool is_task_number(pid_t number);
// kNoTask: has ended, or not one of ours.
TaskId task_of_number(pid_t number);

// What a task begins with that a task of ours makes, as far as nothing else is said.
void inherit_scheduling(TaskId made, TaskId creator);

}  // namespace heddle::runtime
