// Calls with several names: what C11 threads (c11.cpp) share with the pthread functions that implement them in glibc.
// Each takes the place of the program's call; results are errno values.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "protocol/operations.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, const ThreadEntry& entry, Site site);
int join_thread(pthread_t handle, void** result, Site site);
int detach_thread(pthread_t handle, Site site);
[[noreturn]] void exit_thread(void* value);

int init_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes, Site site);
int lock_mutex_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time, Site site);

int init_condition(pthread_cond_t* condition, const pthread_condattr_t* attributes, Site site);
// `time` may be null: without end.
int wait_on_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time,
                      Site site);
ObjectId condition_object(pthread_cond_t* condition, Site site);

int create_key(pthread_key_t* key, void (*destructor)(void*));
int delete_key(pthread_key_t key, Site site);
// By the model, which hides it from memory.
bool is_once_done(const pthread_once_t* control);
void run_once(pthread_once_t* control, void (*initializer)(), Site site);

// As rt_sigprocmask, of a thread whose signals are the model's; see signals_are_modelled().
bool signals_are_modelled();
int change_mask(int how, const sigset_t* set, sigset_t* old, Site site);

// clock_nanosleep()
int sleep_on_clock(clockid_t clock, int flags, const timespec* time, timespec* left, Site site);

}  // namespace heddle::runtime
