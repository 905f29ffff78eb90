// The memory of x86: total store order (Sewell, Sarkar, Owens, Zappa Nardelli, Myreen: x86-TSO, CACM 2010). There each
// processor has a buffer of its own stores, which others see late.
//
// Where we deviate: it is turned round, as in Abdulla, Atig, Bouajjani, Ngo: The Benefits of Duality in Verifying
// Concurrent Programs under TSO (CONCUR 2016), which allows the same executions. A store takes effect at once, and
// each task sees the stores of the others late: all up to some number, in their order, and its own. So an old value is
// a choice of the load. Atomic operations only: volatile and plain accesses read the newest value.
#include "model/weak_memory.h"

namespace heddle::model {
namespace {

bool bars(const WeakState& memory, TaskId task, const AtomicLocation& location, std::uint32_t index, const AtomicUse&) {
  const AtomicStoreEvent& store = location.stores[index];
  return store.number == 0 || store.task == task || store.number <= memory.seen.by(task);
}

// Its own it may have read before the others see them.
void on_read(WeakState& memory, TaskId task, const AtomicStoreEvent& store) {
  if (store.task != task) memory.seen.note(task, store.number);
}

void on_drain(WeakState& memory, TaskId task) { memory.seen.note(task, memory.counts.stores); }

// Locked instructions: updates, and stores of memory_order_seq_cst.
void on_write(WeakState& memory, TaskId task, const AtomicUse& use) {
  if (use.kind != AtomicUse::Kind::Store || use.order == AtomicOrder::SequentiallyConsistent) on_drain(memory, task);
}

}  // namespace

const MemoryRules kTsoRules = {bars, false, on_read, on_write, on_drain, on_drain};

}  // namespace heddle::model
