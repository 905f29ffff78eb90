// What the target writes about an execution: a stream of 32-byte records in the execution ring.
//
// One execution is: Begin, then per step [Changes…] [Task | Object | Message | Race | Stack …] Step, and at the end
// [Message…] [Pending…] End. Changes stand before the Step at whose decision they held; a reader that keeps the last
// state of every task knows exactly who was enabled at each step. A Task or Object record stands before the first
// record that names its id. The writer publishes each record by moving the ring's cursor, so a process that dies leaves
// its records up to its last step; whoever reaps it adds End.
#pragma once

#include <cstdint>
#include <cstring>

#include "protocol/memory_model.h"
#include "protocol/operations.h"
#include "protocol/time_slice.h"

namespace heddle {

enum class RecordKind : std::uint8_t {
  None,
  Begin,
  Changes,
  Task,
  Object,
  Step,
  Stack,
  Message,
  Pending,
  End,
  Bookmark,
  Race,
};

// One task's state at a scheduling decision, as bits.
struct TaskState {
  enum : std::uint8_t {
    Enabled = 1,    // its pending operation can take effect now
    Eligible = 2,   // enabled, and not held back by fairness
    Timeout = 4,    // its pending operation could end by timeout now (choice kTimeout)
    Spurious = 8,   // it could end spuriously, and the budget allows it (choice kSpurious)
    Ended = 16,     // the task has ended
    Earliest = 32,  // nothing is enabled, and no timeout is due before this one: firing it is free
  };
};

struct StepFlags {
  enum : std::uint8_t {
    SwitchCosts = 1,      // at this decision, choosing another task than the last one that ran costs one preemption
    Preemption = 2,       // the choice made here cost one
    NothingEnabled = 4,   // only timeouts could go on: firing the earliest was free
    Wrote = 8,            // what really happened: the object changed (a failed trylock does not)
    Released = 16,        // later operations on the object happen after this step
    Yielded = 32,         // the last task that ran was at a yield or sleep here: leaving it cost nothing
    Unpreemptible = 128,  // the last task ran in a region in which it is not to be preempted (heddle_atomic_begin)
    Refused = 64,  // pthreads does not allow it: it took no effect, and the execution ended here (EndKind::Misuse)
  };
};

// Memory whose accesses are steps is objects of so many bytes each: accesses that overlap have one in common.
inline constexpr std::uint64_t kMemoryPiece = 8;

// What partial-order reduction wants to know of a step besides; recorded under policies with PolicyTrait::Steps only.
struct StepMarks {
  // In the bits above, of operations on memory and always: where in its object the access begins, and of atomic
  // operations their memory order (order_mark()).
  static constexpr unsigned kOffsetShift = 3, kOrderShift = 6;
  enum : std::uint8_t {
    OpenShared = 1,      // before the step its object could have been taken by a reader
    OpenExclusive = 2,   // before the step it could have been taken: locked, waited for, joined, begun; of a condition
                         // variable: somebody waited
    PrefersWriters = 8,  // a reader-writer lock whose waiting writers keep readers out; not of operations on memory
    Sequential = 4,      // of an atomic operation in weak memory: memory_order_seq_cst, if only where it fails
    Timed = 4,  // of all others: it had a deadline that could have ended it had it been closed: one that is over, or
                // any one where timeouts may fire early
    RunsNothing = 16,  // of a ProcessExit, and under each policy: none of the program's code runs behind it
  };
};

struct alignas(32) Record {
  RecordKind kind;
  std::uint8_t bytes[31];
};

// Starts the execution of one plan. It may go on from a checkpoint: then the records up to the decision of step
// `kept_steps` are those of the execution before it in this ring and are not repeated; of each kind the first so many
// hold here too (of messages, those that came before that decision). Or it may go on from a bookmark: then they are
// those that its Bookmark record told the reader to keep.
struct BeginRecord {
  RecordKind kind = RecordKind::Begin;
  std::uint8_t reserved = 0;
  std::uint16_t kept_tasks = 0;
  std::uint32_t kept_steps = 0;  // 0: nothing is kept, the execution starts from the branching point
  std::uint64_t plan = 0;
  std::uint32_t kept_changes = 0;
  std::uint32_t kept_objects = 0;
  std::uint32_t bookmark = 0;  // 0: none; else its number plus one
  std::uint32_t reserved2 = 0;
};

// At a decision, before anything of it is recorded: the reader keeps what it has read of this execution under a number,
// until another is kept under the same one, since an execution may go on from here that does not follow this one.
inline constexpr unsigned kMaxBookmarks = 32;
struct BookmarkRecord {
  RecordKind kind = RecordKind::Bookmark;
  std::uint8_t reserved = 0;
  std::uint16_t reserved1 = 0;
  std::uint32_t number = 0;
  std::uint64_t reserved3[3] = {};
};

// Tasks that wait for one object mostly become able to go on together, and unable, too. Where many do, each step would
// need an entry for every one of them. So they stand at a *gate*, whose entries say what state all of them have now. A
// task stands there from an entry with kStands, which comes behind one of the gate, to its next entry of any kind.
struct Gate {
  static constexpr TaskId kMark = 0x8000;        // in `task`: the entry is about the gate whose number is the rest
  static constexpr std::uint8_t kStands = 0x80;  // in `state`: the task stands at the gate that was named last
};
constexpr bool names_gate(TaskId task) { return task != kNoTask && (task & Gate::kMark) != 0; }
constexpr bool is_gate(ObjectId object) { return object != kNoObject && object < Gate::kMark - 1u; }

// Up to seven tasks whose TaskState changed since the last decision, or that have yielded since then; or gates.
struct ChangesRecord {
  static constexpr unsigned kCapacity = 7;
  RecordKind kind = RecordKind::Changes;
  std::uint8_t count = 0;
  std::uint16_t reserved = 0;
  struct Change {
    TaskId task;
    std::uint8_t state;
    std::uint8_t yields;  // how often the fair scheduler counted it as yielding since then; at most 255
  } changes[kCapacity] = {};
};

// A task came into being.
struct TaskRecord {
  RecordKind kind = RecordKind::Task;
  std::uint8_t reserved = 0;
  TaskId task = 0;
  TaskId parent = kNoTask;
  TaskId like = kNoTask;        // the first task of the same parent that was started alike (intercept/likeness.h)
  ObjectId object = kNoObject;  // its object of kind Thread
  std::uint32_t reserved3 = 0;
  Site entry = 0;       // the thread's start function
  Site created_at = 0;  // where it was created
};

// Where an object lies, as far as that can be compared with other executions. Recorded under policies
// with PolicyTrait::Steps only.
struct ObjectPlace {
  static constexpr std::uint32_t kUnknown = 0;  // it may be at another address in another execution
  static constexpr std::uint32_t kFixed = 1;    // at this address in every execution that has it
  // Anything else: so it is called in every execution that has it, whatever its address. Such names have this bit.
  static constexpr std::uint32_t kNamed = 1u << 31;
};

// An object was seen for the first time.
struct ObjectRecord {
  RecordKind kind = RecordKind::Object;
  ObjectKind object_kind = ObjectKind::None;
  TaskId task = 0;  // who created it
  ObjectId object = kNoObject;
  std::uint64_t address = 0;
  Site created_at = 0;
  std::uint32_t sequence = 0;  // how many objects of this kind came before it
  std::uint32_t place = ObjectPlace::kUnknown;
};

// One step: `task` took `operation`, alternative `variant` of `variants`.
struct StepRecord {
  RecordKind kind = RecordKind::Step;
  OperationKind operation = OperationKind::None;
  std::uint8_t flags = 0;  // StepFlags
  union {
    std::uint8_t signal = 0;  // SignalSend, SignalArrive: its number
    std::uint8_t marks;       // of all others: StepMarks
  };
  TaskId task = 0;
  Variant variant = 0;
  ObjectId object = kNoObject;
  ObjectId object2 = kNoObject;
  Site site = 0;
  std::int32_t result = 0;     // what the call returns, as far as this step decides it (0, an errno value, a count)
  std::uint16_t variants = 1;  // ordinary alternatives there were, kTimeout and kSpurious not counted
  std::uint16_t eligible = 0;  // how many tasks were eligible
};

// The task was slow: time passed before it read a clock.
inline bool is_slow(const StepRecord& step) {
  return step.operation == OperationKind::ClockRead && step.variant == kTimeout;
}

// The task stopped behind this step.
inline bool stops(const StepRecord& step) { return step.variant == kStop; }
// And goes on from there.
inline bool goes_on_behind_release(const StepRecord& step) {
  return step.operation == OperationKind::Yield && step.result == kStoppedBehind;
}

// A wait ended because its timeout fired here.
inline bool ends_by_timeout(const StepRecord& step) { return step.variant == kTimeout && !is_slow(step); }

// Where in its object an access to memory begins, by the marks of its record; 0 of all other operations.
inline std::uint8_t offset_of(OperationKind operation, std::uint8_t marks) {
  constexpr std::uint8_t kMask = kMemoryPiece - 1;
  return object_kind(operation) == ObjectKind::Memory ? (marks >> StepMarks::kOffsetShift & kMask) : std::uint8_t{0};
}
// A memory order in two bits: as far as it matters for such an operation. Of updates the last one stands for two.
constexpr std::uint8_t order_mark(OperationKind operation, AtomicOrder order) {
  const bool update = operation == OperationKind::AtomicUpdate || operation == OperationKind::AtomicCompareExchange;
  if (update) return static_cast<std::uint8_t>((acquires(order) ? 1 : 0) | (releases(order) ? 2 : 0));
  return order == AtomicOrder::Relaxed ? 0 : order == AtomicOrder::SequentiallyConsistent ? 2 : 1;
}
inline AtomicOrder order_of(OperationKind operation, std::uint8_t marks) {
  constexpr AtomicOrder kLoad[] = {AtomicOrder::Relaxed, AtomicOrder::Acquire, AtomicOrder::SequentiallyConsistent,
                                   AtomicOrder::SequentiallyConsistent};
  constexpr AtomicOrder kStore[] = {AtomicOrder::Relaxed, AtomicOrder::Release, AtomicOrder::SequentiallyConsistent,
                                    AtomicOrder::SequentiallyConsistent};
  constexpr AtomicOrder kUpdate[] = {AtomicOrder::Relaxed, AtomicOrder::Acquire, AtomicOrder::Release,
                                     AtomicOrder::AcquireRelease};
  const unsigned mark = marks >> StepMarks::kOrderShift;
  return operation == OperationKind::AtomicLoad    ? kLoad[mark]
         : operation == OperationKind::AtomicStore ? kStore[mark]
                                                   : kUpdate[mark];
}
inline AtomicOrder order_of(const StepRecord& step) { return order_of(step.operation, step.marks); }
inline std::uint8_t offset_of(const StepRecord& step) { return offset_of(step.operation, step.marks); }

// Call stack of the next Step or Pending, outermost last; several records in a row continue each other. Only when asked
// for.
struct StackRecord {
  static constexpr unsigned kCapacity = 3;
  RecordKind kind = RecordKind::Stack;
  std::uint8_t count = 0;
  TaskId task = 0;
  std::uint32_t reserved = 0;
  Site sites[kCapacity] = {};
};

struct RaceFlags {
  enum : std::uint8_t {
    Write = 1,
    Atomic = 2,
    Later = 4,     // the second of the two accesses
    Benign = 8,    // with Later: the program has said that this race is meant
    Freed = 16,    // with Write: the block was given back, by free(), delete or realloc()
    Used = 32,     // with Atomic: a mutex or the like that lies there was used, in the step before
    Ordered = 64,  // with Later: the earlier one gave the memory back, and something orders the two
    Ended = 128,   // with Freed: the memory is a thread's stack, and the thread has ended
  };
};

// One of two accesses that race. The earlier one comes first, then the later one; each after its call stack, where
// stacks are recorded.
struct RaceRecord {
  RecordKind kind = RecordKind::Race;
  std::uint8_t flags = 0;  // RaceFlags
  TaskId task = 0;
  std::uint32_t size = 0;  // of the part that both touched
  std::uint64_t address = 0;
  Site site = 0;
  std::uint32_t step = 0;    // so many steps came before it
  std::uint32_t module = 0;  // the file that the site was in then, as the how-manieth of Modules, from 1; 0: in none
};

// What a Message record says. The bytes of several records in a row, until one with `last`, make one text.
enum class MessageKind : std::uint8_t {
  None,
  AssertionFailed,  // "expression\0file\0line\0function"
  Misuse,           // a sentence; the Pending of the task follows
  TaskName,         // pthread_setname_np; `task` is the one named
  Divergence,       // why the plan could not be followed
  Note,             // something the user should know (an assumption, a fallback)
  Signal,           // "number\0code\0address\0sender\0cause" of a fatal signal; see SignalText
  Effect,           // what the program did, or was about to do, that this isolation can't undo; a noun phrase
  // Where a race's memory lies: "address site\0block begin size task site…", or "address site\0stack task" and, where
  // it is known, for up to three frames "site stack-pointer frame-pointer", innermost first: the last but one holds the
  // address. The first site is that of the later access.
  MemoryOrigin,
  MemoryName,  // "begin size\0name", in hexadecimal: what the program calls a piece of memory (heddle_name)
  Input,       // "what\0address": the program got something that is not controlled, there; a noun phrase
  // The heap was misused: "address", and of a replay what became of the block there, the latest first, each behind a
  // zero byte: "block begin bytes task steps site…" (allocated then), "freed begin 0 task steps site…".
  HeapFault,
  Memory,     // what the program's variables hold at the end: MemoryRun and its words, again and again
  ToldApart,  // the program got something that differs between `task` and those like it: its number, what it returned
};

// In the text of MessageKind::Memory: so many words of 8 bytes that are not zero, from this address on. The last one
// has none: up to there memory has been looked at.
struct MemoryRun {
  std::uint64_t address = 0;
  std::uint64_t words = 0;
};
// Stands for a word that may rightly differ: an address of a heap, a stack or a mapping, or what looks like one.
constexpr std::uint64_t kSomeAddress = std::uint64_t{0x7000} << 32;

// In the text of MessageKind::Signal; empty: the program itself, or a fault; not known.
struct SignalText {
  static constexpr const char* kOutside = "outside";  // the sender: a process that is no part of the program
  static constexpr const char* kStackOverflow = "stack overflow";  // the cause
};

struct MessageRecord {
  static constexpr unsigned kCapacity = 24;
  RecordKind kind = RecordKind::Message;
  MessageKind message = MessageKind::None;
  std::uint8_t count = 0;  // bytes used
  std::uint8_t last = 0;
  TaskId task = kNoTask;
  std::uint16_t reserved = 0;
  char text[kCapacity] = {};
};

// At the end: what each task that has not ended was about to do.
struct PendingRecord {
  RecordKind kind = RecordKind::Pending;
  OperationKind operation = OperationKind::None;
  std::uint8_t state = 0;  // TaskState
  std::uint8_t marks = 0;  // StepMarks
  TaskId task = 0;
  TaskId held_by = kNoTask;  // who holds the object it waits for
  ObjectId object = kNoObject;
  ObjectId object2 = kNoObject;
  Site site = 0;
  Site held_since = 0;  // where the holder took it
};
inline std::uint8_t offset_of(const PendingRecord& pending) { return offset_of(pending.operation, pending.marks); }

// How an execution ended, as far as whoever writes End can know; the driver's outcome adds what the program printed.
enum class EndKind : std::uint8_t {
  None,
  Exited,     // the process ended; status is what wait() gives
  Deadlock,   // no task can ever go on
  StepLimit,  // --max-steps reached, or the plan's limit of steps or of tasks
  Misuse,     // an operation that pthreads does not allow; a Message says which
  Diverged,   // the plan could not be followed at `step`
  Killed,     // ended from outside (time-out, worker lost); status as from wait(), if any
  Crashed,    // a fatal signal inside the execution; a Message of kind Signal says more
  Effect,    // stopped before an effect that this isolation can't undo (a Message says which): nothing came of the plan
  Asleep,    // PolicyKind::Awake: every choice sleeps, so what would come is equivalent to what has been run; or the
             // next choice planned is a read that waits in a loop, or a call on a descriptor that would block, and what
             // was planned does not exist
  Livelock,  // it has come back to where it was at `loop_from`, and everybody who could had gone on in between
  GoodSamaritan,  // the same, but some task that could go on was never let: who went round does not yield
};

// Does an execution that ends so, with this status as from wait(), show that the program fails?
constexpr bool fails(EndKind kind, std::int32_t status) {
  switch (kind) {
    case EndKind::Exited:
      return status != 0;
    case EndKind::Deadlock:
    case EndKind::Misuse:
    case EndKind::Crashed:
    case EndKind::Livelock:
    case EndKind::GoodSamaritan:
      return true;
    default:
      return false;
  }
}

struct EndRecord {
  RecordKind kind = RecordKind::End;
  EndKind end = EndKind::None;
  TaskId task = kNoTask;  // who was running
  std::int32_t status = 0;
  union {
    std::uint32_t steps = 0;
    std::uint32_t checksum;  // in the ring (checksum.h): there the steps are counted
  };
  std::uint16_t tasks = 0;
  std::uint16_t preemptions = 0;
  Nanoseconds virtual_time = 0;  // passed since branching began
  std::uint32_t loop_from = 0;   // Livelock, GoodSamaritan: at the decision of this step all was as it is now
  // How much of the captured output is this execution's, and what was there before it; what follows may be the next
  // one's. kAllOutput: all that is there, since the process waits until the driver has read it.
  std::uint32_t output_bytes = kAllOutput;
  static constexpr std::uint32_t kAllOutput = 0xffffffff;
};

static_assert(sizeof(BeginRecord) == 32 && sizeof(ChangesRecord) == 32 && sizeof(TaskRecord) == 32);
static_assert(sizeof(ObjectRecord) == 32 && sizeof(StepRecord) == 32 && sizeof(StackRecord) == 32);
static_assert(sizeof(MessageRecord) == 32 && sizeof(PendingRecord) == 32 && sizeof(EndRecord) == 32);
static_assert(sizeof(BookmarkRecord) == 32 && sizeof(RaceRecord) == 32);

}  // namespace heddle
