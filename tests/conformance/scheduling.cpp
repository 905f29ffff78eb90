// Scheduling policies and priorities: those of a thread are its own, inherited or named by attributes.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "check.h"

namespace {

struct Seen {
  int error, policy, priority;
};

Seen seen_of(pthread_t thread) {
  sched_param parameter = {};
  Seen seen = {};
  seen.error = pthread_getschedparam(thread, &seen.policy, &parameter);
  seen.priority = parameter.sched_priority;
  return seen;
}

int policy_elsewhere(const pthread_attr_t* attributes) {
  static int policy;
  pthread_t thread;
  const int error = pthread_create(
      &thread, attributes,
      [](void* unused) {
        policy = sched_getscheduler(0);
        return unused;
      },
      nullptr);
  if (error != 0) return -error;
  pthread_join(thread, nullptr);
  return policy;
}

void check_threads() {
  Gate gate;
  Thread other([&] {
    gate.pass();
    return sched_getscheduler(0);
  });
  const sched_param zero = {}, high = {500}, five = {5};
  ERROR_OF("pthread_setschedparam", "another thread, batch", 0,
           pthread_setschedparam(other.handle(), SCHED_BATCH, &zero));
  VALUE_OF("pthread_getschedparam", "another thread, the policy that was set", SCHED_BATCH,
           seen_of(other.handle()).policy);
  VALUE_OF("pthread_getschedparam", "another thread, the priority", 0, seen_of(other.handle()).priority);
  VALUE_OF("pthread_getschedparam", "the thread itself, the policy it had", SCHED_OTHER,
           seen_of(pthread_self()).policy);
  ERROR_OF("pthread_setschedparam", "a priority that the policy has not", EINVAL,
           pthread_setschedparam(other.handle(), SCHED_BATCH, &five));
  ERROR_OF("pthread_setschedparam", "no such priority", EINVAL,
           pthread_setschedparam(other.handle(), SCHED_FIFO, &high));
  ERROR_OF("pthread_setschedprio", "the priority it has", 0, pthread_setschedprio(other.handle(), 0));
  ERROR_OF("pthread_setschedprio", "a priority that the policy has not", EINVAL,
           pthread_setschedprio(other.handle(), 3));
  VALUE_OF("pthread_setschedprio", "the policy stays", SCHED_BATCH, seen_of(other.handle()).policy);
  ERROR_OF("pthread_setschedprio", "a negative priority", EINVAL, pthread_setschedprio(pthread_self(), -1));
  gate.open();
  VALUE_OF("sched_getscheduler", "a thread, what another has set for it", SCHED_BATCH, other.result());
}

void check_inheritance() {
  const sched_param zero = {}, high = {500};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  VALUE_OF("pthread_create", "the policy of its creator", SCHED_OTHER, policy_elsewhere(nullptr));
  ERRNO_OF("sched_setscheduler", "the thread itself, batch", 0, sched_setscheduler(0, SCHED_BATCH, &zero));
  VALUE_OF("sched_getscheduler", "what was set", SCHED_BATCH, sched_getscheduler(0));
  VALUE_OF("pthread_create", "the policy of its creator, which was set", SCHED_BATCH, policy_elsewhere(nullptr));
  VALUE_OF("pthread_create", "attributes that name a policy, but inherit", SCHED_BATCH,
           (pthread_attr_setschedpolicy(&attributes, SCHED_OTHER), policy_elsewhere(&attributes)));
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  VALUE_OF("pthread_create", "attributes that name a policy", SCHED_OTHER, policy_elsewhere(&attributes));
  ERRNO_OF("sched_setparam", "the priority it has", 0, sched_setparam(0, &zero));
  ERRNO_OF("sched_setparam", "a priority that the policy has not", EINVAL, sched_setparam(0, &high));
  ERRNO_OF("sched_setparam", "nowhere", EINVAL, sched_setparam(0, nullptr));
  ERRNO_OF("sched_setparam", "no such process", ESRCH, sched_setparam(99999999, &zero));
  ERRNO_OF("sched_setscheduler", "a wild pointer", EFAULT,
           sched_setscheduler(0, SCHED_OTHER, static_cast<sched_param*>(kWild)));
  ERRNO_OF("sched_setscheduler", "no such process", ESRCH, sched_setscheduler(99999999, SCHED_OTHER, &zero));
  ERRNO_OF("sched_getparam", "no such process", ESRCH, [] {
    sched_param parameter;
    return sched_getparam(99999999, &parameter);
  }());
  ERRNO_OF("sched_getparam", "nowhere", EINVAL, sched_getparam(0, nullptr));
  ERRNO_OF("sched_setscheduler", "back", 0, sched_setscheduler(0, SCHED_OTHER, &zero));
  pthread_attr_destroy(&attributes);
}

void check_nice_values() {
  Gate gate;
  Thread other([&] {
    gate.pass();
    return getpriority(PRIO_PROCESS, 0);
  });
  const int before = getpriority(PRIO_PROCESS, 0);
  ERRNO_OF("setpriority", "the thread itself, less", 0, setpriority(PRIO_PROCESS, 0, 5));
  VALUE_OF("getpriority", "what was set", 5, getpriority(PRIO_PROCESS, 0));
  VALUE_OF("nice", "by two less", 7, nice(2));
  VALUE_OF("nice", "as it is", 7, nice(0));
  VALUE_OF("nice", "no less than the least", 19, nice(100));
  VALUE_OF("getpriority", "what nice has set", 19, getpriority(PRIO_PROCESS, 0));
  ERRNO_OF("setpriority", "no such process", ESRCH, setpriority(PRIO_PROCESS, 99999999, 5));
  ERRNO_OF("getpriority", "no such process", ESRCH, getpriority(PRIO_PROCESS, 99999999));
  ERRNO_OF("setpriority", "of what is none", EINVAL, setpriority(static_cast<__priority_which>(17), 0, 5));
  ERRNO_OF("getpriority", "of what is none", EINVAL, getpriority(static_cast<__priority_which>(17), 0));
  gate.open();
  VALUE_OF("getpriority", "another thread, what it had", before, other.result());
}

void check_names() {
  char name[16] = {};
  ERRNO_OF("prctl", "name the thread", 0, prctl(PR_SET_NAME, "a name that is too long"));
  ERRNO_OF("prctl", "the thread's name", 0, prctl(PR_GET_NAME, name));
  say("prctl", "the name, cut off", name, "a name that is ");
  ERRNO_OF("prctl", "a name that is nowhere", EFAULT, prctl(PR_SET_NAME, kWild));
  ERRNO_OF("prctl", "no such option", EINVAL, prctl(-1, 0, 0, 0, 0));
}

}  // namespace

int main() {
  begin_checks();
  check_threads();
  check_inheritance();
  check_nice_values();
  check_names();
  return end_checks();
}
