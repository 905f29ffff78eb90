// The ids of processes and threads that the program sees. An execution may run in a copy of the first process. The
// program keeps the id that it had before its first thread, as it would natively.
#pragma once

#include "protocol/thread_numbers.h"
#include "runtime/state/program_call.h"

namespace heddle::runtime {

int shown_process_id();
int shown_parent_id();
// Does the program mean the process that calls?
bool is_own_process(int id);
// The kernel's id of the process that the program calls `id`.
int real_process_id(int id);
ThreadNumbers thread_numbers();
// What gettid() says.
int number_of_task(TaskId task);
// Whose number it is, also of one that has ended; kNoTask: none of ours.
TaskId task_with_number(int number);
// The call with the kernel's id where it names the program's own process, or one of its threads, by the shown one.
SystemCall with_kernel_ids(SystemCall call);

}  // namespace heddle::runtime
