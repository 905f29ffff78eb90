// The calls by which a lower floor of the runtime reaches a higher one, all of them (docs/ARCHITECTURE.md, "Floors").
// They are grouped by the floor that defines them, each with what must hold when it is called. A function belongs here
// only if somebody below its own floor calls it. The file that defines it includes this header and has no other
// declaration.
#pragma once

#include <pthread.h>
#include <signal.h>

#include "protocol/records.h"
#include "runtime/os/signal_action.h"
#include "runtime/state/program_call.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

// ---- detect (while monitored())

// These bytes begin a new life: a block has been allocated, a stack is used by another task. At any time.
void monitor_allocated(const void* address, std::size_t size);
// The program is about to give a block back; `caller` is the address after its call.
void monitor_freed(const void* memory, std::size_t size, const void* caller);

// ---- heap

// Does a block that the program has been given begin there?
bool heap_gives_out(std::uint64_t memory);
// Is the address one of the first 16 bytes of a block that the program has freed, and have they been left alone since?
bool heap_has_links_at(const void* address);

// ---- snapshot

// How the process that runs executions tells the zygote, its parent, that it can't go on itself: its exit status. The
// program can't exit itself under snapshot isolation, so these are not its own.
enum class Retirement : int {
  OwnProcess = 80,  // the next plan wants a process of its own
  MoreTasks = 81,   // the present plan needs more threads than were parked: it is to be run again
  Unavailable = 82  // snapshots can't be used: the present plan is to be run again, under fork isolation
};

// ---- schedule

// The plan, its policy or the next checkpoint have changed: finds anew up to which step the default is certain. Only
// between two steps.
void look_ahead();
// Does the policy of the present plan want StepMarks? Only in an execution.
bool follows_steps();
// A call of a library that synchronizes by what lies at `address` (library_calls.def). On the task's own stack.
void point_at_library_call(const void* address, Site site);
// A plain access of instrumented code that is to be a scheduling point; the program makes it when this returns. On the
// task's own stack, in a task that Heddle schedules, outside of the runtime's own calls (Runtime::inside).
void point_before_access(OperationKind kind, const void* address, std::size_t size, Site site);
// The running task has made very many plain accesses without a step: the others run first. As point_before_access().
void yield_before_access(Site site);

// ---- world

// What the kernel keeps of the process: noted at the branching point, and restored at the end of an execution on a
// snapshot, where no task runs. `output_size`: the captured output is cut back to this.
void note_kernel_state();
void undo_kernel_state(long output_size);
// Has anything but the output been changed? Then no checkpoint can be taken. Only on a snapshot.
bool kernel_state_changed();
// Has the present execution done something that is not undone at all, as the user wants (--isolation=snapshot)?
bool has_lasting_effect();
// The running task publishes a yield or a sleep: where nobody does anything else for long, and somebody waits for a
// time, virtual time goes on.
void pass_time_while_yielding();
// The task has ended, or blocks other signals now: what it was chosen to take is for the process again.
void give_signals_back(TaskId owner);
// The timer's last step has taken effect, with this result of its SignalSend. In the middle of the scheduler: no
// operation can be performed in there.
void timer_has_sent(TaskId timer, std::int32_t result);
// No task is enabled but by a timeout: where children live whose signals the program would notice, waits in real time
// for one, as long as a child moves on; longer if somebody waits for just that. True: one has come.
bool wait_for_outside_signals();
// What a signal that was let in has done to the call that it interrupted: its handler asks for a restart, or not.
enum class Handled : std::uint8_t { Nothing, Restarts, Ends };
// In a process that is not explored, outside of the scheduler: signals that came while it waited come now
// (world/signals/held_signals.h).
Handled let_held_signals_in();
// In a process that the program has forked: none of its tasks can go on, ever. It waits for a signal, as it would
// without us, and says so.
[[noreturn]] void hang();
// In such a process: its task has done what pthreads does not allow. The process says so and aborts.
[[noreturn]] void die_of_misuse();

// ---- calls

// A call that did not come through the dispatch, before it is made: its effects are judged, and the execution may end.
void judge_effect(const SystemCall& call);
// A call that is no operation and was caught without a signal: judged, made, and what follows from it. Returns what
// the kernel would.
long make_program_call(const SystemCall& call);
// Can system calls be seen? Known once prepare_dispatch() has been called.
bool dispatch_available();
// The action that the program believes to have set for a signal; and, as if it set one by itself.
os::SignalAction program_action(int signal);
void set_program_action(int signal, const os::SignalAction& action);
// Do faults come to the runtime first (calls/program_faults.h)?
bool catches_faults();
// In a child that the program has forked, where system calls are not seen.
void leave_faults_to_kernel();
// The running task lets these signals come (again): as siglongjmp() out of a handler does.
void open_faults_of_task(std::uint64_t signals);
// No task is enabled: before a timeout fires, waits in real time for the world outside, for children, and for the other
// processes of the program whose time is earlier. True: somebody can go on now. `timeout_is_planned`: the plan has a
// timeout here, whatever comes from outside.
bool wait_for_others(bool timeout_is_planned);
// No task is enabled: waits for the world outside, in real time, at most until the next timeout is due. True: somebody
// can go on now.
bool wait_for_outside();
// The same without waiting.
bool outside_is_ready();
// Does a task wait for what the world outside, or a process that the program has started, may bring?
bool somebody_waits_for_outside();
// How many calls of the program the kernel has been given, but for those that only wait.
std::uint32_t calls_of_kernel();
// While threads only yield to each other: looks outside now and then.
void consider_outside();

// ---- system_calls

// Is this call an operation, to be made on the task's own stack by perform_system_call()? At any time.
bool is_modelled(const SystemCall& call);
// A call that is an operation (is_modelled()). On the task's own stack. Returns what the kernel would.
long perform_system_call(const SystemCall& call, Site site);
// A signal waits to be taken, or has been: who reads signals from descriptors may go on now, or no longer.
void on_signals_changed();
// Before the kernel is asked what `task` can read.
void show_signals_to(TaskId task);
// Has a child process ended that somebody waits for? Lets him go on. Between two steps.
bool child_is_ready();
// No task is enabled: where some wait for child processes that live, waits in real time for one of these to end, at
// most until the next timeout is due. True: somebody can go on now.
bool wait_for_children();

// ---- carrier

// The last call of the running task has been interrupted: what it returns, once that has been followed and the call, if
// it has to, has been made again. Does not return to a task that is cancelled. On the task's own stack.
std::int32_t after_interruption();

// ---- intercept

// What a thread begins with. A C11 thread's function gives an int.
struct ThreadEntry {
  void* (*function)(void*);
  void* argument;
  bool gives_int;
};
// A thread without a step; `parent` is told to have created it. For timers and notices, whose step is already taken.
// Returns 0 or an errno value.
int make_thread(const pthread_attr_t* attributes, const ThreadEntry& entry, TaskId parent, std::uint64_t mask,
                Site site, TaskId& made);
// At the end of the running task, on its stack: again and again while values are left, at most
// PTHREAD_DESTRUCTOR_ITERATIONS times, as POSIX says.
void run_key_destructors();
// The program used something that the model does not have: ends the execution without a verdict. `function` begins with
// the name of its line in docs/API.md; `site`: where it was called, where that is known.
[[noreturn]] void not_modelled(const char* function, Site site = 0);

// ---- control

// Branching begins here and now: returns true in each execution, with its plan read and its record begun. False: this
// process is not to be controlled (another one is already), and the caller goes on without branching. Only in
// Mode::Alone, on the running task's own stack.
bool begin_branching();
// The execution is over before the program ended: its record is closed and the process goes on with the next, or is
// gone. What remains to be said has been recorded.
[[noreturn]] void leave_execution(EndKind kind);
// The execution ends without a verdict, since Heddle can't follow it any further: `why`, for the user, as said of a
// task or of none (kNoTask).
[[noreturn]] void end_unjudged(TaskId task, const char* why);
// exit() writes what its streams hold; _exit() and its kin lose it.
enum class Ending : std::uint8_t { Exit, AtOnce };
// The program itself ends (its last exit handler, or _exit): what is still pending is recorded, scheduling stops. Under
// snapshot isolation it does not return: the next execution begins.
void finish_execution(int status, Ending ending);
// The same, and the process is gone.
[[noreturn]] void leave_process(int status);
// If main() returned now, or the last thread ended: would none of the program's code run then? No handler of exit(), no
// destructor, no stream with functions of the program's own. At any time.
bool end_runs_nothing();
// The program calls what ends it (exit() and its kin), and that would return to `site`.
void note_exit(Site site);
// Before the program registers handlers of quick_exit(): so that the last of them is ours.
void watch_quick_exit();
// The execution is about to do something that this isolation can't undo: it ends here, before that.
[[noreturn]] void stop_at_effect(const SystemCallEffect& effect, const char* what, const char* call);
// It does something that this isolation undoes, and a cheaper one would not.
void note_effect(const SystemCallEffect& effect);
// The present execution needs more threads than the zygote has parked: where starting it again mends that, it is
// started again, and this does not return.
void need_more_tasks();
// The process can't run any more executions. `reason`: for Unavailable, what the user is told (a sentence without a
// full stop).
[[noreturn]] void retire(Retirement why, const char* reason = nullptr);

// In a replay: says what the last plain write at a scheduling point wrote, if one was made since the last step. Before
// anything is recorded of the next step, or of the end.
void record_written_value();

// In a handler of the signal: says all that is known of the crash. The process dies when the handler returns.
void handle_fatal_signal(int signal, siginfo_t* info, void* context);
inline bool is_crash_handler(const void* handler) {
  return handler == reinterpret_cast<const void*>(&handle_fatal_signal);
}
// The running task takes a signal of the program's own whose action ends the process.
[[noreturn]] void die_of_signal(int signal, const siginfo_t& info, Site site);
// As the kernel ends a process whose handler it can't call: nothing is said of the place.
[[noreturn]] void die_silently(int signal);

}  // namespace heddle::runtime
