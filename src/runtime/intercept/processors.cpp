// Affinity and the number of processors. A worker runs on one processor, but the program sees the processors that it
// would see without Heddle. (Otherwise thread pools would make one thread only.)
#include "runtime/state/processors.h"

#include <sched.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "runtime/carrier/threads.h"
#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/stacks.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/scheduling.h"

using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

struct ExecutionAffinity {
  cpu_set_t seen;  // the affinity that the program sees: the one before we pinned
  // Also where every processor is taken by another run and none is pinned to: what the program sees, and the calls that
  // it takes to see it, must not depend on who else is at work.
  bool known = false;
  bool of_anyone = false;
};
constinit ExecutionAffinity execution_affinity{};

bool means_us(pid_t process) {
  return execution_affinity.known &&
         (execution_affinity.of_anyone || is_task_number(process) || is_own_process(process));
}

constexpr std::size_t kProcessorBits = 8;  // a word of the kernel's sets: the least that it takes

int show_affinity(size_t size, cpu_set_t* set) {
  if (size > 0 && size < kProcessorBits) return EINVAL;
  if (size == 0 || !can_write(set, kProcessorBits)) return size == 0 ? EINVAL : EFAULT;
  memset(set, 0, size);
  memcpy(set, &execution_affinity.seen, size < sizeof execution_affinity.seen ? size : sizeof execution_affinity.seen);
  return 0;
}

int keep_affinity(size_t size, const cpu_set_t* set) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  if (!can_read(set, kProcessorBits)) return EFAULT;
  memcpy(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
  if (CPU_COUNT(&wanted) == 0) return EINVAL;
  memcpy(&execution_affinity.seen, &wanted, sizeof execution_affinity.seen);
  return 0;
}

// What the kernel returns beside it: as many bytes as its own sets have.
long kernel_set_size(long size) {
  cpu_set_t set;
  return os::system_call(SYS_sched_getaffinity, 0, size < static_cast<long>(sizeof set) ? size : sizeof set,
                         reinterpret_cast<long>(&set));
}

bool is_gone(long number) {
  return is_task_number(static_cast<pid_t>(number)) && task_of_number(static_cast<pid_t>(number)) == kNoTask;
}

// A replay may have another number of processors than the run that it repeats: the program sees as many as there,
// unless it has others than the driver has. Which they are does not matter to it, nor to the kernel, which is never
// told.
void see_as_many_as(unsigned wanted) {
  unsigned count = static_cast<unsigned>(CPU_COUNT(&execution_affinity.seen));
  for (unsigned i = 0; i < CPU_SETSIZE && count < wanted; ++i) {
    if (CPU_ISSET(i, &execution_affinity.seen)) continue;
    CPU_SET(i, &execution_affinity.seen);
    ++count;
  }
  for (unsigned i = CPU_SETSIZE; i-- != 0 && count > wanted;) {
    if (!CPU_ISSET(i, &execution_affinity.seen)) continue;
    CPU_CLR(i, &execution_affinity.seen);
    --count;
  }
}

}  // namespace

AffinityOfAnyone::AffinityOfAnyone() { execution_affinity.of_anyone = true; }
AffinityOfAnyone::~AffinityOfAnyone() { execution_affinity.of_anyone = false; }

long perform_get_affinity(const SystemCall& call, Site) {
  if (!means_us(static_cast<pid_t>(call.arguments[0]))) return pass(call);
  if (is_gone(call.arguments[0])) return -ESRCH;
  auto* set = reinterpret_cast<cpu_set_t*>(call.arguments[2]);
  const long size = kernel_set_size(static_cast<unsigned>(call.arguments[1]));
  if (size < 0) return size;
  const int error = show_affinity(static_cast<std::size_t>(size), set);
  return error == 0 ? size : -error;
}

long perform_set_affinity(const SystemCall& call, Site) {
  if (!means_us(static_cast<pid_t>(call.arguments[0]))) return pass(call);
  if (is_gone(call.arguments[0])) return -ESRCH;
  const std::size_t size = static_cast<unsigned>(call.arguments[1]);
  return -keep_affinity(size, reinterpret_cast<const cpu_set_t*>(call.arguments[2]));
}

void pin_to_processor() {
  CPU_ZERO(&execution_affinity.seen);
  if (os::system_call(SYS_sched_getaffinity, 0, sizeof execution_affinity.seen,
                      reinterpret_cast<long>(&execution_affinity.seen)) < 0)
    return;
  execution_affinity.known = true;
  if (static_cast<unsigned>(CPU_COUNT(&execution_affinity.seen)) == config.own_processors)
    see_as_many_as(config.processors);
  if (config.pin_to_cpu < 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(config.pin_to_cpu), &one);
  os::system_call(SYS_sched_setaffinity, 0, sizeof one, reinterpret_cast<long>(&one));
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int sched_getaffinity(pid_t process, size_t size, cpu_set_t* set) {
  if (!controlled() || !means_us(process)) return real::sched_getaffinity(process, size, set);
  if (is_gone(process)) return through_errno(ESRCH);
  return through_errno(show_affinity(size, set));
}

HEDDLE_EXPORT int sched_setaffinity(pid_t process, size_t size, const cpu_set_t* set) {
  if (!controlled() || !means_us(process)) return real::sched_setaffinity(process, size, set);
  if (is_gone(process)) return through_errno(ESRCH);
  return through_errno(keep_affinity(size, set));
}

HEDDLE_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* set) {
  if (controlled() && known_task_of(thread, HEDDLE_CALLER) == heddle::kNoTask && !is_foreign_thread()) return ESRCH;
  if (!controlled() || !execution_affinity.known) return real::pthread_getaffinity_np(thread, size, set);
  return show_affinity(size, set);
}

HEDDLE_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* set) {
  if (controlled() && known_task_of(thread, HEDDLE_CALLER) == heddle::kNoTask && !is_foreign_thread()) return ESRCH;
  if (!controlled() || !execution_affinity.known) return real::pthread_setaffinity_np(thread, size, set);
  return keep_affinity(size, set);
}

HEDDLE_EXPORT long sysconf(int name) {
  if (controlled() && execution_affinity.known && name == _SC_NPROCESSORS_ONLN)
    return CPU_COUNT(&execution_affinity.seen);
  return real::sysconf(name);
}

HEDDLE_EXPORT int get_nprocs() {
  if (!controlled() || !execution_affinity.known) return real::get_nprocs();
  return CPU_COUNT(&execution_affinity.seen);
}
