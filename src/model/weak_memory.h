// Memory in which a load may read an old value. Each atomic location keeps its last stores in modification order; a
// memory model (MemoryRules) says how old a store a task may still read. Which one it reads is a choice, an ordinary
// alternative of the operation: alternative 0 reads the newest, and is what happens without this.
//
// What is in the program's memory is always the newest store in modification order.
//
// What happens before what is known from the race detector's vector clocks. Each store publishes in a place of its own
// there, since who reads an old store learns only what that one has published.
//
// An operation goes in two parts. The first belongs to the step: which store is read, where in modification order the
// new one stands. The second, order(), is what it tells the task and what it publishes; the runtime calls it when the
// task goes on, after the race detector has seen the access.
//
// What is done to memory in ways that are not seen (by libc, by plain accesses) shows in its value: then the history
// begins anew, and everybody reads the value that is there. Where that value is the same by chance, the history stays:
// who may rightly look at the variable then comes behind all its stores, and reads the newest.
//
// Like the race detector's, this memory is not restored between executions: begin_execution() forgets all.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "model/sequential_order.h"
#include "model/vector_clocks.h"
#include "protocol/memory_model.h"

namespace heddle::model {

struct AtomicUse {
  enum class Kind : std::uint8_t { Load, Store, Update, CompareExchange };
  // Fetches what memory holds there now into `present`.
  void (*look)(AtomicUse& use) = nullptr;
  std::uint64_t address = 0;
  std::uint8_t size = 0;
  Kind kind = Kind::Load;
  AtomicOrder order = AtomicOrder::Relaxed;
  AtomicOrder failure_order = AtomicOrder::Relaxed;  // of a compare-exchange that fails
  bool newest_only = false;                          // whatever its order says
  std::uint64_t present[2] = {};
  std::uint64_t expected[2] = {};  // CompareExchange
  std::uint64_t operand[2] = {};   // Store
  // What came of it.
  std::uint64_t found[2] = {};  // the value read
  bool unknown = false;         // there is no room for its location: the newest value, and an order as without this
  std::uint32_t read = 0;       // the number of the store read; 0: the first value
  std::uint32_t written = 0;    // the number of its own store; 0: there is none

  // With which it may read an old value, or stand before newer stores.
  AtomicOrder choosing_order() const { return kind == Kind::CompareExchange ? failure_order : order; }
};

// A store. Number 0: the value that was there before anything was seen.
struct AtomicStoreEvent {
  std::uint64_t value[2];
  std::uint32_t number;   // from 1, in the order of execution
  std::uint32_t fences;   // so many sequentially consistent fences came before it
  std::uint32_t readers;  // the first of who has read it; 0: nobody
  Epoch epoch;
  TaskId task;
  SequentialOrder::Number in_order;  // among the operations with memory_order_seq_cst; 0: it is not, or not known
  bool sequential;                   // memory_order_seq_cst
  bool update;  // a read-modify-write: what it has read is directly before it in modification order
};

// An atomic variable: its last stores, in modification order.
struct AtomicLocation {
  static constexpr std::uint32_t kStores = 8;
  std::uint64_t address;
  Epoch base;  // of the execution that it belongs to
  std::uint8_t size;
  std::uint8_t count;
  bool evicted;  // there were older ones
  AtomicStoreEvent stores[kStores];
  SequentialOrder::Past forgotten;  // of stores that are no longer kept, and of who has read them
};

// Who has read which store. Memory for them is never given back within an execution.
class StoreReaders {
 public:
  bool make(Reserve reserve);  // false: there is no address space
  void begin_execution() { used_ = 0; }
  // Is there no room for another one? What is not noted could be read behind.
  bool is_full() const { return used_ + 1 >= kReaders; }
  struct Read {
    bool old = false;
    SequentialOrder::Number in_order = 0;  // among the operations with memory_order_seq_cst; 0: it is not one
    std::uint32_t fences = 0;              // so many fences with that order came before it
  };
  void note(AtomicStoreEvent& store, TaskId task, Epoch epoch, const Read& read);
  // How often the task has read it as an old value.
  std::uint16_t times_old(const AtomicStoreEvent& store, TaskId task) const;
  // Does `knows(task, epoch)` hold for somebody who has read the store?
  template <typename Knows>
  bool any(const AtomicStoreEvent& store, Knows knows) const {
    for (std::uint32_t i = store.readers; i != 0; i = all_[i].next)
      if (knows(all_[i].task, all_[i].epoch)) return true;
    return false;
  }

  // Visits each task's first and last read with memory_order_seq_cst.
  template <typename Visit>
  void for_each_in_order(const AtomicStoreEvent& store, Visit visit) const {
    for (std::uint32_t i = store.readers; i != 0; i = all_[i].next)
      for (const SequentialOrder::Number number : {all_[i].first_in_order, all_[i].last_in_order})
        if (number != 0) visit(all_[i].task, number);
  }
  // Did such a read come before the fence of this number?
  bool any_in_order_before(const AtomicStoreEvent& store, std::uint32_t fence) const {
    for (std::uint32_t i = store.readers; i != 0; i = all_[i].next)
      if (all_[i].first_in_order != 0 && all_[i].fences < fence) return true;
    return false;
  }

 private:
  // The first read by a task says most of what happens before.
  struct Reader {
    std::uint32_t next;
    Epoch epoch;
    TaskId task;
    std::uint16_t times_old;
    SequentialOrder::Number first_in_order, last_in_order;
    std::uint32_t fences;  // before the first of these
  };
  static constexpr std::uint32_t kReaders = 1u << 22;
  Reader* all_ = nullptr;
  std::uint32_t used_ = 0;
};

// For TSO: each task has seen all stores up to a number.
class SeenStores {
 public:
  bool make(Reserve reserve);  // false: there is no address space
  void begin_execution(Epoch base) { base_ = base; }
  std::uint32_t by(TaskId task) const { return all_[task].base == base_ ? all_[task].number : 0; }
  void note(TaskId task, std::uint32_t number) {
    if (by(task) < number) all_[task] = {base_, number};
  }

 private:
  struct Seen {
    Epoch base;
    std::uint32_t number;
  };
  Seen* all_ = nullptr;
  Epoch base_ = 0;
};

// What the rules of a memory model look at.
struct WeakState {
  VectorClocks& clocks;
  struct Counts {
    std::uint32_t stores = 0, fences = 0;  // sequentially consistent ones
  } counts;
  StoreReaders readers;
  SeenStores seen;
  SequentialOrder sequential;
};

// May an operation with memory_order_seq_cst read the store at this index, or (`stores`) stand directly behind it, as
// far as the order of these operations goes?
bool may_stand_at(const WeakState& memory, TaskId task, const AtomicLocation& location, std::uint32_t index,
                  bool stores);

// What a memory model says, and what it wants to hear. One file for each: memory_rc11.cpp, memory_tso.cpp.
struct MemoryRules {
  // Is the store at this index the oldest that the task may read now, or place its own directly behind?
  bool (*bars)(const WeakState& memory, TaskId task, const AtomicLocation& location, std::uint32_t index,
               const AtomicUse& use);
  // May a store come before others that took effect earlier, in modification order? May a compare-exchange fail since
  // it read an old value? Then the order of operations with memory_order_seq_cst is followed.
  bool reorders;
  // The task has read this store, or made one, or come to what drains its processor's buffer.
  void (*on_read)(WeakState& memory, TaskId task, const AtomicStoreEvent& store);
  void (*on_write)(WeakState& memory, TaskId task, const AtomicUse& use);
  void (*on_failed_exchange)(WeakState& memory, TaskId task);
  void (*on_drain)(WeakState& memory, TaskId task);
};
extern const MemoryRules kTsoRules, kRc11Rules;

class WeakMemory {
 public:
  // Null: there is no address space. The clocks outlive it.
  static WeakMemory* create(Reserve reserve, VectorClocks& clocks, MemoryModel model);
  void begin_execution();  // behind the clocks' own

  // In how many ways can the operation take effect now? At least 1. Looks at memory, so a history may begin anew.
  std::uint16_t variants(TaskId task, AtomicUse& use);

  // First part of an operation, in one of those ways. A load or a compare-exchange that fails: fills in `found`.
  void load(TaskId task, AtomicUse& use, Variant variant);
  // With variant 0 the program's memory holds `operand` from now on; with others it stays as it is.
  void store(TaskId task, AtomicUse& use, Variant variant);
  // A read-modify-write that has replaced `found`, the newest value, by `value`.
  void update(TaskId task, AtomicUse& use, const std::uint64_t (&value)[2]);
  // Second part.
  void order(TaskId task, const AtomicUse& use);

  // A fence of memory_order_seq_cst. The others are the clocks' alone.
  void sequential_fence(TaskId task);
  // A step of a library's synchronization, or the like: the processor's buffer is empty behind it.
  void drain(TaskId task) { rules_->on_drain(state_, task); }

  // These bytes begin a new life: a block has been allocated.
  void forget(std::uint64_t address, std::uint64_t size);

  // What an execution had no room for.
  struct Missed {
    bool stores = false;      // one that a task could have read, or stood before, was forgotten
    bool locations = false;   // more variables, or readers, than are kept: those have their newest value only
    bool operations = false;  // with memory_order_seq_cst: later ones stand in the order in which they ran
    bool sizes = false;       // accesses of different sizes to the same bytes read the newest value only
  };
  Missed missed() const;

 private:
  static constexpr std::uint32_t kLocations = 1u << 16;  // a power of two

  explicit WeakMemory(VectorClocks& clocks) : state_{clocks, {}, {}, {}, {}} {}
  AtomicLocation* find(std::uint64_t address, bool add);
  AtomicLocation* location_of(AtomicUse& use);
  bool overlaps_another(const AtomicUse& use, AtomicLocation& location);
  void restart(AtomicLocation& location, const AtomicUse& use);
  void pass_on(const AtomicLocation& from, std::uint64_t to);
  template <typename Visit>
  void for_each_older(TaskId task, const AtomicLocation& location, const AtomicUse& use, Visit visit);
  void insert(TaskId task, AtomicLocation& location, AtomicUse& use, std::uint32_t at, const std::uint64_t (&value)[2]);
  void evict(AtomicLocation& location);
  std::uint32_t oldest(TaskId task, const AtomicLocation& location, const AtomicUse& use);

  WeakState state_;
  const MemoryRules* rules_ = nullptr;
  AtomicLocation* locations_ = nullptr;
  std::uint32_t* used_ = nullptr;  // where in the table those of this execution lie
  std::uint32_t locations_used_ = 0;
  Missed missed_;
};

}  // namespace heddle::model
