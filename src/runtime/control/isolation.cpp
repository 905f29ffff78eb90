// See isolation.h.
#include "runtime/control/isolation.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "protocol/assert.h"
#include "runtime/calls/dispatch.h"
#include "runtime/calls/effects.h"
#include "runtime/calls/sanitizer.h"
#include "runtime/carrier/large_stacks.h"
#include "runtime/control/lifecycle.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/heap/program_heap.h"
#include "runtime/intercept/loader.h"
#include "runtime/os/system_call.h"
#include "runtime/os/wait_process.h"
#include "runtime/ring/memory_names.h"
#include "runtime/ring/output.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/carrier.h"
#include "runtime/schedule/checkpoints.h"
#include "runtime/schedule/loops.h"
#include "runtime/schedule/points.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/schedule/yields.h"
#include "runtime/snapshot/bookmarks.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/variables.h"
#include "runtime/state/environment.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/modules.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/thread_pointer.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/children.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/held_output.h"
#include "runtime/world/input_notes.h"
#include "runtime/world/inputs.h"
#include "runtime/world/private_files.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/signals/change_action.h"
#include "runtime/world/signals/outside.h"
#include "runtime/world/streams.h"
#include "runtime/world/undo.h"

namespace heddle::runtime {
namespace {

// The exit status of a child that closed its record itself. Nobody looks at it: its End record says how it ended.
constexpr int kLeft = 0;
// Of the process that the user's script or test runner has started: it must not go on as if all were well.
constexpr int kFailed = 1;
// A child on a snapshot that dies so often in a row without having finished an execution: snapshots don't work here.
constexpr unsigned kMaxDeathsWithoutProgress = 2;

// Threads that were made before a start mark are kernel threads under this carrier, and a forked process is without.
bool threads_stay_behind() {
  return config.carrier == CarrierKind::Thread && runtime.world->population().live_tasks() > 1;
}

// Or it has started processes: only a fresh start has them anew.
void stop_if_others_have_part() {
  if (config.perform_effects != 0) return;
  if (const SystemCallEffect effect = effect_of_shared_memory(); effect.level != EffectLevel::None)
    stop_at_effect(effect, effect.what, "mmap with MAP_SHARED");
  if (had_children())
    stop_at_effect({EffectLevel::Exec}, "started a process before its first thread, which still runs", "fork");
}

bool take_control() {
  if (runtime.shared == nullptr) return false;
  Status& status = runtime.shared->status;
  std::int32_t nobody = 0;
  const int self = os::process_id();
  if (!status.controller.compare_exchange_strong(nobody, self)) return false;
  runtime.process = self;
  runtime.parent_process = static_cast<int>(os::system_call(SYS_getppid));
  status.state.store(WorkerState::Controlled);
  clean_environment();
  return true;
}

void begin_execution() {
  prepare_descriptors();
  record_begin(plan().id);
}

// In the process that runs the execution.
void enter_execution() {
  HEDDLE_ASSERT(!runtime.recording, "an execution begins where none is under way");
  runtime.mode = Mode::Branching;
  runtime.recording = true;
  begin_modules();
  runtime.shared->status.state.store(WorkerState::Branching, std::memory_order_relaxed);
}

// A copy of this process, without glibc's fork(): that one would take the stacks of the parked threads away. No signal
// tells of its end; the thread id that glibc keeps for the main thread is brought up to date.
int clone_process() {
  constexpr long kFlags = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
  return static_cast<int>(os::system_call(SYS_clone, kFlags, 0, 0, reinterpret_cast<long>(thread_id_word())));
}

// What every child does first.
void start_child(std::uint64_t signal_mask) {
  os::system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (os::system_call(SYS_getppid) != runtime.process) os::exit_process(kLeft);  // it died before that
  os::system_call(SYS_setpgid, 0,
                  0);  // as a program that was started by a shell; and its children can be ended with it
  os::replace_signal_mask(signal_mask | held_back_signals());
  signals_are_held_back();
  renew_all_files();
  runtime.shared->status.executing.store(os::process_id());
}

// An end that can't be waited for says nothing about the execution, which may even go on. So we end with it: the driver
// sees that, and claims nothing.
int wait_for(int child, int flags = 0) {
  int status = 0;
  if (!os::wait_process(child, status, flags)) {
    os::system_call(SYS_kill, child, SIGKILL);
    os::exit_process(kFailed);
  }
  if (runtime.shared->status.assertion_failed.load(std::memory_order_acquire) != 0) os::exit_process(kLeft);
  if (!WIFSTOPPED(status)) end_children_left_by(child);  // before the end is recorded: nothing is printed after that
  runtime.shared->status.executing.store(0);
  return status;
}

// In the process that runs executions on a snapshot: the next plan wants a process of its own. It is not to cost us our
// bookmarks, so we stay and wait until the zygote has run it. The zygote sees that we have stopped; a signal from
// elsewhere may make us go on before it has.
void ask_zygote() {
  HEDDLE_ASSERT(on_snapshot(), "only a process with a snapshot hands a plan back");
  auto& lent = runtime.shared->lent;
  lent.store(PlanLent::Offered);
  while (lent.load() == PlanLent::Offered) os::system_call(SYS_kill, os::process_id(), SIGSTOP);
  while (lent.load() == PlanLent::Taken) os::futex_wait(&lent, static_cast<std::uint32_t>(PlanLent::Taken), true);
  prepare_descriptors();
  on_output();  // what is there now is another's
}

void give_plan_back(int child) {
  auto& lent = runtime.shared->lent;
  spare_child(0);
  runtime.shared->status.executing.store(child);
  lent.store(PlanLent::No);
  os::futex_wake(&lent, 1, true);
}

// In the zygote: waits for the end of a process that runs executions on a snapshot. False: its next plan is to be run
// here, and then given back.
bool wait_for_end(int child, int& status) {
  for (;;) {
    status = wait_for(child, WUNTRACED);
    if (!WIFSTOPPED(status)) return true;
    PlanLent offered = PlanLent::Offered;
    const bool taken = runtime.shared->lent.compare_exchange_strong(offered, PlanLent::Taken);
    if (taken)
      spare_child(child);
    else
      runtime.shared->status.executing.store(child);
    os::system_call(SYS_kill, child, SIGCONT);
    if (taken) return false;
  }
}

// The driver reads the output of a failing execution before the next one may overwrite it.
void reap_execution(int status) {
  record_reaped(status);
  if (captures_output() && !ended_well()) wait_until_read();
}

void fall_back(const char* reason) {
  Shared& shared = *runtime.shared;
  strncpy(shared.fallback_reason, reason, kReasonCapacity - 1);
  shared.fallback.store(1, std::memory_order_release);
}

// One execution in a process of its own. True: this is that process.
bool run_forked(std::uint64_t signal_mask) {
  begin_execution();
  if (threads_stay_behind()) {
    record_failed_start(
        "the program has threads already where the search begins, and with --carrier=thread a forked process would be "
        "without "
        "them: use --isolation=exec");
    return false;
  }
  const int child = clone_process();
  if (child == 0) {
    start_child(signal_mask);
    os::populate_allocated();
    start_dispatch(config.watch_effects != 0);
    enter_execution();
    if (config.watch_effects != 0) stop_if_others_have_part();
    return true;
  }
  if (child < 0)
    record_failed_start("the system could not make a process for the execution (fork failed)");
  else
    reap_execution(wait_for(child));
  return false;
}

void begin_on_snapshot() {
  read_plan();
  record_begin(plan().id);
}

// In the child of a zygote: returns at the beginning of every execution.
void run_on_snapshot(std::uint64_t signal_mask) {
  start_child(signal_mask);
  start_dispatch(true);
  if (const char* problem = take_snapshot(); problem != nullptr) retire(Retirement::Unavailable, problem);
  begin_restoring_thread_pointers();
  prepare_descriptors();
  snapshot_mark();
  call_unseen(begin_on_snapshot);
  enter_execution();
  call_unseen(plan_checkpoints);
  stop_if_others_have_part();
}

struct ProcessZygote {
  unsigned deaths_without_progress = 0;
};
constinit ProcessZygote process_zygote{};

// What a child that ran executions on a snapshot has left: nothing, a reason, or an execution it died of.
void reap_snapshot(int status, std::uint64_t executions_before, bool& use_snapshots) {
  const bool open = runtime.shared->present_slots != 0 && execution_open();
  const bool progress = runtime.shared->status.executions.load() != executions_before;
  if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(Retirement::OwnProcess)) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(Retirement::MoreTasks)) return unread_plan();
  if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(Retirement::Unavailable)) {
    use_snapshots = false;
    return unread_plan();
  }
  if (open) reap_execution(status);
  process_zygote.deaths_without_progress = progress ? 0 : process_zygote.deaths_without_progress + 1;
  if (process_zygote.deaths_without_progress < kMaxDeathsWithoutProgress) return;
  use_snapshots = false;
  fall_back("the process that put its memory back died before it had run anything");
}

// How many threads will be needed at first: who is about to create one mostly creates two, and a process that finds too
// few has been made for nothing. Where few are allowed, no more than is certain.
std::uint32_t first_guess() {
  constexpr rlim_t kPlenty = 1000;
  rlimit limit{};
  os::system_call(SYS_prlimit64, 0, RLIMIT_NPROC, 0, reinterpret_cast<long>(&limit));
  return runtime.world->population().task_count() + (limit.rlim_cur > kPlenty ? 1 : 0);
}

// Gets ready what threads will want. False: there can't be so many of them, and snapshots can't do without.
bool park_threads() {
  prepare_large_stacks();
  const std::uint32_t needed = runtime.shared->status.tasks_needed.load(std::memory_order_relaxed);
  if (needed == 0) carrier().prepare(first_guess());
  return carrier().prepare(needed);
}

bool can_use_snapshots() {
  if (config.isolation != IsolationKind::Snapshot) return false;
  if (config.carrier == CarrierKind::Thread)
    fall_back("snapshots are for the fiber carrier: a kernel thread's own state can't be restored");
  else if ((told_alternate_stack(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))).ss_flags & SS_ONSTACK) !=
           0)
    fall_back("the first thread is created in a signal handler that runs on an alternate stack");
  else if (!dispatch_available())
    fall_back(
        "the kernel does not let system calls be seen here (Syscall User Dispatch: Linux 5.11, or a container "
        "that forbids it)");
  else
    return true;
  return false;
}

// Runs executions until the driver ends the process. Returns in the children only, at the beginning of an execution.
void run_zygote() {
  Status& status = runtime.shared->status;
  const std::uint64_t own_mask = prepare_dispatch(os::replace_signal_mask(~std::uint64_t{0}));
  bool use_snapshots = can_use_snapshots();
  if (use_snapshots) try_thread_pointer_instruction();
  for (;;) {
    const PlanHeader next = await_plan();
    if (!park_threads() && use_snapshots) {
      use_snapshots = false;
      fall_back("the system does not allow as many threads as the program has tasks");
    }
    if (!use_snapshots || (next.flags & PlanFlags::OwnProcess) != 0) {
      read_plan();
      if (run_forked(own_mask)) return;
      continue;
    }
    const std::uint64_t executions = status.executions.load();
    runtime.shared->lent.store(PlanLent::No);
    const int child = clone_process();
    if (child == 0) return run_on_snapshot(own_mask);
    if (child > 0) {
      int child_status = 0;
      while (!wait_for_end(child, child_status)) {
        park_threads();
        read_plan();
        if (run_forked(own_mask)) return;
        give_plan_back(child);
      }
      reap_snapshot(child_status, executions, use_snapshots);
      continue;
    }
    read_plan();
    begin_execution();
    record_failed_start("the system could not make a process for the executions (fork failed)");
  }
}

void run_once() {
  runtime.shared->status.executing.store(runtime.process);
  if (!read_plan()) os::exit_process(0);
  begin_execution();
  const std::uint64_t own_mask = prepare_dispatch(os::replace_signal_mask(~std::uint64_t{0}));
  os::replace_signal_mask(own_mask | held_back_signals());
  signals_are_held_back();
  start_dispatch(false);
  enter_execution();
}

// On a snapshot, everything about the present execution has been said: on to the next.
[[noreturn]] void go_on() {
  HEDDLE_ASSERT(on_snapshot(), "only a process with a snapshot goes on with the next execution");
  PlanHeader next = await_plan();
  for (; (next.flags & PlanFlags::OwnProcess) != 0; next = await_plan()) {
    if (!any_bookmarks()) retire(Retirement::OwnProcess);
    ask_zygote();
  }
  continue_dispatch();
  choose_level(level_count() > 1 ? common_steps() : 0);
  restore_snapshot();
}

[[noreturn]] void end_on_snapshot(EndKind kind, int status) {
  const bool well = kind == EndKind::Exited && status == 0;
  const bool is_read = !well && captures_output();
  const bool silent = is_read && output_size() == output_size_before();
  if (well && runtime.shared->status.output_wanted.load(std::memory_order_relaxed) == 0) drop_held_output();
  record_end(kind, status, !well, silent ? static_cast<std::uint32_t>(output_size_before()) : EndRecord::kAllOutput);
  if (is_read && !silent) wait_until_read();
  go_on();
}

constexpr int kExitShift = 8;  // exit statuses as wait() gives them

}  // namespace

void retire(Retirement why, const char* reason) {
  if (why == Retirement::Unavailable) fall_back(reason);
  os::exit_process(static_cast<int>(why));
}

bool begin_branching() {
  HEDDLE_ASSERT(runtime.mode == Mode::Alone, "branching begins once, before any execution");
  if (belongs_to_parent() || !take_control()) {
    runtime.mode = Mode::Detached;
    if (runtime.shared != nullptr) runtime.shared->status.threads_uncontrolled.fetch_add(1);
    return false;
  }
  prepare_modules();
  runtime.shared->status.state.store(WorkerState::Branching);
  if (config.isolation == IsolationKind::Exec)
    run_once();
  else
    run_zygote();
  return true;
}

void leave_execution(EndKind kind) {
  flush_output();
  end_modules();
  publish_modules();
  if (on_snapshot()) end_on_snapshot(kind, 0);
  record_end(kind, 0, true);
  runtime.mode = Mode::Ended;
  os::exit_process(config.isolation == IsolationKind::Exec && fails(kind, 0) ? kFailed : kLeft);
}

namespace {

constexpr Site kReturnedFromMain = 1;  // to libc's code, or ours: no place of the program's
struct ExecutionExit {
  Site called_from = 0;
};
constinit ExecutionExit execution_exit{};

// A failing program's place, as a crash's: that of the call that ended it, if it was one.
void record_exit() {
  publish_modules();  // nobody asks where a passing execution's code was
  if (execution_exit.called_from <= kReturnedFromMain) return;
  record_fault(runtime.current, capture_stack_of_call(runtime.current, execution_exit.called_from));
}

}  // namespace

void note_exit(Site site) {
  if (execution_exit.called_from == 0) execution_exit.called_from = site;
}

void note_return_from_main() { note_exit(kReturnedFromMain); }

void finish_execution(int status, Ending ending) {
  if (!runtime.recording) return;
  // A copy of the process that did not come through us. There is none on a snapshot, and asking costs.
  if (!on_snapshot() && os::process_id() != runtime.shared->status.executing.load()) return;
  check_program_heap();
  if (!runtime.world->population().others_are_over()) {
    // Until here others may still run, and find what the exit handlers have destroyed. A step also where they have
    // ended already and nobody has joined them: executions that differ only in when they did are to be alike.
    model::Operation end;
    end.kind = OperationKind::ProcessExit;
    const bool is_last = ending == Ending::AtOnce || !program_has_streams_of_its_own();
    end.argument = is_last ? 1 : 0;  // nothing of the program runs behind it: see marks_of_exit()
    perform(end);
  }
  runtime.shared->status.running_task.store(runtime.current, std::memory_order_relaxed);  // who ended it
  if (on_snapshot() && ending == Ending::Exit) flush_all_streams();
  end_modules();
  if (status != 0) record_exit();
  record_changes();
  record_pending();
  if (on_snapshot()) end_on_snapshot(EndKind::Exited, (status & 0xff) << kExitShift);
  runtime.shared->status.end_seen.store(1);
  stop_recording();
  runtime.mode = Mode::Ended;
}

void leave_process(int status) {
  finish_execution(status, Ending::AtOnce);
  os::exit_process(status);
}

void note_effect(const SystemCallEffect& effect) {
  auto& gravest = runtime.shared->status.effects;
  if (gravest.load() < effect.level) gravest.store(effect.level);
  if (effect.level == EffectLevel::Exec && effect.seen_outside) runtime.shared->status.outside_effects.store(1);
}

void stop_at_effect(const SystemCallEffect& effect, const char* what, const char* call) {
  note_effect(effect);
  char text[kEffectCapacity];
  const int size = snprintf(text, sizeof text, "%s (%s)", what, call);
  const auto length = static_cast<std::size_t>(size);
  record_message(MessageKind::Effect, runtime.current, text, length < sizeof text ? length : sizeof text - 1);
  if (on_snapshot()) {
    on_signal_mask();  // we are in a handler, where signals are blocked
    end_on_snapshot(EndKind::Effect, 0);
  }
  record_end(EndKind::Effect, 0, true);
  os::exit_process(kLeft);
}

void end_unjudged(TaskId task, const char* why) {
  record_message(MessageKind::Note, task, why, strlen(why));
  leave_execution(EndKind::Killed);
}

void need_more_tasks() {
  if (!on_snapshot()) return;
  auto& needed = runtime.shared->status.tasks_needed;
  const std::uint32_t tasks = runtime.world->population().task_count();
  needed.store(needed.load() * 2 > tasks ? needed.load() * 2 : tasks);
  retire(Retirement::MoreTasks);
}

}  // namespace heddle::runtime
