// See weak_memory.h.
#include "model/weak_memory.h"

#include <new>

#include "model/task_set.h"
#include "protocol/mix.h"

namespace heddle::model {
namespace {

constexpr std::uint8_t kLargest = 16;  // bytes of an atomic access

// Of a word and another one, the first so many bytes.
bool equal(const std::uint64_t (&one)[2], const std::uint64_t (&other)[2], std::uint8_t size) {
  if (size == kLargest) return one[0] == other[0] && one[1] == other[1];
  const std::uint64_t bits = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
  return ((one[0] ^ other[0]) & bits) == 0;
}

void copy(std::uint64_t (&to)[2], const std::uint64_t (&from)[2]) {
  to[0] = from[0];
  to[1] = from[1];
}

bool is_sequential(AtomicOrder order) { return order == AtomicOrder::SequentiallyConsistent; }

std::uint32_t oldest(const WeakMemory& memory, const MemoryRules& rules, TaskId task, const AtomicLocation& location,
                     AtomicOrder order) {
  return rules.oldest(memory, task, location, is_sequential(order));
}

// Visits, from the newest on, the stores that a load may read instead of the newest.
template <typename Visit>
void for_each_older(const AtomicLocation& location, std::uint32_t oldest, const AtomicUse& use, Visit visit) {
  for (std::uint32_t i = location.count - 1u; i-- > oldest;) {
    const bool fails =
        use.kind != AtomicUse::Kind::CompareExchange || !equal(location.stores[i].value, use.expected, use.size);
    if (fails && !visit(i)) return;
  }
}

// Visits the places before later stores at which a new one may stand, from the newest on.
template <typename Visit>
void for_each_earlier_place(const AtomicLocation& location, std::uint32_t oldest, Visit visit) {
  for (std::uint32_t at = location.count - 1u; at > oldest; --at)
    if (!location.stores[at].update && !visit(at)) return;
}

}  // namespace

WeakMemory* WeakMemory::create(Reserve reserve, VectorClocks& clocks, MemoryModel model) {
  void* const place = reserve(sizeof(WeakMemory));
  if (place == nullptr) return nullptr;
  auto* const memory = new (place) WeakMemory(clocks);
  memory->rules_ = model == MemoryModel::Tso ? &kTsoRules : &kRc11Rules;
  memory->locations_ = static_cast<AtomicLocation*>(reserve(sizeof(AtomicLocation) * kLocations));
  memory->readers_ = static_cast<Reader*>(reserve(sizeof(Reader) * kReaders));
  memory->seen_ = static_cast<std::uint32_t*>(reserve(sizeof(std::uint32_t) * kMaxTasks));
  memory->seen_base_ = static_cast<Epoch*>(reserve(sizeof(Epoch) * kMaxTasks));
  const bool room = memory->locations_ != nullptr && memory->readers_ != nullptr && memory->seen_ != nullptr &&
                    memory->seen_base_ != nullptr;
  return room ? memory : nullptr;
}

void WeakMemory::begin_execution() {
  locations_used_ = readers_used_ = 0;
  stores_ = fences_ = 0;
  forgot_too_early_ = mixed_sizes_ = false;
}

AtomicLocation* WeakMemory::find(std::uint64_t address, bool add) {
  const Epoch base = clocks_.base() + 1;
  std::uint32_t index = static_cast<std::uint32_t>((address * kGoldenRatio) >> 48) & (kLocations - 1);
  // Those of earlier executions are free: none of the present one lies behind a free one.
  for (; locations_[index].base == base; index = (index + 1) & (kLocations - 1))
    if (locations_[index].address == address) return &locations_[index];
  if (!add || locations_used_ == kLocations / 4 * 3) return nullptr;
  ++locations_used_;
  AtomicLocation& location = locations_[index];
  location.address = address;
  location.base = base;
  location.size = location.count = 0;
  return &location;
}

// Only the present value is known, and all come behind it.
void WeakMemory::restart(AtomicLocation& location, const AtomicUse& use) {
  location.size = use.size;
  location.count = 1;
  location.stores[0] = {};
  copy(location.stores[0].value, use.present);
}

// Has an atomic access to more bytes been made, these among them? Accesses are aligned.
bool WeakMemory::overlaps_another(const AtomicUse& use) {
  for (unsigned size = use.size * 2u; size <= kLargest; size *= 2) {
    const AtomicLocation* const around = find(use.address & ~std::uint64_t{size - 1}, false);
    if (around != nullptr && around->size >= size) return true;
  }
  return false;
}

// Null: there is no room for it, and the newest value is the only one.
AtomicLocation* WeakMemory::location_of(AtomicUse& use) {
  use.look(use);
  AtomicLocation* const location = find(use.address, true);
  if (location == nullptr) {
    forgot_too_early_ = true;
    return nullptr;
  }
  const bool mixed = (location->count != 0 && location->size != use.size) || overlaps_another(use);
  mixed_sizes_ = mixed_sizes_ || mixed;
  // Another value than the newest: somebody has written there in a way that is not seen.
  const bool known =
      !mixed && location->count != 0 && equal(location->stores[location->count - 1].value, use.present, use.size);
  if (!known) restart(*location, use);
  return location;
}

std::uint16_t WeakMemory::variants(TaskId task, AtomicUse& use) {
  if (use.kind == AtomicUse::Kind::Update) return 1;
  if (use.kind != AtomicUse::Kind::Load && !rules_->reorders) return 1;
  const AtomicLocation* const location = location_of(use);
  if (location == nullptr) return 1;
  std::uint16_t count = 1;
  const auto visit = [&](std::uint32_t) { return ++count, true; };
  if (use.kind == AtomicUse::Kind::Store)
    for_each_earlier_place(*location, oldest(*this, *rules_, task, *location, use.order), visit);
  else if (use.kind == AtomicUse::Kind::Load)
    for_each_older(*location, oldest(*this, *rules_, task, *location, use.order), use, visit);
  else
    for_each_older(*location, oldest(*this, *rules_, task, *location, use.failure_order), use, visit);
  return count;
}

void WeakMemory::note_reader(TaskId task, AtomicStoreEvent& store) {
  if (store.task == task && store.number != 0) return;
  for (std::uint32_t i = store.readers; i != 0; i = readers_[i].next)
    if (readers_[i].task == task) return;  // its first read says most
  if (readers_used_ + 1 >= kReaders) {
    forgot_too_early_ = true;
    return;
  }
  readers_[++readers_used_] = {store.readers, clocks_.epoch(task), task};
  store.readers = readers_used_;
}

void WeakMemory::load(TaskId task, AtomicUse& use, Variant variant) {
  AtomicLocation* const location = location_of(use);
  copy(use.found, use.present);
  if (location == nullptr) return;
  std::uint32_t chosen = location->count - 1u;
  if (variant != 0) {
    const AtomicOrder order = use.kind == AtomicUse::Kind::Load ? use.order : use.failure_order;
    for_each_older(*location, oldest(*this, *rules_, task, *location, order), use, [&](std::uint32_t i) {
      chosen = i;
      return --variant != 0;
    });
  }
  AtomicStoreEvent& store = location->stores[chosen];
  copy(use.found, store.value);
  use.read = store.number;
  note_reader(task, store);
  rules_->on_read(*this, task, store);
  if (use.kind == AtomicUse::Kind::CompareExchange) rules_->on_failed_exchange(*this, task);
}

// One that somebody could still read is missed from now on.
void WeakMemory::evict(AtomicLocation& location) {
  const AtomicStoreEvent& next = location.stores[1];
  for (std::uint32_t id = 0; id < tasks_ && !forgot_too_early_; ++id)
    forgot_too_early_ = next.number != 0 && !clocks_.knows(static_cast<TaskId>(id), next.task, next.epoch);
  for (std::uint32_t i = 1; i < location.count; ++i) location.stores[i - 1] = location.stores[i];
  --location.count;
}

void WeakMemory::insert(TaskId task, AtomicLocation& location, AtomicUse& use, std::uint32_t at,
                        const std::uint64_t (&value)[2]) {
  if (task >= tasks_) tasks_ = task + 1u;
  if (location.count == AtomicLocation::kStores) {
    evict(location);
    --at;
  }
  for (std::uint32_t i = location.count++; i > at; --i) location.stores[i] = location.stores[i - 1];
  AtomicStoreEvent& store = location.stores[at];
  store = {};
  copy(store.value, value);
  store.number = use.written = ++stores_;
  store.fences = fences_;
  store.epoch = clocks_.epoch(task);
  store.task = task;
  store.sequential = is_sequential(use.order);
  store.update = use.kind == AtomicUse::Kind::Update || use.kind == AtomicUse::Kind::CompareExchange;
  rules_->on_write(*this, task, use);
}

void WeakMemory::store(TaskId task, AtomicUse& use, Variant variant) {
  AtomicLocation* const location = location_of(use);
  if (location == nullptr) return;
  std::uint32_t at = location->count;
  if (variant != 0)
    for_each_earlier_place(*location, oldest(*this, *rules_, task, *location, use.order), [&](std::uint32_t place) {
      at = place;
      return --variant != 0;
    });
  insert(task, *location, use, at, use.operand);
}

void WeakMemory::update(TaskId task, AtomicUse& use, const std::uint64_t (&value)[2]) {
  copy(use.present, use.found);  // as it was before
  AtomicLocation* const location = find(use.address, true);
  if (location == nullptr) {
    forgot_too_early_ = true;
    return;
  }
  const bool known = location->count != 0 && location->size == use.size &&
                     equal(location->stores[location->count - 1].value, use.found, use.size);
  if (!known) restart(*location, use);
  AtomicStoreEvent& before = location->stores[location->count - 1];
  use.read = before.number;
  note_reader(task, before);
  rules_->on_read(*this, task, before);
  insert(task, *location, use, location->count, value);
}

void WeakMemory::order(TaskId task, const AtomicUse& use) {
  const bool reads = use.kind != AtomicUse::Kind::Store;
  const bool failed = use.kind == AtomicUse::Kind::CompareExchange && use.written == 0;
  const AtomicOrder order = failed ? use.failure_order : use.order;
  if (reads && acquires(order)) {
    if (use.read != 0) clocks_.acquire(task, key_of_store(use.read));
    clocks_.acquire(task, key_of_address(use.address));  // what was published there in other ways
  } else if (reads) {
    if (use.read != 0) clocks_.acquire_at_fence(task, key_of_store(use.read));
    clocks_.acquire_at_fence(task, key_of_address(use.address));
  }
  if (use.written == 0) return;
  const ClockKey key = key_of_store(use.written);
  // An update belongs to the release sequence of what it has read.
  if (reads && use.read != 0) clocks_.inherit(key, key_of_store(use.read));
  if (releases(order))
    clocks_.release(task, key);
  else
    clocks_.release_at_fence(task, key);
}

void WeakMemory::sequential_fence(TaskId task) {
  clocks_.acquire_fence(task);
  ++fences_;
  clocks_.sequential_fence(task, fences_);
  clocks_.release_fence(task);
  rules_->on_drain(*this, task);
}

void WeakMemory::note_seen(TaskId task, std::uint32_t number) {
  if (seen_base_[task] == clocks_.base() && seen_[task] >= number) return;
  seen_base_[task] = clocks_.base();
  seen_[task] = number;
}

}  // namespace heddle::model
