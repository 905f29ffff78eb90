// The contract between the driver and libheddle.so: one region of shared memory per worker (a memfd), laid out here.
//
// Raise kProtocolVersion when anything in src/protocol/ changes meaning or layout. Both sides check it first: a
// mismatch names both versions and the remedy (build heddle and libheddle.so together).
//
// Both rings are single producer, single consumer: a power-of-two array of 32-byte slots and two cursors that only
// grow. The plan ring is written by the driver and read by the target (the zygote under fork isolation); the execution
// ring is written by whoever runs an execution (then by whoever reaps it) and read by the driver. A side that is about
// to sleep announces it in its `*_sleeping` word, looks once more, and waits on that word by futex (not FUTEX_PRIVATE).
#pragma once

#include <atomic>
#include <cstdint>

#include "protocol/debugger.h"
#include "protocol/memory_model.h"
#include "protocol/monitors.h"
#include "protocol/places.h"
#include "protocol/plan.h"
#include "protocol/records.h"
#include "protocol/timeouts.h"

namespace heddle {

inline constexpr std::uint64_t kProtocolMagic = 0x454c44444548ull;  // "HEDDLE"
// What a folder is called that is made for one start of the program, up to the first letter by chance.
inline constexpr const char* kScratchPrefix = "heddle-scratch-";

inline constexpr std::uint32_t kProtocolVersion = 68;
inline constexpr std::uint32_t kPlanSlots = 1u << 16;       // 2 MiB
inline constexpr std::uint32_t kExecutionSlots = 1u << 16;  // 2 MiB: longer executions are read while they run
inline constexpr std::uint32_t kMaxModules = 1024;
inline constexpr std::uint32_t kPathCapacity = 488;
inline constexpr std::uint32_t kReasonCapacity = 200;
inline constexpr std::uint32_t kMaxLargeStacks = 64;

// The environment variable through which the driver passes the region: the number of the memfd, a colon, and where that
// file is to be found by who finds the descriptor closed. The runtime removes it and its own entry of LD_PRELOAD from
// the environment when the process takes control.
inline constexpr const char* kControlVariable = "HEDDLE_CONTROL";
// Descriptors of Heddle's own that the program has open lie from here on, where they are allowed: the program's own
// have the numbers then that they have without Heddle.
inline constexpr int kOwnDescriptors = 700;

// The driver sets LD_BIND_NOW to this, unless the user has set it; the runtime takes it out again with its own entries.
inline constexpr const char* kBindNowValue = "heddle";
// GNU OpenMP's threads spin for a while before they wait, where nobody sees it: they are to wait at once.
inline constexpr const char* kSpinVariable = "GOMP_SPINCOUNT";
inline constexpr const char* kSpinValue = "0000";

enum class CarrierKind : std::uint8_t { Fiber, Thread };
enum class IsolationKind : std::uint8_t { Snapshot, Fork, Exec };
enum class ClockKind : std::uint8_t { Virtual, Real };
// Snapshot isolation: at which of the steps where plans part a checkpoint is taken. Always: at each, for tests.
enum class CheckpointChoice : std::uint8_t { Auto, Never, Always };

// How the thread pointer is changed (runtime/state/thread_pointer.h). Auto: by an instruction where that works. The
// others are for tests, as if the kernel did not keep what the instruction loads. Call: by system calls. Restored: by
// the instruction all the same. Lost: so, and now and then it is lost.
enum class ThreadPointerChoice : std::uint8_t { Auto, Call, Restored, Lost };

// What a block of the heap holds that the program had before and frees. A block that it never had is zero.
enum class Fill : std::uint8_t {
  Left,  // what the program left there, but for the first bytes, which are no address
  Zero,
  Junk,
};

// The least isolation that undoes what an execution did outside of its memory.
enum class EffectLevel : std::uint32_t {
  None,  // memory alone
  Fork,  // descriptors, children: a process of its own undoes them
  Exec,  // files, or what was open before the branching point: only a fresh start does
};

// How the program has read the virtual clock, as bits.
struct ClockUse {
  enum : std::uint32_t {
    InTime = 1,      // no thread could be slow
    PerhapsLate = 2  // the thread that reads could be slow (OperationKind::ClockRead)
  };
};

// Set by the driver before the target starts; never changed afterwards.
struct Config {
  CarrierKind carrier = CarrierKind::Fiber;
  IsolationKind isolation = IsolationKind::Fork;
  ClockKind clock = ClockKind::Virtual;
  Timeouts timeouts = Timeouts::Early;
  MemoryModel memory = MemoryModel::Sc;
  std::uint8_t fair = 1;          // hold back tasks that yield while others wait
  std::uint8_t slow_threads = 0;  // at a clock read: may time pass first, as if the thread were slow?
  CheckpointChoice checkpoints = CheckpointChoice::Auto;
  ThreadPointerChoice thread_pointers = ThreadPointerChoice::Auto;
  std::uint8_t perform_effects = 0;    // snapshot isolation: go on at effects that it can't undo
  std::uint8_t watch_effects = 0;      // fork isolation: watch for effects that it can't undo
  std::uint64_t memory_bytes = 0;      // snapshot isolation: the most that saved pages may take; 0 = no limit
  std::uint32_t spurious_wakeups = 0;  // how many one execution may have
  std::uint32_t max_stale = 0;         // how many reads of old values
  std::uint32_t max_steps = 0;
  std::uint32_t processors = 0;      // what the program is to see; 0 = what there are
  std::uint32_t own_processors = 0;  // those that the driver may use: what the program would see by itself
  std::int32_t pin_to_cpu = -1;      // the CPU the worker runs on; -1 = not pinned
  Nanoseconds realtime_start = 0;    // virtual CLOCK_REALTIME when the program starts
  Nanoseconds monotonic_start = 0;
  // The file (a memfd) that the program has as descriptors 1 and 2, emptied before each execution: known by its
  // identity, since the program may have put something else there. Inode 0 = the output is not captured.
  std::uint64_t output_device = 0;
  std::uint64_t output_inode = 0;
  MonitorSet monitors = 0;       // who watches executions
  bool note_blocks = false;      // where blocks of the heap are allocated and freed
  std::uint8_t follow_fork = 0;  // a child that is forked before the first thread may be what is explored
  std::int32_t started_by = 0;   // only the process that this one has started is explored; 0 = whichever comes first
  Fill fill = Fill::Left;
  std::uint8_t patch = 0;          // atomic instructions of code that is not instrumented become scheduling points
  std::uint8_t line_buffered = 0;  // make stdout line buffered, so that a crash loses no finished line
  std::uint8_t debugger = 0;       // a debugger has started the program: there is no driver, records are for nobody
  std::uint64_t input_seed = 0;    // for the random numbers that the program gets from the system
  char target[kPathCapacity] =
      {};  // --target: file name of the program to control; empty = the first that creates a thread
  char start_at[kPathCapacity] =
      {};  // --start-at: name of the function at which branching begins; empty = first thread creation
  std::uint64_t start_at_offset = 0;  // its offset in the main program's file image (link-time address); 0 = none
};

// How far the target is; the driver's launch and watchdog read it.
enum class WorkerState : std::uint32_t {
  Launched,    // no process has taken control yet
  Controlled,  // a process has: `controller` is its id
  Branching,   // it stands at the branching point and takes plans
};

// Why the target could not be controlled; the driver turns it into a message.
enum class LaunchProblem : std::uint32_t { None, VersionMismatch, StartNotReached };

struct Status {
  std::atomic<WorkerState> state{WorkerState::Launched};
  std::atomic<LaunchProblem> problem{LaunchProblem::None};
  std::atomic<std::uint32_t> runtime_version{0};  // kProtocolVersion as libheddle.so was built with
  std::atomic<std::int32_t> controller{0};        // process id of the target (zygote)
  std::atomic<std::int32_t> executing{0};         // process id that runs the current execution; 0 = none
  std::atomic<std::uint32_t> running_task{0};     // task that runs now
  std::atomic<std::uint64_t> heartbeat{0};        // grows at every clock read
  std::atomic<std::uint64_t> drafted{0};  // where the next record goes; from the ring's `written` on not yet published
  std::atomic<std::uint64_t> sum{0};      // of the records of the current execution (checksum.h)
  std::atomic<std::uint64_t> executions{0};  // begun by this worker
  std::atomic<std::uint32_t> tasks{0};       // of the current execution; whoever reaps it copies these three into End
  std::atomic<std::uint32_t> preemptions{0};
  std::atomic<Nanoseconds> virtual_time{0};
  std::atomic<std::uint32_t> tasks_needed{0};  // the most that any execution created, beyond the first
  // Stacks larger than the default that executions wanted, in their order; how often that changed (large_stacks.h).
  std::atomic<std::uint32_t> large_stacks{0}, large_stack_changes{0};
  std::atomic<std::uint64_t> large_stack_bytes[kMaxLargeStacks] = {};
  std::atomic<std::uint32_t> preloaded_processes{0};    // processes that loaded libheddle.so
  std::atomic<std::uint32_t> threads_uncontrolled{0};   // thread creations in processes that are not controlled
  std::atomic<EffectLevel> effects{EffectLevel::None};  // the gravest that was seen in any execution
  std::atomic<std::uint32_t> random_drawn{0};           // 1: random numbers of the system were drawn
  std::atomic<std::uint32_t> clock_read{0};             // ClockUse: how, while there were several threads
  std::atomic<std::uint32_t> end_seen{0};               // 1: the runtime saw the current execution go to its exit
  std::atomic<std::uint32_t> left_control{0};           // 1: some ended with a status, and the runtime did not see it
  std::atomic<std::uint32_t> processes_started{0};      // 1: the program forked child processes
  std::atomic<std::uint32_t> instrumented{0};           // modules of the program that were built with heddle-cc
  // Config::patch: instructions that change memory in one piece, and fences; those that were left as they are.
  std::atomic<std::uint32_t> atomics_found{0}, atomics_left{0};
  std::atomic<std::uint32_t> outside_effects{0};  // 1: files or network ports were touched: run one worker only
  std::atomic<std::uint32_t> output_wanted{1};    // by the driver: also that of executions that end well
  // Snapshot isolation, for profiles and tests.
  std::atomic<std::uint64_t> dirty_pages{0};            // pages that are copied back after an execution
  std::atomic<std::uint64_t> checkpoints{0};            // taken
  std::atomic<std::uint64_t> thread_pointer_faults{0};  // it was restored (runtime/state/thread_pointer.h)
  std::atomic<std::uint32_t> switches_by_call{0};       // 1: to switch between threads takes a system call
  std::atomic<std::uint32_t> old_values_missed{0};      // 1: of weak memory, for want of room
  std::atomic<MonitorSet> monitors_missing{0};          // asked for, and in some execution they could not take part
  // What Heddle's own code in the target has found not to hold (HEDDLE_ASSERT); valid once `assertion_failed` is 1. The
  // process ends itself, and with it the zygote.
  std::atomic<std::uint32_t> assertion_failed{0};
  char failed_assertion[kReasonCapacity] = {};
};

// A loaded file, so that code addresses can be given as (file, offset). Never changed but for the mark.
struct Module {
  std::uint64_t base = 0;                      // load bias: address minus link-time address
  std::uint64_t begin = 0;                     // lowest and
  std::uint64_t end = 0;                       // one past the highest address
  std::atomic<std::uint32_t> instrumented{0};  // 1: it was built with heddle-cc
  std::uint32_t reserved = 0;
  char path[kPathCapacity] = {};
};

// Whoever appends one makes it there: what follows the last is memory that nobody has touched, since most of it
// never will be, and every page touched costs a page fault at each start.
struct Modules {
  Modules() {}  // leaves `modules` as it is
  std::atomic<std::uint32_t> count{0};
  std::atomic<std::uint32_t> at_start{0};  // the first so many were loaded when executions began
  union {
    Module modules[kMaxModules];
  };
};

// The program's own process and those that it forked, as far as they keep the model: the time in each of them
// (runtime/world/relatives.h).
struct Relatives {
  static constexpr std::uint32_t kMax = 64;
  static constexpr std::int32_t kFree = 0, kExpected = -1;  // Relative::process
  struct Relative {
    std::atomic<std::int32_t> process{kFree};
    std::atomic<std::uint32_t> rests{0};     // 1: it goes on when it is `until`, or when another does something
    std::atomic<std::uint32_t> answered{0};  // the last question behind which it has looked and found nothing
    std::atomic<Nanoseconds> now{0}, until{0};
  };
  std::atomic<std::uint32_t> question{0};  // grows when one begins to rest: what it did may let others go on
  std::atomic<Nanoseconds> time{0};        // of the latest timeout in any of them
  Relative all[kMax];
};

// What children that the program has forked report. Their operations are not recorded: the ring has one
// writer.
struct ChildNews {
  enum : std::uint32_t { kNothing, kBeingWritten, kWritten };
  struct Item {
    std::atomic<std::uint32_t> state{kNothing};
    OperationKind operation = OperationKind::None;
    Site site = 0;
  };
  static constexpr std::uint32_t kMaxHung = 64;
  Item hung;      // the first that waits for what none of its own tasks can bring: it stands still for ever
  Item threaded;  // the first that creates a thread
  Item misused;   // the first that does what pthreads does not allow
  std::atomic<std::uint32_t> hung_count{0};
  std::atomic<std::int32_t> hung_processes[kMaxHung] = {};  // the last so many
  // Counts what they and their parent do to objects that they share; who waits for such an object sleeps on it.
  std::atomic<std::uint32_t> shared_object_changes{0};
};

// The two growing cursors of a ring; see Shared::plan_slot() and record(). The slots stand apart from them in the
// region: the cursors share a page with Status, since every page that an execution touches costs a page fault after
// fork().
template <typename Slot, std::uint32_t kSlots>
struct Ring {
  static_assert(sizeof(Slot) == 32 && (kSlots & (kSlots - 1)) == 0);
  static constexpr std::uint32_t slots = kSlots;
  alignas(64) std::atomic<std::uint64_t> written{0};
  alignas(64) std::atomic<std::uint64_t> read{0};
  alignas(64) std::atomic<std::uint32_t> reader_sleeping{0};
  alignas(64) std::atomic<std::uint32_t> writer_sleeping{0};
};

struct alignas(32) PlanSlot {
  std::uint8_t bytes[32];
};

// Between the process that runs executions on a snapshot and its zygote: the next plan is to be run by the zygote.
enum class PlanLent : std::uint32_t { No, Offered, Taken };

// What the present execution has printed and is not in the file yet.
struct HeldOutput {
  static constexpr std::uint32_t kCapacity = 16384;
  std::uint32_t size = 0;
  char text[kCapacity];  // its first `size` bytes
};

struct Shared {
  std::uint64_t magic = kProtocolMagic;
  std::uint32_t version = kProtocolVersion;
  std::uint32_t size_mib = 0;
  Config config;
  alignas(4096) Status status;
  // The target's own: kept here since they must survive the process that runs executions, and be written without a
  // page fault.
  std::uint32_t unannounced = 0;    // executions ended since the driver was last woken
  std::uint32_t present_slots = 0;  // of the plan that is being run; it begins at the plan ring's `read`
  std::atomic<PlanLent> lent{PlanLent::No};
  // Why the target went from snapshots to fork isolation by itself; valid once `fallback` is 1.
  std::atomic<std::uint32_t> fallback{0};
  char fallback_reason[kReasonCapacity] = {};
  ChildNews child_news;
  Relatives relatives;
  PointSet points;
  SpinSet spins;
  ChangedOrders changed_orders;
  Ring<PlanSlot, kPlanSlots> plans;
  Ring<Record, kExecutionSlots> executions;
  alignas(4096) Record execution_slots[kExecutionSlots];
  alignas(4096) PlanSlot plan_slots[kPlanSlots];
  Modules modules;
  HeldOutput held_output;
  DebuggerState debugger;

  PlanSlot& plan_slot(std::uint64_t cursor) { return plan_slots[cursor & (kPlanSlots - 1)]; }
  Record& record(std::uint64_t cursor) { return execution_slots[cursor & (kExecutionSlots - 1)]; }
};

}  // namespace heddle
