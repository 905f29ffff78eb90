// Scheduling by the kernel's numbers of threads, in the raw system calls that GLib and thread pools make: what was set
// for a thread is told again, for the others it stays, and a thread that has ended is none.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct attributes {  // glibc 2.36 has no struct sched_attr
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t times[3];
  uint32_t uses[2];
};

static struct attributes read_attributes(pid_t thread) {
  struct attributes result;
  memset(&result, 0, sizeof result);
  assert(syscall(SYS_sched_getattr, thread, &result, sizeof result, 0) == 0);
  assert(result.size == sizeof result);
  return result;
}

static void* sets(void* number) {
  const pid_t own = (pid_t)syscall(SYS_gettid);
  *(pid_t*)number = own;
  struct attributes wanted = read_attributes(0);
  assert(wanted.policy == SCHED_OTHER && syscall(SYS_sched_setattr, own, &wanted, 0) == 0);
  wanted.policy = SCHED_BATCH;
  wanted.nice += 3;
  assert(syscall(SYS_sched_setattr, own, &wanted, 0) == 0);
  assert(read_attributes(own).policy == SCHED_BATCH && read_attributes(own).nice == wanted.nice);
  assert(syscall(SYS_sched_getscheduler, own) == SCHED_BATCH && sched_getscheduler(0) == SCHED_BATCH);
  assert(getpriority(PRIO_PROCESS, (id_t)own) == wanted.nice);
  struct sched_param parameter = {7};
  assert(syscall(SYS_sched_setparam, own, &parameter) == -1 && errno == EINVAL);
  assert(syscall(SYS_sched_getparam, own, &parameter) == 0 && parameter.sched_priority == 0);
  assert(setpriority(PRIO_PROCESS, 0, wanted.nice + 2) == 0);
  assert(syscall(SYS_getpriority, PRIO_PROCESS, own) == 20 - (wanted.nice + 2));
  assert(syscall(SYS_sched_setscheduler, own, SCHED_OTHER, &parameter) == 0);
  assert(read_attributes(0).policy == SCHED_OTHER && read_attributes(0).nice == wanted.nice + 2);
  unsigned long set[16];
  const long bytes = syscall(SYS_sched_getaffinity, own, sizeof set, set);
  assert(bytes >= 8 && syscall(SYS_sched_setaffinity, own, bytes, set) == 0);
  assert(syscall(SYS_sched_setattr, own, NULL, 0) == -1 && errno == EINVAL);
  wanted.size = 12;
  assert(syscall(SYS_sched_setattr, own, &wanted, 0) == -1 && errno == E2BIG);
  return NULL;
}

int main(void) {
  pid_t ended = 0;
  const struct attributes before = read_attributes(0);
  pthread_t thread;
  pthread_create(&thread, NULL, sets, &ended);
  pthread_join(thread, NULL);
  const struct attributes after = read_attributes((pid_t)syscall(SYS_gettid));
  assert(after.policy == before.policy && after.nice == before.nice);
  errno = 0;
  assert(getpriority(PRIO_PROCESS, (id_t)ended) == -1 && errno == ESRCH);
  struct attributes wanted = before;
  assert(syscall(SYS_sched_setattr, ended, &wanted, 0) == -1 && errno == ESRCH);
  assert(sched_getscheduler(ended) == -1 && errno == ESRCH);
  return 0;
}
