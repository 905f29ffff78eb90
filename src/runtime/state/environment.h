// What a process reads at its start: whether and how it is to be controlled.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// Attaches to the driver's shared memory if the environment names it and this process may be the one to control. Sets
// runtime.shared and config.
bool attach_to_driver(char** arguments, char** environment);

// Takes our entries out of the environment, so that programs started by the controlled one run free of us.
void clean_environment();

// Where glibc keeps the thread id of the thread that runs now (in its thread descriptor); null when it was not found.
int* thread_id_word();
// The same for a task; what is there is the id of the kernel thread that it has its thread storage from.
const int* thread_id_of(TaskId task);

}  // namespace heddle::runtime
