// Attributes of threads and mutexes, processors, scheduling parameters.
#include <limits.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "check.h"

namespace {

void check_thread_attributes() {
  pthread_attr_t attributes;
  int number = -1;
  size_t size = 0;
  ERROR_OF("pthread_attr_init", "new", 0, pthread_attr_init(&attributes));
  ERROR_OF("pthread_attr_getdetachstate", "default", 0, pthread_attr_getdetachstate(&attributes, &number));
  VALUE_OF("pthread_attr_getdetachstate", "the default", PTHREAD_CREATE_JOINABLE, number);
  ERROR_OF("pthread_attr_setdetachstate", "detached", 0,
           pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED));
  pthread_attr_getdetachstate(&attributes, &number);
  VALUE_OF("pthread_attr_getdetachstate", "what was set", PTHREAD_CREATE_DETACHED, number);
  ERROR_OF("pthread_attr_setdetachstate", "neither", EINVAL, pthread_attr_setdetachstate(&attributes, 77));
  ERROR_OF("pthread_attr_setstacksize", "too small", EINVAL, pthread_attr_setstacksize(&attributes, 100));
  ERROR_OF("pthread_attr_setstacksize", "the smallest", 0, pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
  ERROR_OF("pthread_attr_setstacksize", "a megabyte", 0, pthread_attr_setstacksize(&attributes, 1 << 20));
  ERROR_OF("pthread_attr_getstacksize", "a megabyte", 0, pthread_attr_getstacksize(&attributes, &size));
  VALUE_OF("pthread_attr_getstacksize", "what was set", 1 << 20, size);
  ERROR_OF("pthread_attr_setguardsize", "two pages", 0, pthread_attr_setguardsize(&attributes, 8192));
  pthread_attr_getguardsize(&attributes, &size);
  VALUE_OF("pthread_attr_getguardsize", "what was set", 8192, size);
  ERROR_OF("pthread_attr_setscope", "system", 0, pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM));
  ERROR_OF("pthread_attr_setscope", "process", ENOTSUP, pthread_attr_setscope(&attributes, PTHREAD_SCOPE_PROCESS));
  ERROR_OF("pthread_attr_setscope", "neither", EINVAL, pthread_attr_setscope(&attributes, 77));
  ERROR_OF("pthread_attr_setinheritsched", "inherit", 0,
           pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED));
  ERROR_OF("pthread_attr_setinheritsched", "neither", EINVAL, pthread_attr_setinheritsched(&attributes, 77));
  ERROR_OF("pthread_attr_setschedpolicy", "round robin", 0, pthread_attr_setschedpolicy(&attributes, SCHED_RR));
  ERROR_OF("pthread_attr_setschedpolicy", "none of them", EINVAL, pthread_attr_setschedpolicy(&attributes, 77));
  pthread_attr_getschedpolicy(&attributes, &number);
  VALUE_OF("pthread_attr_getschedpolicy", "what was set", SCHED_RR, number);
  sched_param parameter = {};
  parameter.sched_priority = 3;
  ERROR_OF("pthread_attr_setschedparam", "priority 3", 0, pthread_attr_setschedparam(&attributes, &parameter));
  parameter.sched_priority = 1000;
  ERROR_OF("pthread_attr_setschedparam", "priority 1000", EINVAL, pthread_attr_setschedparam(&attributes, &parameter));
  pthread_attr_getschedparam(&attributes, &parameter);
  VALUE_OF("pthread_attr_getschedparam", "what was set", 3, parameter.sched_priority);
  ERROR_OF("pthread_attr_destroy", "used", 0, pthread_attr_destroy(&attributes));
}

char stack[256 * 1024] __attribute__((aligned(4096)));

bool runs_on(char*& low, size_t& bytes) {
  pthread_attr_t own;
  void* address = nullptr;
  if (pthread_getattr_np(pthread_self(), &own) != 0) return false;
  pthread_attr_getstack(&own, &address, &bytes);
  pthread_attr_destroy(&own);
  low = static_cast<char*>(address);
  const char* here = static_cast<char*>(__builtin_frame_address(0));
  return here > low && here < low + bytes;
}

void* tells_of_own(void*) {
  char* low = nullptr;
  size_t bytes = 0;
  return runs_on(low, bytes) && low == stack && bytes == sizeof stack ? stack : nullptr;
}

void* tells_of_its_stack(void* wanted) {
  char* low = nullptr;
  size_t bytes = 0;
  const auto asked = reinterpret_cast<size_t>(wanted);
  return runs_on(low, bytes) && bytes >= asked / 2 && bytes <= asked * 2 ? stack : nullptr;
}

// Its size is the limit, but for what the kernel keeps of it above its frames; a limit need not be there.
bool main_runs_on_its_stack() {
  char* low = nullptr;
  size_t bytes = 0;
  rlimit limit = {};
  if (!runs_on(low, bytes) || getrlimit(RLIMIT_STACK, &limit) != 0) return false;
  return limit.rlim_cur == RLIM_INFINITY || (bytes <= limit.rlim_cur && bytes >= limit.rlim_cur / 2);
}

bool tells_of_stack_of(size_t bytes) {
  pthread_attr_t attributes;
  pthread_t thread;
  void* told = nullptr;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  if (pthread_create(&thread, &attributes, tells_of_its_stack, reinterpret_cast<void*>(bytes)) != 0) return false;
  pthread_attr_destroy(&attributes);
  pthread_join(thread, &told);
  return told != nullptr;
}

int guard_of(const pthread_attr_t* attributes) {
  pthread_t thread;
  void* guard = nullptr;
  const auto ask = [](void*) -> void* {
    pthread_attr_t own;
    size_t bytes = 0;
    pthread_getattr_np(pthread_self(), &own);
    pthread_attr_getguardsize(&own, &bytes);
    pthread_attr_destroy(&own);
    return reinterpret_cast<void*>(bytes);
  };
  if (pthread_create(&thread, attributes, ask, nullptr) != 0) return -1;
  pthread_join(thread, &guard);
  return static_cast<int>(reinterpret_cast<size_t>(guard));
}

void check_stacks() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ERROR_OF("pthread_attr_setstack", "too small", EINVAL, pthread_attr_setstack(&attributes, stack, 100));
  ERROR_OF("pthread_attr_setstack", "its own memory", 0, pthread_attr_setstack(&attributes, stack, sizeof stack));
  void* address = nullptr;
  size_t size = 0;
  ERROR_OF("pthread_attr_getstack", "what was set", 0, pthread_attr_getstack(&attributes, &address, &size));
  HOLDS("pthread_attr_getstack", "the address that was set", address == stack);
  pthread_t thread;
  ERROR_OF("pthread_create", "on its own memory", 0,
           pthread_create(
               &thread, &attributes,
               [](void*) -> void* {
                 char here;
                 return reinterpret_cast<void*>(&here > stack && &here < stack + sizeof stack);
               },
               nullptr));
  void* inside = nullptr;
  pthread_join(thread, &inside);
  HOLDS("pthread_create", "runs on the memory it was given", inside != nullptr);
  ERROR_OF("pthread_create", "on its own memory once more", 0,
           pthread_create(&thread, &attributes, tells_of_own, nullptr));
  pthread_join(thread, &inside);
  HOLDS("pthread_getattr_np", "of main beside another thread", main_runs_on_its_stack());
  HOLDS("pthread_getattr_np", "of a thread on its own memory", inside != nullptr);
  pthread_attr_destroy(&attributes);
  VALUE_OF("pthread_getattr_np", "the guard of a thread", 4096, guard_of(nullptr));
  pthread_attr_init(&attributes);
  pthread_attr_setguardsize(&attributes, 10000);
  VALUE_OF("pthread_getattr_np", "the guard that was asked for", 12288, guard_of(&attributes));
  pthread_attr_setstack(&attributes, stack, sizeof stack);
  VALUE_OF("pthread_getattr_np", "the guard of its own memory", 0, guard_of(&attributes));
  pthread_attr_destroy(&attributes);
  HOLDS("pthread_getattr_np", "of a thread with a small stack", tells_of_stack_of(size_t{64} << 10));
  HOLDS("pthread_getattr_np", "of a thread with a large stack", tells_of_stack_of(size_t{32} << 20));
  HOLDS("pthread_getattr_np", "of itself", elsewhere([] {
          pthread_attr_t own;
          return pthread_getattr_np(pthread_self(), &own) == 0 && pthread_attr_destroy(&own) == 0;
        }));
  HOLDS("pthread_getattr_np", "the stack is the one it runs on", elsewhere([] {
          pthread_attr_t own;
          void* low = nullptr;
          size_t bytes = 0;
          pthread_getattr_np(pthread_self(), &own);
          pthread_attr_getstack(&own, &low, &bytes);
          pthread_attr_destroy(&own);
          char* here = static_cast<char*>(__builtin_frame_address(0));
          return here > low && here < static_cast<char*>(low) + bytes;
        }));
  HOLDS(
      "pthread_getattr_np", "of main", elsewhere([] { return 0; }) == 0 && [] {
        pthread_attr_t own;
        return pthread_getattr_np(pthread_self(), &own) == 0 && pthread_attr_destroy(&own) == 0;
      }());
}

void check_mutex_attributes() {
  pthread_mutexattr_t attributes;
  int number = -1;
  ERROR_OF("pthread_mutexattr_init", "new", 0, pthread_mutexattr_init(&attributes));
  ERROR_OF("pthread_mutexattr_gettype", "default", 0, pthread_mutexattr_gettype(&attributes, &number));
  VALUE_OF("pthread_mutexattr_gettype", "the default", PTHREAD_MUTEX_DEFAULT, number);
  for (const int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK}) {
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutexattr_gettype(&attributes, &number);
    VALUE_OF("pthread_mutexattr_settype",
             type == PTHREAD_MUTEX_NORMAL      ? "normal"
             : type == PTHREAD_MUTEX_RECURSIVE ? "recursive"
                                               : "error checking",
             type, number);
  }
  ERROR_OF("pthread_mutexattr_settype", "none of them", EINVAL, pthread_mutexattr_settype(&attributes, 77));
  pthread_mutexattr_getpshared(&attributes, &number);
  VALUE_OF("pthread_mutexattr_getpshared", "the default", PTHREAD_PROCESS_PRIVATE, number);
  ERROR_OF("pthread_mutexattr_setpshared", "shared", 0,
           pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  ERROR_OF("pthread_mutexattr_setpshared", "neither", EINVAL, pthread_mutexattr_setpshared(&attributes, 77));
  pthread_mutexattr_getrobust(&attributes, &number);
  VALUE_OF("pthread_mutexattr_getrobust", "the default", PTHREAD_MUTEX_STALLED, number);
  ERROR_OF("pthread_mutexattr_setrobust", "neither", EINVAL, pthread_mutexattr_setrobust(&attributes, 77));
  pthread_mutexattr_getprotocol(&attributes, &number);
  VALUE_OF("pthread_mutexattr_getprotocol", "the default", PTHREAD_PRIO_NONE, number);
  ERROR_OF("pthread_mutexattr_setprotocol", "inherit", 0,
           pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
  ERROR_OF("pthread_mutexattr_setprotocol", "none of them", EINVAL, pthread_mutexattr_setprotocol(&attributes, 77));
  ERROR_OF("pthread_mutexattr_setprioceiling", "1000", EINVAL, pthread_mutexattr_setprioceiling(&attributes, 1000));
  ERROR_OF("pthread_mutexattr_setprioceiling", "5", 0, pthread_mutexattr_setprioceiling(&attributes, 5));
  pthread_mutexattr_getprioceiling(&attributes, &number);
  VALUE_OF("pthread_mutexattr_getprioceiling", "what was set", 5, number);
  ERROR_OF("pthread_mutexattr_destroy", "used", 0, pthread_mutexattr_destroy(&attributes));
}

void check_processors() {
  cpu_set_t set, own;
  ERRNO_OF("sched_getaffinity", "itself", 0, sched_getaffinity(0, sizeof set, &set));
  HOLDS("sched_getaffinity", "at least one", CPU_COUNT(&set) >= 1);
  VALUE_OF("sysconf", "processors in use as in the mask", CPU_COUNT(&set), sysconf(_SC_NPROCESSORS_ONLN));
  VALUE_OF("get_nprocs", "as in the mask", CPU_COUNT(&set), get_nprocs());
  HOLDS("get_nprocs", "in another thread the same", elsewhere([] { return get_nprocs(); }) == get_nprocs());
  HOLDS("get_nprocs", "as sysconf", get_nprocs() == sysconf(_SC_NPROCESSORS_ONLN));
  ERRNO_OF("sched_getaffinity", "a mask that is too small", EINVAL, sched_getaffinity(0, 1, &set));
  ERRNO_OF("sched_getaffinity", "no such process", ESRCH, sched_getaffinity(99999999, sizeof set, &set));
  ERROR_OF("pthread_getaffinity_np", "itself", 0, pthread_getaffinity_np(pthread_self(), sizeof own, &own));
  HOLDS("pthread_getaffinity_np", "as sched_getaffinity", CPU_EQUAL(&set, &own));
  ERROR_OF("pthread_getaffinity_np", "a mask that is too small", EINVAL,
           pthread_getaffinity_np(pthread_self(), 1, &own));
  ERRNO_OF("sched_setaffinity", "as it is", 0, sched_setaffinity(0, sizeof set, &set));
  CPU_ZERO(&own);
  ERRNO_OF("sched_setaffinity", "no processor", EINVAL, sched_setaffinity(0, sizeof own, &own));
  ERROR_OF("pthread_setaffinity_np", "no processor", EINVAL, pthread_setaffinity_np(pthread_self(), sizeof own, &own));
  ERRNO_OF("sched_setaffinity", "no such process", ESRCH, sched_setaffinity(99999999, sizeof set, &set));
  ERROR_OF("pthread_setaffinity_np", "as it is", 0, pthread_setaffinity_np(pthread_self(), sizeof set, &set));
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&own) == 0; ++i)
    if (CPU_ISSET(i, &set)) CPU_SET(i, &own);
  ERROR_OF("pthread_setaffinity_np", "one processor", 0, pthread_setaffinity_np(pthread_self(), sizeof own, &own));
  cpu_set_t seen;
  pthread_getaffinity_np(pthread_self(), sizeof seen, &seen);
  HOLDS("pthread_getaffinity_np", "the one that was set", CPU_EQUAL(&own, &seen));
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  ERRNO_OF("sysconf", "no such name", EINVAL, sysconf(99999));
  VALUE_OF("sysconf", "page size", 4096, sysconf(_SC_PAGESIZE));
}

void check_scheduling() {
  sched_param parameter = {};
  int policy = -1;
  VALUE_OF("sched_getscheduler", "itself", SCHED_OTHER, sched_getscheduler(0));
  ERRNO_OF("sched_getscheduler", "no such process", ESRCH, sched_getscheduler(99999999));
  ERRNO_OF("sched_getparam", "itself", 0, sched_getparam(0, &parameter));
  VALUE_OF("sched_getparam", "the priority", 0, parameter.sched_priority);
  ERRNO_OF("sched_setscheduler", "the policy it has", 0, sched_setscheduler(0, SCHED_OTHER, &parameter));
  ERRNO_OF("sched_setscheduler", "no such policy", EINVAL, sched_setscheduler(0, 77, &parameter));
  ERROR_OF("pthread_getschedparam", "itself", 0, pthread_getschedparam(pthread_self(), &policy, &parameter));
  VALUE_OF("pthread_getschedparam", "the policy", SCHED_OTHER, policy);
  ERROR_OF("pthread_setschedparam", "the policy it has", 0,
           pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameter));
  ERROR_OF("pthread_setschedparam", "no such policy", EINVAL, pthread_setschedparam(pthread_self(), 77, &parameter));
  VALUE_OF("sched_get_priority_max", "round robin", 99, sched_get_priority_max(SCHED_RR));
  VALUE_OF("sched_get_priority_min", "round robin", 1, sched_get_priority_min(SCHED_RR));
  ERRNO_OF("sched_get_priority_max", "no such policy", EINVAL, sched_get_priority_max(77));
  ERROR_OF("pthread_setconcurrency", "2", 0, pthread_setconcurrency(2));
  VALUE_OF("pthread_getconcurrency", "what was set", 2, pthread_getconcurrency());
  ERROR_OF("pthread_setconcurrency", "negative", EINVAL, pthread_setconcurrency(-1));
}

}  // namespace

int main() {
  begin_checks();
  check_thread_attributes();
  check_stacks();
  check_mutex_attributes();
  check_processors();
  check_scheduling();
  return end_checks();
}
