// Threads: creation, joining, detaching, and main() as the first of them.
#include "runtime/carrier/threads.h"

#include <stdio.h>
#include <string.h>

#include "model/interrupts.h"
#include "runtime/carrier/interrupts.h"
#include "runtime/carrier/stack_attributes.h"
#include "runtime/detect/race_orders.h"
#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/likeness.h"
#include "runtime/intercept/scheduling.h"
#include "runtime/intercept/start_mark.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/carrier.h"
#include "runtime/schedule/fast_step.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/processors.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/memory_limits.h"
#include "runtime/world/signals/masks.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

struct ExecutionReaping {
  std::uint32_t examined = 0;  // so many tasks are reaped
};
constinit ExecutionReaping execution_reaping{};

// Gives back what ended detached threads leave behind; nobody joins them.
void reap_detached() {
  model::World& world = *runtime.world;
  for (std::uint32_t& examined = execution_reaping.examined; examined < world.population().task_count(); ++examined) {
    const auto id = static_cast<TaskId>(examined);
    const model::ThreadState& state = world.object(world.task(id).thread).thread;
    if (!state.detached || !state.ended || id == runtime.current) return;
    carrier().reap(id);
  }
}

// It inherits its creator's, unless the attributes name one.
std::uint64_t mask_of_new_thread(const pthread_attr_t* attributes) {
  sigset_t set;
  if (attributes == nullptr || pthread_attr_getsigmask_np(attributes, &set) != 0) return signal_mask();
  std::uint64_t mask = 0;
  memcpy(&mask, &set, sizeof mask);
  return mask;
}

}  // namespace

int make_thread(const pthread_attr_t* attributes, const ThreadEntry& entry, TaskId parent, std::uint64_t mask,
                Site site, TaskId& made) {
  model::World& world = *runtime.world;
  // The thread is made before the model knows of it: until ThreadCreated nobody can switch to it.
  const auto next = static_cast<TaskId>(world.population().task_count());
  if (runtime.recording && plan().max_tasks != 0 && next >= plan().max_tasks)
    end_execution(EndKind::StepLimit, nullptr, MessageKind::None);
  if (world.population().task_count() == model::kMaxTasks || !stack_fits()) return EAGAIN;
  if (const int error = check_scheduling_of_new(attributes); error != 0) return error;
  runtime.tasks.ensure(next, os::allocate);
  TaskData& data = runtime.tasks[next];
  data = TaskData();
  if (const TaskData& creator = runtime.tasks[parent]; creator.named) {  // as the kernel lets a thread inherit it
    memcpy(data.name, creator.name, sizeof data.name);
    data.named = true;
  }
  set_scheduling_of_new(next, parent, attributes);
  data.entry = entry.function;
  data.argument = entry.argument;
  data.gives_int = entry.gives_int;
  if (const int error = carrier().create(next, attributes); error != 0) {
    if (error != kNoKernelThread) return error;
    if (runtime.mode != Mode::Branching) return EAGAIN;
    end_unjudged(kNoTask, "the system allows no more threads (ulimit -u), and Heddle has some of them");
  }
  const TaskId task = world.add_task(parent, data.thread_pointer, site);
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detached);
  race_new_task(task, parent);
  const ObjectId object = world.task(task).thread;
  world.object(object).thread.detached = detached == PTHREAD_CREATE_DETACHED;
  model::block_signals(world, task, mask);
  record_object(object);
  find_like(task, mask);
  const Site start = reinterpret_cast<Site>(entry.function);
  record_task(task, start);
  model::Operation& first = world.draft(task);
  first.kind = OperationKind::ThreadStart;
  first.object = object;
  first.site = start;
  world.publish_draft(task);
  made = task;
  return 0;
}

namespace {

int create(pthread_t* handle, const pthread_attr_t* attributes, const ThreadEntry& entry, Site site) {
  if (runtime.mode == Mode::Branching) reap_detached();
  TaskId made = kNoTask;
  const int error = make_thread(attributes, entry, runtime.current, mask_of_new_thread(attributes), site, made);
  if (error != 0) return error;
  *handle = runtime.tasks[made].thread_pointer;
  const ObjectId thread = runtime.world->task(made).thread;
  if (!create_thread_at_once(OperationKind::ThreadCreated, thread, site))
    perform(OperationKind::ThreadCreated, thread, site);
  return 0;
}

int join(pthread_t handle, void** result, OperationKind kind, Nanoseconds deadline, Site site) {
  const TaskId task = known_task_of(handle, site);
  if (task == kNoTask) return ESRCH;
  const std::uint8_t interruptible = kind == OperationKind::ThreadJoin ? kCancellable : std::uint8_t{0};
  const int error = perform(kind, runtime.world->task(task).thread, site, deadline, interruptible);
  if (error != 0) return error;
  if (result != nullptr) {
    *result = runtime.tasks[task].result;
    record_told_apart(task);  // whatever it is: to ask this one, and not another, may be what matters
  }
  carrier().reap(task);
  return 0;
}

int timed_join(pthread_t handle, void** result, clockid_t clock, const timespec* time, Site site) {
  if (time != nullptr && !(valid(*time) && can_wait_by(clock))) return EINVAL;
  return join(handle, result, OperationKind::ThreadJoin, deadline_at(clock, time), site);
}

}  // namespace

int create_thread(pthread_t* handle, const pthread_attr_t* attributes, const ThreadEntry& entry, Site site) {
  if (runtime.mode == Mode::Alone && !start_mark_wanted()) begin_branching();
  make_signals_virtual();
  if (!create_thread_at_once(OperationKind::ThreadCreate, kNoObject, site))
    perform(OperationKind::ThreadCreate, kNoObject, site);
  if (runtime.mode == Mode::Detached) tell_of_threads(site);
  return create(handle, attributes, entry, site);
}

int join_thread(pthread_t handle, void** result, Site site) {
  return join(handle, result, OperationKind::ThreadJoin, kNoDeadline, site);
}

int detach_thread(pthread_t handle, Site site) {
  const TaskId task = known_task_of(handle, site);
  if (task == kNoTask) return ESRCH;
  return perform(OperationKind::ThreadDetach, runtime.world->task(task).thread, site);
}

void exit_thread(void* value) {
  begin_unwinding();
  current_data().result = value;
  prepare_stacks(true);  // glibc is about to load the unwinder
  prepare_thread_exit();
  real::pthread_exit(value);  // unwinds up to call_until_thread_exit()
  __builtin_unreachable();
}

TaskId task_of(pthread_t handle) {
  if (handle == 0) return kNoTask;  // as timers have it, which are tasks, too
  for (std::uint32_t i = runtime.world->population().task_count(); i-- > 0;)
    if (runtime.tasks[i].thread_pointer == handle) return static_cast<TaskId>(i);
  return kNoTask;
}

TaskId known_task_of(pthread_t handle, Site site) {
  const TaskId task = task_of(handle);
  if (task == kNoTask && !is_foreign_thread()) perform(OperationKind::ThreadInvalid, kNoObject, site);
  return task;
}

int run_main(int (*main)(int, char**, char**), int count, char** arguments, char** environment) {
  struct Call {
    int (*main)(int, char**, char**);
    int count;
    char** arguments;
    char** environment;
    int status = 0;
    bool returned = false;
  } call{main, count, arguments, environment};
  install_start_mark();
  current_data().outermost_landing = innermost_landing();
  call_until_thread_exit(
      [](void* argument) {
        auto* own = static_cast<Call*>(argument);
        own->status = own->main(own->count, own->arguments, own->environment);
        own->returned = true;
      },
      &call);
  if (!call.returned) end_thread();  // main() called pthread_exit(): the others go on
  // A site is an address behind a call; the byte before main() belongs to another function.
  perform(OperationKind::ProcessExit, kNoObject, reinterpret_cast<Site>(main) + 1);
  return call.status;
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*entry)(void*),
                                 void* argument) {
  if (!controlled()) return real::pthread_create(handle, attributes, entry, argument);
  return create_thread(handle, attributes, {entry, argument, false}, HEDDLE_CALLER);
}

// The same by a name that nobody else has (intercept/loader.cpp).
extern "C" __attribute__((alias("pthread_create"), visibility("hidden"))) int heddle_pthread_create(
    pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

HEDDLE_EXPORT int pthread_join(pthread_t handle, void** result) {
  if (!controlled()) return real::pthread_join(handle, result);
  return join_thread(handle, result, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_tryjoin_np(pthread_t handle, void** result) {
  if (!controlled()) return real::pthread_tryjoin_np(handle, result);
  return join(handle, result, OperationKind::ThreadTryJoin, kNoDeadline, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* time) {
  if (!controlled()) return real::pthread_timedjoin_np(handle, result, time);
  return timed_join(handle, result, CLOCK_REALTIME, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* time) {
  if (!controlled()) return real::pthread_clockjoin_np(handle, result, clock, time);
  return timed_join(handle, result, clock, time, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_detach(pthread_t handle) {
  if (!controlled()) return real::pthread_detach(handle);
  return detach_thread(handle, HEDDLE_CALLER);
}

namespace {

std::size_t default_guard_size() {
  std::size_t size = 0;
  pthread_attr_t defaults;
  if (pthread_getattr_default_np(&defaults) != 0) return 0;
  pthread_attr_getguardsize(&defaults, &size);
  pthread_attr_destroy(&defaults);
  return size;
}

// Its upper end is right as it is.
int set_main_stack(pthread_attr_t* attributes) {
  const std::uintptr_t begin = main_stack_begin();
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(attributes, &low, &size);
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(low) + size;
  if (begin == 0 || begin >= end) return 0;
  return pthread_attr_setstack(attributes, reinterpret_cast<void*>(begin), end - begin);
}

}  // namespace

// Of the kernel thread, but for where the task's frames lie, and the guard.
HEDDLE_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) {
  if (!controlled()) return real::pthread_getattr_np(handle, attributes);
  const TaskId task = known_task_of(handle, HEDDLE_CALLER);
  const AffinityOfAnyone asked_for_by_libc;
  if (const int error = real::pthread_getattr_np(handle, attributes); error != 0) return error;
  if (task == kNoTask) return 0;
  if (task == 0) return set_main_stack(attributes);
  const TaskData& data = runtime::runtime.tasks[task];
  pthread_attr_setguardsize(attributes, data.guard_size != kDefaultGuard ? data.guard_size : default_guard_size());
  if (data.stack_size == 0) return 0;
  return pthread_attr_setstack(attributes, reinterpret_cast<void*>(data.stack_low), data.stack_size);
}

HEDDLE_EXPORT void pthread_exit(void* value) {
  if (controlled()) exit_thread(value);
  real::pthread_exit(value);
  __builtin_unreachable();
}

HEDDLE_EXPORT pthread_t pthread_self() {
  if (controlled() && !is_foreign_thread()) record_told_apart(current_task());
  return own_handle();
}

HEDDLE_EXPORT pid_t gettid() {
  if (!controlled() || is_foreign_thread()) return real::gettid();
  // Under the fiber carrier all tasks share one kernel thread, but the program must see different numbers.
  record_told_apart(current_task());
  return number_of_task(current_task());
}
