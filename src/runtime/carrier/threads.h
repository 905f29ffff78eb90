// Tasks as threads: their handles, and how they end.
#pragma once

#include <pthread.h>

#include "protocol/operations.h"

namespace heddle::runtime {

using ThreadBody = void (*)(void*);
// Calls body(argument); pthread_exit() inside it ends the call as well.
void call_until_thread_exit(ThreadBody body, void* argument);

// Before the real pthread_exit(): makes it end in call_until_thread_exit() rather than in glibc's start of the thread.
void prepare_thread_exit();
// Where pthread_exit() would end now, in the calling thread.
void* innermost_landing();

// Destructors of thread_local objects and of keys, then the ThreadExit operation. Returns only under the thread
// carrier.
void end_thread();

// Of the thread that runs. Not pthread_self(), which is the program's question, and ours to answer.
inline pthread_t own_handle() { return reinterpret_cast<pthread_t>(__builtin_thread_pointer()); }

// The task that a handle means: the newest one that has it, as glibc reuses handles. kNoTask: none of ours.
TaskId task_of(pthread_t handle);
// The same for a call of the program. A handle that no thread has ever had is a misuse: natively mostly a crash.
// kNoTask comes back only where nobody is there to be told.
TaskId known_task_of(pthread_t handle, Site site);

// Called through main(): what every process goes through, and the end of the main thread.
[[gnu::noinline]] int run_main(int (*main)(int, char**, char**), int count, char** arguments, char** environment);

}  // namespace heddle::runtime
