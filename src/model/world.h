// The model: every task and synchronization object of the program as pure state. No threads, no system calls, no clock
// of its own, no allocation after create(): the same choices always give the same states. The runtime drives it with
// the program's calls; unit tests and property tests drive it with none.
//
// The cycle: publish() says what a task is about to do; decide() says who may go on and what is the default; step()
// lets the chosen task's pending operation take effect. A step either completes the task's call (the program returns
// from it) or leaves it with another pending operation (a condition wait has been enqueued).
//
// To add a kind of object: a state struct here, a file with its three functions (enabled, variants, apply) and a line
// in the table of cycle.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/fairness.h"
#include "model/table.h"
#include "protocol/operations.h"
#include "protocol/records.h"

namespace heddle::model {

inline constexpr std::uint32_t kMaxObjects = 1u << 22;

// What another task's step can ask of a task: Task::interrupts (asked, and not held off by the task itself) and
// Operation::interruptible (what may end the pending operation).
struct Interrupt {
  enum : std::uint8_t {
    Signal = 1,       // a signal that the task does not block; interruptible: the wait may end with EINTR
    Cancel = 2,       // cancellation, enabled; interruptible: the call is a cancellation point
    AsyncCancel = 4,  // cancellation that any operation follows
    Restart = 8,      // interruptible only: SA_RESTART makes the call again
    Begun = 16,       // interruptible only: no signal comes before the call (its mask came into force with the wait)
  };
};

// How a task's last call went on after an interrupt. The runtime reads it after each call that took the long way.
enum class Interruption : std::uint8_t {
  None,
  Again,      // handlers are to run, then the operation that is still in `pending` is to be published again
  Ended,      // handlers are to run, then the call returns EINTR (or is made again, where SA_RESTART says so)
  Cancelled,  // the task is to unwind
};

// A task's own attitude to cancellation.
struct Cancellation {
  enum : std::uint8_t { Asked = 1, Disabled = 2, Asynchronous = 4, Followed = 8 };
};

inline constexpr std::uint64_t signal_bit(int signal) { return std::uint64_t{1} << (signal - 1); }

// An access to the program's memory that is an operation. Only the runtime knows how it is made: it does so when the
// operation takes effect, and says what came of it.
struct MemoryAccess {
  void (*perform)(MemoryAccess& access) = nullptr;
  bool wrote = false;      // is it a write, for what depends on it?
  bool changed = false;    // is there now another value than before?
  std::int32_t value = 0;  // what is there now, as far as it can be shown
};

// Descriptors that are being closed. Only the runtime knows who stands at a call on one of them, and whether that call
// has looked it up: in how many ways that can be, at this moment.
struct Closing {
  std::uint16_t (*ways)(const Closing& closing) = nullptr;
};

// What a task is about to do.
struct Operation {
  OperationKind kind = OperationKind::None;
  std::uint8_t interruptible = 0;  // bits of Interrupt
  union {
    std::uint8_t signal = 0;  // SignalSend, TimerExpire: its number
    std::uint8_t offset;      // of operations on memory: where in its piece the access begins
  };
  // TimerExpire: only when its time is over, never early nor because all others wait. If it comes once: also where the
  // next wait that time could end would end later.
  bool patient = false;
  ObjectId object = kNoObject;
  ObjectId object2 = kNoObject;  // the mutex of a condition wait; the condition of a reacquire
  bool one_shot = false;         // TimerExpire: it does not come again. No wait that ends later can end before it.
  Nanoseconds deadline = kNoDeadline;  // virtual time at which the wait may end by itself
  // Of futexes: see futex.cpp; of memory: see spinning.h; WriteLock: queued; SignalWait: set; SignalSuspend: mask;
  // Choose: of how many; else 0.
  std::uint64_t argument = 0;
  union {
    std::uint32_t* word = nullptr;  // of futexes: the program's word
    MemoryAccess* access;           // of operations on memory
    const Closing* closing;         // DescriptorControl: what it closes
  };
  // FutexWait, FutexRequeue: what the word must still hold; other futexes: see futex.cpp.
  // ConditionRejoin, BarrierRejoin: the object's round when the wait was interrupted.
  std::uint32_t expected = 0;
  std::int32_t result = 0;  // MutexReacquire: what the condition wait will return (0, ETIMEDOUT, ECANCELED)
  Site site = 0;
};

// What a step did.
struct Effect {
  std::int32_t result = 0;       // what the call returns: 0, an errno value, or a count
  bool completes = true;         // false: the task's pending operation became another; its call goes on
  bool wrote = true;             // the object changed
  bool released = false;         // later operations on the object happen after this one
  bool timed_out = false;        // the wait ended because its time was over
  const char* misuse = nullptr;  // what pthreads does not allow; the world is unchanged then
};

// A queue of tasks, linked through Task::queue_next/queue_previous. A task is in at most one.
struct TaskQueue {
  TaskId first = kNoTask;
  TaskId last = kNoTask;
  std::uint16_t count = 0;
};

enum class MutexType : std::uint8_t { Normal, Recursive, ErrorCheck };

struct MutexState {
  MutexType type = MutexType::Normal;
  bool robust = false;
  bool owner_died = false;       // the next owner gets EOWNERDEAD
  bool inconsistent = false;     // locked with EOWNERDEAD and not yet made consistent
  bool not_recoverable = false;  // unlocked while inconsistent: ENOTRECOVERABLE for ever
  std::uint16_t ceiling = 0;     // for the runtime: of PTHREAD_PRIO_PROTECT; else 0
  TaskId owner = kNoTask;
  std::uint32_t depth = 0;  // of a recursive mutex
  Site taken_at = 0;
};

struct ConditionState {
  TaskQueue waiters;           // in the order of arrival
  ObjectId mutex = kNoObject;  // what the present waiters used
  std::uint32_t round = 0;     // grows with each signal and broadcast
};

struct RwLockState {
  TaskId writer = kNoTask;
  std::uint16_t readers = 0;
  bool prefer_writer = false;  // PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP: readers wait behind a waiting writer
  TaskId last_reader = kNoTask;
  Site taken_at = 0;
};

struct SemaphoreState {
  std::uint32_t value = 0;
};

struct BarrierState {
  std::uint32_t threshold = 0;
  std::uint32_t arrived = 0;
  std::uint32_t leaving = 0;      // released and not yet gone; the barrier may be destroyed only at 0
  std::uint32_t round = 0;        // grows with each round that ends
  std::uint32_t interrupted = 0;  // arrived in this round, and in a signal handler now
  TaskQueue waiters;
};

struct SpinLockState {
  TaskId owner = kNoTask;
  Site taken_at = 0;
};

struct OnceState {
  TaskId runner = kNoTask;
  bool done = false;
  Site taken_at = 0;
};

struct FutexState {
  TaskQueue waiters;
  TaskId owner = kNoTask;  // by FutexLock
  Site taken_at = 0;
};

struct MemoryState {
  std::uint32_t changes = 0;
};

struct ThreadState {
  TaskId task = kNoTask;
  TaskId joiner = kNoTask;  // who waits to join it
  bool ended = false;
  bool detached = false;
  bool joined = false;
};

struct Object {
  ObjectKind kind = ObjectKind::None;
  bool destroyed = false;
  bool recorded = false;  // for the runtime: the present execution's record has it
  TaskId creator = 0;
  std::uint32_t sequence = 0;  // how many objects of its kind came before it
  std::uint64_t address = 0;
  Site created_at = 0;
  TaskId pending_first = kNoTask;  // tasks whose pending operation names this object (as `object`), linked through Task
  union {
    MutexState mutex;
    ConditionState condition;
    RwLockState rwlock;
    SemaphoreState semaphore;
    BarrierState barrier;
    SpinLockState spinlock;
    OnceState once;
    FutexState futex;
    MemoryState memory;
    ThreadState thread;
  };
  Object() : thread() {}
};

struct ReadHistory;

struct Task {
  Operation pending;
  std::int32_t result = 0;  // of its last completed call
  Variant variant = 0;      // alternative taken at its last step
  TaskId parent = kNoTask;
  ObjectId thread = kNoObject;    // its object of kind Thread
  std::uint16_t robust_held = 0;  // how many robust mutexes it holds
  bool ended = false;
  bool published = false;     // `pending` is valid
  bool yielded = false;       // its last step was a sleep or a timeout: a switch away costs nothing
  bool signalled = false;     // ConditionWake, FutexWoken, FutexLocked, BarrierLeave: has been released by another task
  std::uint8_t state = 0;     // TaskState as of the last evaluation
  std::uint8_t reported = 0;  // TaskState as last taken by take_change()
  std::uint8_t interrupts = 0;  // bits of Interrupt
  std::uint8_t cancellation = 0;
  Interruption interruption = Interruption::None;
  bool in_changed = false;  // queued for take_change()
  TaskId changed_next = kNoTask;
  TaskId pending_next = kNoTask, pending_previous = kNoTask;  // Object::pending_first
  TaskId queue_next = kNoTask, queue_previous = kNoTask;      // the TaskQueue it is in
  TaskId timed_next = kNoTask, timed_previous = kNoTask;      // tasks with a deadline
  ReadHistory* reads = nullptr;  // since it last changed something; made at its first read of memory
  bool spins = false;            // its pending read counts as a yield
  bool timed = false;
  bool timer = false;  // has no stack, takes no signals, and nobody waits for its end
  std::uint64_t blocked_signals = 0;
  std::uint64_t arrived_signals = 0;  // for this task, not yet taken
};

// Operation::argument of an operation that waits for the world outside, which has not come to it yet.
inline constexpr std::uint64_t kNotReady = 1;

struct Limits {
  bool fair = true;                    // hold back tasks that yield while others wait (fairness.h)
  bool early_timeouts = true;          // may a timeout fire while another task is enabled?
  std::uint32_t spurious_wakeups = 0;  // how many
};

// Who may take the next step, and what happens by default.
struct Decision {
  enum class Status : std::uint8_t { Go, Deadlock };
  Status status = Status::Go;
  bool switch_costs = false;     // choosing another task than `last` costs one preemption
  bool nothing_enabled = false;  // only timeouts can go on
  bool yielded = false;          // `last` is at a yield, or just slept or timed out
  TaskId last = 0;               // who ran last
  Choice choice;                 // the default
  std::uint16_t eligible = 0;    // how many tasks are
};

class World {
 public:
  // Starts with one task, number 0.
  static World* create(Allocate allocate, const Limits& limits);

  // --- tasks and objects
  TaskId add_task(TaskId parent, std::uint64_t address, Site created_at);  // kNoTask when there are kMaxTasks
  // A task that is a timer; its operations are published by whoever sets it.
  TaskId add_timer(TaskId creator, Site created_at);
  ObjectId add_object(ObjectKind kind, TaskId creator, std::uint64_t address, Site created_at);
  std::uint32_t live_tasks() const { return live_count_; }  // that have not ended
  std::uint32_t task_count() const { return task_count_; }
  std::uint32_t object_count() const { return object_count_; }  // ids are 1 to object_count()
  Task& task(TaskId id) { return tasks_[id]; }
  const Task& task(TaskId id) const { return tasks_[id]; }
  Object& object(ObjectId id) { return objects_[id]; }
  const Object& object(ObjectId id) const { return objects_[id]; }

  // --- the cycle
  void publish(TaskId id, const Operation& operation);
  // The same in two halves, without a copy of the operation, which costs more than all the rest of publishing: the
  // operation to be filled in, as Operation() makes it; and its publication.
  Operation& draft(TaskId id);
  void publish_draft(TaskId id);
  const Decision& decide();           // valid until the next call
  bool allowed(Choice choice) const;  // may `choice` be made now?
  // What lets a task go on now that waits with a deadline: a timeout, where that alone does.
  Choice going_on(TaskId id) const;
  // Whether what the pending operation of `id` waits for outside has come: only the runtime can ask the kernel.
  void set_ready(TaskId id, bool ready);
  Nanoseconds earliest_deadline() const;  // of all pending operations; kNoDeadline: there is none
  std::uint32_t cost(const Decision& decision, Choice choice) const;  // preemptions: 0 or 1
  std::uint16_t variants(TaskId id) const;                            // ordinary alternatives of its pending operation
  Effect step(Choice choice);
  // The fast way (runtime/schedule/fast_step.h). Is it the default choice that the drafted operation of `id` takes
  // effect, and can it without a second stage? Then count_step() and step_at_once() do what publish_draft(), decide()
  // and step() would do, with the same changes. Not for the end of a thread, which may be the end of the process. A
  // misuse takes no effect there, is not counted, and leaves the operation drafted.
  bool goes_at_once(TaskId id) const;
  Effect step_at_once(TaskId id);
  std::uint16_t variants_of_draft(TaskId id) const;
  // For the commonest operations, which are not even drafted: where nothing but the operation itself says whether it
  // takes effect, count_step(), let it, then end_step_at_once().
  bool goes_on_at_once(const Task& task, TaskId id) const {
    constexpr std::uint8_t kGo = TaskState::Enabled | TaskState::Eligible;
    return calm_ && id == last_ran_ && task.state == kGo && task.interrupts == 0;
  }
  std::uint16_t eligible_count() const { return static_cast<std::uint16_t>(eligible_count_); }
  void count_step() { ++steps_; }
  [[gnu::always_inline]] void end_step_at_once(Task& task, TaskId id, const Object& object) {
    if (__builtin_expect(object.pending_first != kNoTask, 0) && object.kind != ObjectKind::Memory)
      reevaluate_others(id, object);
    end_step_at_once(task, id);
  }
  // Of a step that changes nothing which others may wait for.
  [[gnu::always_inline]] void end_step_at_once(Task& task, TaskId id) {
    task.variant = 0;
    // Not written where it is so already: the next step reads it together with its neighbours, and would wait for it.
    if (task.yielded) task.yielded = false;
    fairness_.on_step(id, steps_, words_in_use());
  }
  // In a child process that the program forked: only `survivor` goes on, and steps are no longer counted.
  void abandon_others(TaskId survivor);
  // From now on steps are counted and fairness is kept; before, steps only take effect.
  void begin_branching();

  // --- virtual time, in nanoseconds since the program began
  Nanoseconds now() const { return now_; }
  void advance_clock(Nanoseconds to);  // ignored when not later than now()

  // --- what changed
  // Takes the next task whose TaskState differs from what was last taken; false when there is none.
  bool take_change(TaskId& id, std::uint8_t& state);
  bool may_have_changes() const { return changed_first_ != kNoTask; }
  std::uint32_t steps() const { return steps_; }
  std::uint32_t preemptions() const { return preemptions_; }
  TaskId last_ran() const { return last_ran_; }
  // How many steps had been taken when the task had taken its last one, and when it last became enabled.
  std::uint32_t last_step_of(TaskId id) const { return fairness_.last_step_of(id); }
  std::uint32_t enabled_since(TaskId id) const { return fairness_.enabled_since(id); }
  // Who keeps `object` from being taken (an owner, the thread to be joined), and where it was taken; kNoTask if nobody
  // does.
  TaskId holder(ObjectId object, Site* since) const;

  // Have all other tasks ended and been joined? Then nothing that the only one does can come before what they did.
  bool others_are_over() const { return live_count_ == 1 && joined_count_ + 1 == task_count_; }
  void on_joined() { ++joined_count_; }

  // --- tasks that read in a loop; see spinning.h
  ReadHistory* new_history();
  // Something was changed that tasks may wait for.
  void reevaluate_spinning();

  // --- interrupts: what other tasks ask of a task. See interrupts.cpp.
  void interrupt(TaskId id, std::uint8_t bits);
  void clear_interrupt(TaskId id, std::uint8_t bits);
  // Will the next step of the task be one that follows an interrupt, instead of its pending operation?
  bool interrupted(const Task& task) const { return task.interrupts != 0 && task.published && follows_interrupt(task); }
  // What the record says instead of the pending operation then: SignalArrive or CancelArrive.
  OperationKind interrupting_kind(const Task& task) const;
  // How the last call of the task was interrupted; asked once.
  Interruption take_interruption(TaskId id) {
    const Interruption how = tasks_[id].interruption;
    tasks_[id].interruption = Interruption::None;
    return how;
  }
  // Sets the bits of Cancellation in `set`, clears those in `clear`.
  void change_cancellation(TaskId id, std::uint8_t set, std::uint8_t clear);
  // A signal for a task, or for the process (kNoTask), waits to be taken; it has been.
  void signal_arrives(TaskId owner, int signal);
  void signal_taken(TaskId owner, int signal);
  void block_signals(TaskId id, std::uint64_t mask);
  // What waits to be taken for the task or for the process.
  std::uint64_t arrived_signals(TaskId id) const { return tasks_[id].arrived_signals | process_signals_; }
  std::uint64_t process_signals() const { return process_signals_; }
  std::uint64_t deliverable_signals(TaskId id) const { return arrived_signals(id) & ~tasks_[id].blocked_signals; }
  bool awaits(TaskId id, int signal) const;  // does it stand in a SignalWait for it?
  // The n-th of the tasks that would take such a signal of the process now; kNoTask when there are fewer.
  TaskId taker(int signal, std::uint32_t index) const;

  // --- for the objects' own files
  // Replaces the pending operation of a task that is released or goes on to a second stage; reevaluates it.
  void set_pending(TaskId id, const Operation& operation);
  void push(TaskQueue& queue, TaskId id);
  void remove(TaskQueue& queue, TaskId id);
  TaskId nth(const TaskQueue& queue, std::uint32_t index) const;
  // How many tasks wait for a lock of FUTEX_LOCK_PI.
  std::uint32_t lock_waits() const { return lock_waits_; }
  void count_lock_wait(int change) { lock_waits_ += static_cast<std::uint32_t>(change); }
  // Looks anew at every task whose pending operation names `object`. step() does so for the operation's own two
  // objects.
  void reevaluate_object(ObjectId object);
  bool is_enabled(const Task& task) const;  // can its pending operation take effect?

 private:
  World() = default;
  // step() of a pending operation with nothing to it but what its object says, with variant 0.
  bool steps_plainly(const Task& task) const { return is_plain(task) && task.published; }
  Effect step_plainly(TaskId id, Task& task);
  Effect take_effect(TaskId id, Variant variant);
  Effect follow_interrupt(TaskId id, Variant variant);
  bool follows_interrupt(const Task& task) const;
  bool may_end_early(const Task& task) const;
  Effect interrupt_object(TaskId id, Interruption how);
  void refresh_signals(TaskId id);
  void settle();
  const Decision& decide_for_none();
  void update_calm();
  bool is_settled() const { return calm_ && enabled_count_ != 0; }
  // Is there nothing to a task's pending operation but what its object says: no deadline, no interrupt, no second
  // object?
  bool is_plain(const Task& task) const {
    return is_settled() && task.interrupts == 0 && task.pending.deadline == kNoDeadline &&
           task.pending.object2 == kNoObject;
  }
  void publish_any(Task& task, TaskId id);
  void show(TaskId id);
  void withdraw(Task& task, TaskId id);
  void link_pending(TaskId id) { link_pending(tasks_[id], id); }
  void unlink_pending(TaskId id) { unlink_pending(tasks_[id]); }
  void link_pending(Task& task, TaskId id);
  void unlink_pending(Task& task);
  void link_timed(TaskId id);
  void unlink_timed(TaskId id);
  void reevaluate(TaskId id) { reevaluate(tasks_[id], id); }
  void reevaluate(Task& task, TaskId id);
  void reevaluate_pending(const Object& object);
  void reevaluate_others(TaskId id, const Object& object);
  void reevaluate_timed();
  bool behind_timer(const Operation& operation) const;
  bool may_time_out(const Operation& operation) const;
  void count_one_shot(const Operation& operation, int change);
  void reevaluate_all();
  std::uint8_t evaluate(const Task& task, TaskId id) const;
  void set_state(TaskId id, std::uint8_t state);
  void set_able(Task& task, TaskId id, bool able);
  void note_change(Task& task, TaskId id);
  bool release_spinning();
  TaskId lowest_eligible() const;
  TaskId earliest_timed() const;
  std::uint32_t words_in_use() const { return task_count_ / 64 + 1; }

  Table<Task> tasks_;
  Table<Object> objects_;
  Allocate allocate_ = nullptr;
  TaskSet* enabled_ = nullptr;
  TaskSet* eligible_ = nullptr;
  Fairness fairness_;
  Limits limits_;
  Decision decision_;
  std::uint32_t kind_counts_[16] = {};
  std::uint32_t task_count_ = 0;
  std::uint32_t live_count_ = 0;
  std::uint32_t object_count_ = 0;
  std::uint32_t enabled_count_ = 0;
  std::uint32_t eligible_count_ = 0;
  std::uint32_t steps_ = 0;
  std::uint32_t preemptions_ = 0;
  std::uint32_t spurious_used_ = 0;
  std::uint32_t lock_waits_ = 0;
  std::uint32_t one_shot_timers_ = 0;  // that are set
  TaskId last_ran_ = 0;
  TaskId stepping_ = kNoTask;
  TaskId changed_first_ = kNoTask;
  TaskId timed_first_ = kNoTask;
  std::uint32_t joined_count_ = 0;
  bool spinning_ = false;  // some task may wait in a loop of reads
  bool branching_ = false;
  bool calm_ = false;           // nothing but the operations themselves says who may go on; see update_calm()
  bool had_edges_ = false;      // at the last decision
  bool only_timeouts_ = false;  // nothing is enabled; the Timeout and Earliest bits are set accordingly
  Nanoseconds now_ = 0;
  std::uint64_t process_signals_ = 0;  // for the process, not yet taken by any of its tasks
};

// What each kind of object says of a task's pending operation. Defined in the object's own file.
struct ObjectModel {
  // Can it take effect now? Time-outs are not its business: World looks at the deadline.
  bool (*enabled)(const World& world, const Task& task);
  // Ordinary alternatives it opens; at least 1.
  std::uint16_t (*variants)(const World& world, const Task& task);
  // Lets it take effect. `variant` is an ordinary alternative, kTimeout (the deadline has been reached; also passed
  // when a task whose deadline is over is scheduled without being enabled otherwise) or kSpurious.
  Effect (*apply)(World& world, TaskId id, Variant variant);
  // May it end spuriously (if the budget allows)?
  bool (*may_be_spurious)(const Task& task);
  // Takes a task whose wait is interrupted out of the object's queues; `pending` may become what is to be published
  // when the handlers have run. May lead to a second stage (`completes` false). Null: there is nothing to do.
  Effect (*interrupt)(World& world, TaskId id, Interruption how) = nullptr;
};

extern const ObjectModel kThreadModel, kMutexModel, kConditionModel, kRwLockModel, kSemaphoreModel, kBarrierModel,
    kSpinLockModel, kOnceModel, kFutexModel, kDescriptorModel, kMemoryModel,
    kPlainModel;  // kPlainModel: operations without an object

}  // namespace heddle::model
