// The runtime: libheddle.so inside the program under test. This header is its centre: the state, and the one call that
// every interceptor makes, perform().
//
// Ground rules for all code in src/runtime (enforced by the build and by tools/check_symbols):
//  1. No RTTI, no static constructors, no C++ runtime library; it throws nothing of its own. Exceptions and forced
//     unwinding of the program may pass through its frames.
//  2. None of the program's malloc, locks or stdio. Memory comes from os::reserve().
//  3. Raw system calls only in os/. libc is entered only through real:: (resolved once, at the start).
//  4. A variable lives in a structure whose name says how long it lasts: Execution… changes in executions and is
//     restored, Process… is the same in all executions of a process, Permanent… (HEDDLE_PERMANENT) is not restored.
//     What several files use is in `runtime` below, in the tables it points to, and in the memory shared with the
//     driver.
//  5. Only the interposed symbols are exported.
//  6. Between publish and the end of schedule() no code of the program runs; the runtime itself never blocks, except a
//     parked thread, a thread without the baton, and the zygote between executions.
//  7. A file includes its own floor and those below (docs/ARCHITECTURE.md); what it needs of a higher one stands in
//     state/up_calls.h.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cstdint>

#include "model/world.h"
#include "protocol/shared.h"
#include "runtime/os/permanent.h"

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
// The address to which the present interceptor returns: the program's (or its library's) call.
#define HEDDLE_CALLER ::heddle::runtime::caller_behind(__builtin_return_address(0))

namespace heddle::runtime {

// Where library_calls.cpp calls a library's function. One that ends in a call may jump there instead: what it calls
// returns to this place then, and the call is that of the library's function.
extern "C" __attribute__((visibility("hidden"))) const char heddle_behind_library[];
Site caller_of_library();
// Where the running task stands in a script (state/scripts.h); `otherwise`: in none.
Site place_in_script(Site otherwise);
Site caller_behind(const void* return_address);

enum class Mode : std::uint8_t {
  Uninitialized,
  PassThrough,  // a foreign program that inherited LD_PRELOAD: every call goes to libc
  Alone,        // the model runs, with one task and no scheduling points
  Branching,    // executions: every operation is a scheduling point, and recorded
  Detached,  // the model and the scheduler run by default choices, nothing is recorded: a child that the program forked
  Ended,     // the process is past its last exit handler
};

// What the runtime, as opposed to the model, knows of a task.
struct TaskData {
  void* stack_pointer = nullptr;      // fiber carrier: where it stands while it does not run
  std::uint64_t thread_pointer = 0;   // its FS base, which is also its pthread_t
  void* park = nullptr;               // fiber carrier: the parked thread that lends stack and thread storage
  std::uintptr_t stack_low = 0;       // where its frames lie
  std::size_t stack_size = 0;         // of them, if that is not all of its kernel thread's stack; else 0
  std::size_t guard_size = 0;         // as the program believes it to be: see WantedStack
  void* frames_top = nullptr;         // fiber carrier: where its frames begin; on a stack of ours, if on any
  const void* child_wait = nullptr;   // at a ProcessWait: what it waits for (intercept/wait.cpp)
  std::uint32_t baton = 0;            // thread carrier: 1 = may run
  void* landing = nullptr;            // where pthread_exit() is to end (call_until_thread_exit)
  void* outermost_landing = nullptr;  // where it would end by itself
  bool kernel_thread = false;         // there is a live kernel thread of its own to be reaped
  bool named = false;
  char name[16] = {};
  void* (*entry)(void*) = nullptr;
  void* argument = nullptr;
  bool gives_int = false;      // a C11 thread: `entry` is a function that returns an int
  TaskId like = kNoTask;       // TaskRecord::like
  bool told_apart = false;     // MessageKind::ToldApart is recorded
  std::uint64_t likeness = 0;  // equal for tasks that were started alike
  void* result = nullptr;
  Site library_call = 0;           // where it called the library's function that it is in (intercept/library_calls.cpp)
  const void* once = nullptr;      // the library's object whose initializer it runs, or waits for, in that function
  std::uint32_t allocations = 0;   // blocks it got, while they are named (places.h)
  std::uint32_t atomic_depth = 0;  // heddle_atomic_begin() without its end
  bool mask_is_lent = false;       // sigsuspend's or ppoll's is in force
  std::uint64_t lent_mask = 0;     // this one comes back after it
  stack_t alternate_stack{nullptr, SS_DISABLE, 0};
  const void* fault_frame = nullptr;         // of the handler of a SIGSEGV that it is in (calls/program_faults.h)
  void* waiting = nullptr;                   // at a descriptor operation: its Waiting (calls/waiting.h)
  const std::uint64_t* state_end = nullptr;  // up to there its stack was looked at last (detect/task_state.h)
  class KeptState* kept_state = nullptr;     // while others may take steps
  std::uint32_t fruitless_calls = 0;         // in a row, that returned at once with nothing
  // Of a timer: what follows when its step has been taken (world/signals/timers.h).
  void (*on_expired)(TaskId timer, std::int32_t result) = nullptr;
  bool is_one_shot = false;
  bool is_patient = false;                // a timer that never expires before its time is over
  std::uint16_t stack_depth = 0;          // call stack of the pending operation, when stacks are recorded
  struct ScriptFrames* script = nullptr;  // where it stands in scripts; null: it has never been in one
  Site* stack = nullptr;                  // room for kStackCapacity; see frame_registers() for what lies behind them
  int policy = -1;                        // of scheduling, as the program has set it; -1: as the kernel has it
  int priority = 0;
  bool has_nice = false;  // as the program has set it
  int nice = 0;
  int death_signal = 0;                            // as the program has set it
  struct CredentialChange* credentials = nullptr;  // thread carrier: the last one that its kernel thread knows of
  std::uint64_t draws = 0;                         // random numbers drawn (inputs.h)
  Nanoseconds processor_time = 0;                  // used, in virtual time (clock.h)
  std::uint32_t last_yield = 0;                    // how many steps had been taken behind it (yields.cpp)
  std::uint8_t yields_alone = 0;                   // patient ones since another task has made a step
  Site waits_at = 0;                               // the last round of a waiting loop (schedule/points.h)
  std::uint32_t waits_since = 0;                   // how many steps it had taken then
  std::uint16_t races_ignored[2] = {};  // of reads, of writes: annotations of the program that have not ended
};

inline constexpr unsigned kStackCapacity = 24;

struct ProcessState {
  int control_fd = -1;
  TaskId first_task = 0;   // the first one of this process: of a child that was forked, the one that did so
  int process = 0;         // process id of the one that took control
  int parent_process = 0;  // of its parent
  Shared* shared = nullptr;
  model::World* world = nullptr;
};

struct ExecutionState {
  Mode mode = Mode::Uninitialized;
  bool recording = false;  // an execution is being written to the ring
  bool record_stacks = false;
  std::uint32_t undisturbed_until = 0;           // below this step choices are the default's; see look_ahead()
  bool only_recorded = false;                    // nobody looks at steps but the recorder; see look_ahead()
  std::uint32_t detect_loops_from = UINT32_MAX;  // decisions from this step on are looked at; see loops.h
  std::uint32_t loop_from = 0;                   // EndRecord::loop_from of the present execution
  bool inside = false;  // the runtime itself calls a library that may call interposed functions: they go to libc
  TaskId current = 0;   // who runs
  bool dying = false;   // what is known of a crash is being said
  Site aborted_at = 0;  // where the program has called abort(): all that is known where no unwinder is loaded
  model::Table<TaskData> tasks;
  Nanoseconds processor_time = 0;      // of all tasks, ended ones included
  std::uint32_t free_clock_reads = 0;  // since the last operation that is not a yield, a sleep or a clock read
  bool knows_the_time = false;         // the program has read a clock
  std::uint32_t free_yields = 0;       // likewise
  bool atomic_regions = false;         // heddle_atomic_begin() was called
  bool slow_threads = false;           // a thread may be slow at a clock read
  bool has_scripts = false;            // an interpreter tells where tasks stand in scripts
};

struct Runtime : ProcessState, ExecutionState {};
extern Runtime runtime;

[[gnu::always_inline]] inline Site caller_behind(const void* return_address) {
  if (__builtin_expect(return_address == heddle_behind_library, 0)) return caller_of_library();
  if (__builtin_expect(runtime.has_scripts, 0)) return place_in_script(reinterpret_cast<Site>(return_address));
  return reinterpret_cast<Site>(return_address);
}

struct PermanentState {
  bool snapshot_taken = false;
};
extern PermanentState permanent_state;
// Does this process run executions on a snapshot of its memory?
inline bool on_snapshot() { return permanent_state.snapshot_taken; }

struct PermanentConfig : Config {};  // the driver's, or the default where there is no driver
extern PermanentConfig config;

// Did the task that ran last stop in a region in which it is not to be preempted, and could go on? Where all schedules
// are wanted, fair or not, there are no such regions.
inline bool is_unpreemptible(const model::Decision& decision) {
  return __builtin_expect(runtime.atomic_regions, 0) && decision.switch_costs &&
         runtime.world->schedule().limits().fair && runtime.tasks[decision.last].atomic_depth != 0;
}

// What is done from here on is no part of an execution any more, or none that is written down.
inline void stop_recording() {
  runtime.recording = runtime.only_recorded = false;
  runtime.undisturbed_until = 0;
}

void initialize();

// Whether calls go to the model. False: the interceptor calls real::.
inline bool controlled() {
  if (__builtin_expect(runtime.mode == Mode::Uninitialized, 0)) initialize();
  return runtime.mode != Mode::PassThrough && !runtime.inside;
}

// While it lives, Runtime::inside holds: around calls of real:: functions that call, and allocate, what the program
// alone would not, or not then.
class InsideScope {
 public:
  InsideScope() : before_(runtime.inside) { runtime.inside = true; }
  ~InsideScope() { runtime.inside = before_; }
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;

 private:
  bool before_;
};

// Publishes `operation` for the running task, lets the scheduler decide who goes on, and returns when this task's call
// has been completed: what the call returns.
std::int32_t perform(const model::Operation& operation);
// The same without a copy: what is returned first is filled in (kind, object and site have no defaults), then
// performed.
model::Operation& draft_operation();
std::int32_t perform_draft();

inline TaskId current_task() { return runtime.current; }
inline TaskData& current_data() { return runtime.tasks[runtime.current]; }

}  // namespace heddle::runtime
