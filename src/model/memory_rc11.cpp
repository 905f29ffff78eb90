// The memory of C++: RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11, PLDI
// 2017), as a machine. The oldest store that a load may read is the newest one that coherence, the fences and the order
// of sequentially consistent operations do not let it go behind. The same holds for where a store may stand.
//
// Where we deviate. Sequentially consistent operations and fences take effect in an order that agrees with
// happens-before; RC11 lets them disagree in some programs that access one location with this order and with others. A
// read-modify-write reads the newest store, though one that nobody has updated could be read and followed at its place.
// Load buffering is not in RC11.
#include "model/weak_memory.h"

namespace heddle::model {
namespace {

// Fence number `fence`, or one before it, comes behind the store, or behind a read of it.
bool is_behind(const WeakMemory& memory, const AtomicStoreEvent& store, std::uint32_t fence) {
  const auto knows = [&](TaskId task, Epoch epoch) { return memory.clocks().known_at_fence(fence, task, epoch); };
  return knows(store.task, store.epoch) || memory.readers().any(store, knows);
}

bool comes_before(const WeakMemory& memory, TaskId task, const AtomicStoreEvent& store, bool sequential) {
  const auto knows = [&](TaskId other, Epoch epoch) { return memory.clocks().knows(task, other, epoch); };
  // Coherence: it happens before, or a read of it does.
  if (knows(store.task, store.epoch) || memory.readers().any(store, knows)) return true;
  // The last fence before the operation is behind it, or behind a fence that is; or it is sequentially consistent
  // itself, and older than the fence.
  const std::uint32_t fence = memory.clocks().fence_before(task);
  if (fence != 0 && (is_behind(memory, store, fence) || (store.sequential && store.fences < fence))) return true;
  if (!sequential) return false;
  // A sequentially consistent operation is behind all such stores, and behind what happens before any fence so far.
  return store.sequential || (memory.counts().fences != 0 &&
                              memory.clocks().known_at_fence(memory.counts().fences, store.task, store.epoch));
}

std::uint32_t oldest(const WeakMemory& memory, TaskId task, const AtomicLocation& location, bool sequential) {
  for (std::uint32_t i = location.count - 1u; i > 0; --i)
    if (location.stores[i].number == 0 || comes_before(memory, task, location.stores[i], sequential)) return i;
  return 0;
}

void on_read(WeakMemory&, TaskId, const AtomicStoreEvent&) {}
void on_write(WeakMemory&, TaskId, const AtomicUse&) {}
void on_drain(WeakMemory&, TaskId) {}

}  // namespace

const MemoryRules kRc11Rules = {oldest, true, on_read, on_write, on_drain, on_drain};

}  // namespace heddle::model
