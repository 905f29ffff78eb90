// The memory of C++20, as a machine: RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in
// C/C++11, PLDI 2017) with the order of sequentially consistent operations of C++20. The oldest store that a load may
// read is the newest one that coherence, the fences and the order of sequentially consistent operations do not let it
// go behind. The same holds for where a store may stand.
//
// Where we deviate. The order of sequentially consistent operations and fences is that of sequential_order.h. A
// read-modify-write reads the newest store, though one that nobody has updated could be read and followed at its place.
// Load buffering is not in RC11.
#include "model/weak_memory.h"

namespace heddle::model {
namespace {

// Fence number `fence`, or one before it, comes behind the store, or behind a read of it.
bool is_behind(const WeakState& memory, const AtomicStoreEvent& store, std::uint32_t fence) {
  const auto knows = [&](TaskId task, Epoch epoch) { return memory.clocks.known_at_fence(fence, task, epoch); };
  return knows(store.task, store.epoch) || memory.readers.any(store, knows);
}

bool is_sequential(const AtomicUse& use) { return use.choosing_order() == AtomicOrder::SequentiallyConsistent; }

bool comes_before(const WeakState& memory, TaskId task, const AtomicStoreEvent& store, const AtomicUse& use) {
  const auto knows = [&](TaskId other, Epoch epoch) { return memory.clocks.knows(task, other, epoch); };
  // Coherence: it happens before, or a read of it does.
  if (knows(store.task, store.epoch) || memory.readers.any(store, knows)) return true;
  // The last fence before the operation is behind it, or behind a fence that is; or it, or who has read it, is
  // sequentially consistent and older than the fence.
  const std::uint32_t fence = memory.clocks.fence_before(task);
  if (fence != 0 && (is_behind(memory, store, fence) || (store.sequential && store.fences < fence) ||
                     memory.readers.any_in_order_before(store, fence)))
    return true;
  // A sequentially consistent operation is behind what any fence so far is behind.
  return is_sequential(use) && memory.counts.fences != 0 && is_behind(memory, store, memory.counts.fences);
}

bool bars(const WeakState& memory, TaskId task, const AtomicLocation& location, std::uint32_t index,
          const AtomicUse& use) {
  if (location.stores[index].number == 0 || comes_before(memory, task, location.stores[index], use)) return true;
  return is_sequential(use) && index != 0 &&
         !may_stand_at(memory, task, location, index - 1, use.kind == AtomicUse::Kind::Store);
}

void on_read(WeakState&, TaskId, const AtomicStoreEvent&) {}
void on_write(WeakState&, TaskId, const AtomicUse&) {}
void on_drain(WeakState&, TaskId) {}

}  // namespace

const MemoryRules kRc11Rules = {bars, true, on_read, on_write, on_drain, on_drain};

}  // namespace heddle::model
