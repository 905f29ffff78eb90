// See isolation.h.
#include "runtime/isolation/isolation.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "runtime/carrier/carrier.h"
#include "runtime/crash.h"
#include "runtime/descriptors.h"
#include "runtime/environment.h"
#include "runtime/modules.h"
#include "runtime/os/system_call.h"
#include "runtime/plan_reader.h"
#include "runtime/policy/policy.h"
#include "runtime/recorder.h"
#include "runtime/runtime.h"
#include "runtime/stacks.h"

namespace heddle::runtime {
namespace {

// The exit status of a child that closed its record itself. Nobody looks at it: its End record says how it ended.
constexpr int kLeft = 0;

bool take_control() {
  if (runtime.shared == nullptr) return false;
  Status& status = runtime.shared->status;
  std::int32_t nobody = 0;
  const int self = os::process_id();
  if (!status.controller.compare_exchange_strong(nobody, self)) return false;
  runtime.process = self;
  status.state.store(WorkerState::Controlled);
  clean_environment();
  return true;
}

// Reads the next plan and begins the record; false: the driver wants no more.
bool begin_execution() {
  if (!read_plan()) return false;
  prepare_descriptors();
  record_begin(plan().id);
  return true;
}

// In the process that runs the execution.
void enter_execution() {
  runtime.mode = Mode::Branching;
  runtime.recording = true;
  runtime.record_stacks = (plan().flags & PlanFlags::Stacks) != 0;
  if (runtime.record_stacks) prepare_stacks(true);
  runtime.world->begin_branching();
  start_policy(plan());
  for (std::uint32_t id = 0; id < runtime.world->task_count(); ++id)
    record_task(static_cast<TaskId>(id), reinterpret_cast<Site>(runtime.tasks[id].entry));
  runtime.shared->status.state.store(WorkerState::Branching);
}

// A copy of this process, without glibc's fork(): that one would take the stacks of the parked threads away. No signal
// tells of its end; the thread id that glibc keeps for the main thread is brought up to date.
int clone_process() {
  constexpr long kFlags = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
  return static_cast<int>(os::system_call(SYS_clone, kFlags, 0, 0, reinterpret_cast<long>(thread_id_word())));
}

void reap(int child) {
  int status = 0;
  while (os::system_call(SYS_wait4, child, reinterpret_cast<long>(&status), __WALL, 0) == -EINTR) {
  }
  runtime.shared->status.executing.store(0);
  record_reaped(status);
  // The driver reads the output of a failing execution before the next one may overwrite it.
  if (captures_output() && !ended_well()) wait_until_read();
}

// Runs executions until the driver wants no more. Returns in the children only.
void run_zygote() {
  Status& status = runtime.shared->status;
  const std::uint64_t own_mask = os::replace_signal_mask(~std::uint64_t{0});
  os::unregister_restartable_sequences();
  while (begin_execution()) {
    carrier().prepare(status.tasks_needed.load(std::memory_order_relaxed));
    const int child = clone_process();
    if (child == 0) {
      os::system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
      os::replace_signal_mask(own_mask);
      os::populate_allocated();
      status.executing.store(os::process_id());
      return enter_execution();
    }
    if (child < 0) {
      record_failed_start("the system could not make a process for the execution (fork failed)");
      continue;
    }
    reap(child);
  }
  status.state.store(WorkerState::Ended);
  os::exit_process(0);
}

}  // namespace

bool begin_branching() {
  if (!take_control()) {
    runtime.mode = Mode::Detached;
    if (runtime.shared != nullptr) runtime.shared->status.threads_uncontrolled.fetch_add(1);
    return false;
  }
  publish_modules();
  prepare_stacks(false);
  install_crash_handlers();
  note_descriptors();
  runtime.shared->status.state.store(WorkerState::Branching);
  if (runtime.config.isolation == IsolationKind::Fork) {
    run_zygote();
  } else {
    runtime.shared->status.executing.store(runtime.process);
    if (!begin_execution()) os::exit_process(0);
    enter_execution();
  }
  return true;
}

void leave_execution(EndKind kind) {
  flush_output();
  publish_modules();
  record_end(kind, 0);
  runtime.mode = Mode::Ended;
  os::exit_process(kLeft);
}

void finish_execution(int status) {
  if (!runtime.recording || os::process_id() != runtime.shared->status.executing.load()) return;
  if (runtime.world->live_tasks() > 1) {
    // Until here others may still run, and find what the exit handlers have destroyed.
    model::Operation end;
    end.kind = OperationKind::ProcessExit;
    perform(end);
  }
  if (status != 0) publish_modules();  // nobody asks where a passing execution's code was
  record_changes();
  record_pending();
  runtime.recording = false;
  runtime.mode = Mode::Ended;
}

}  // namespace heddle::runtime
