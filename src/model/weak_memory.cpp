// See weak_memory.h.
#include "model/weak_memory.h"

#include <initializer_list>
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

// --- the order of the operations with memory_order_seq_cst

// Visits those that have made the store, or read it.
template <typename Visit>
void for_each_in_order(const WeakState& memory, const AtomicStoreEvent& store, Visit visit) {
  if (store.in_order != 0) visit(store.task, store.in_order);
  memory.readers.for_each_in_order(store, visit);
}

void add_all(const WeakState& memory, SequentialOrder::Past& past, const AtomicStoreEvent& store) {
  for_each_in_order(memory, store,
                    [&](TaskId task, SequentialOrder::Number number) { memory.sequential.add(past, task, number); });
}

// What is coherence-ordered before a load of the store at `index`, or before a store directly behind it.
SequentialOrder::Past past_at(const WeakState& memory, TaskId task, const AtomicLocation& location, std::uint32_t index,
                              bool stores) {
  SequentialOrder::Past past = memory.sequential.past_of(task, memory.clocks);
  memory.sequential.add(past, location.forgotten);
  for (std::uint32_t i = 0; i < index + (stores ? 1 : 0); ++i) add_all(memory, past, location.stores[i]);
  const AtomicStoreEvent& at = location.stores[index];
  if (at.in_order != 0) memory.sequential.add(past, at.task, at.in_order);
  return past;
}

SequentialOrder::Future future_at(const WeakState& memory, const AtomicLocation& location, std::uint32_t index) {
  SequentialOrder::Future future;
  for (std::uint32_t i = index + 1; i < location.count; ++i)
    for_each_in_order(memory, location.stores[i],
                      [&](TaskId task, SequentialOrder::Number number) { SequentialOrder::add(future, task, number); });
  return future;
}

bool follows_order(const MemoryRules& rules, AtomicOrder order) { return rules.reorders && is_sequential(order); }

SequentialOrder::Number note_in_order(WeakState& memory, TaskId task, const AtomicLocation& location,
                                      std::uint32_t index, bool stores) {
  return memory.sequential.note(task, memory.clocks.epoch(task), past_at(memory, task, location, index, stores),
                                future_at(memory, location, index));
}

// Visits the places before later stores at which a new one may stand, from the newest on.
template <typename Visit>
void for_each_earlier_place(const AtomicLocation& location, std::uint32_t oldest, Visit visit) {
  for (std::uint32_t at = location.count - 1u; at > oldest; --at)
    if (!location.stores[at].update && !visit(at)) return;
}

}  // namespace

bool may_stand_at(const WeakState& memory, TaskId task, const AtomicLocation& location, std::uint32_t index,
                  bool stores) {
  SequentialOrder::Past past = past_at(memory, task, location, index, stores);
  return memory.sequential.may_precede(past, future_at(memory, location, index));
}

bool StoreReaders::make(Reserve reserve) {
  all_ = static_cast<Reader*>(reserve(sizeof(Reader) * kReaders));
  return all_ != nullptr;
}

void StoreReaders::note(AtomicStoreEvent& store, TaskId task, Epoch epoch, const Read& read) {
  for (std::uint32_t i = store.readers; i != 0; i = all_[i].next) {
    if (all_[i].task != task) continue;
    Reader& reader = all_[i];
    reader.times_old = static_cast<std::uint16_t>(reader.times_old + (read.old ? 1 : 0));
    if (read.in_order != 0 && reader.first_in_order == 0) {
      reader.first_in_order = read.in_order;
      reader.fences = read.fences;
    }
    if (read.in_order != 0) reader.last_in_order = read.in_order;
    return;
  }
  if (is_full()) return;
  all_[++used_] = {store.readers, epoch,         task,       static_cast<std::uint16_t>(read.old ? 1 : 0),
                   read.in_order, read.in_order, read.fences};
  store.readers = used_;
}

std::uint16_t StoreReaders::times_old(const AtomicStoreEvent& store, TaskId task) const {
  for (std::uint32_t i = store.readers; i != 0; i = all_[i].next)
    if (all_[i].task == task) return all_[i].times_old;
  return 0;
}

bool SeenStores::make(Reserve reserve) {
  all_ = static_cast<Seen*>(reserve(sizeof(Seen) * kMaxTasks));
  return all_ != nullptr;
}

WeakMemory* WeakMemory::create(Reserve reserve, VectorClocks& clocks, MemoryModel model) {
  void* const place = reserve(sizeof(WeakMemory));
  if (place == nullptr) return nullptr;
  auto* const memory = new (place) WeakMemory(clocks);
  memory->rules_ = model == MemoryModel::Tso ? &kTsoRules : &kRc11Rules;
  memory->locations_ = static_cast<AtomicLocation*>(reserve(sizeof(AtomicLocation) * kLocations));
  memory->used_ = static_cast<std::uint32_t*>(reserve(sizeof(std::uint32_t) * kLocations));
  const bool room = memory->locations_ != nullptr && memory->used_ != nullptr && memory->state_.readers.make(reserve) &&
                    memory->state_.seen.make(reserve) && memory->state_.sequential.make(reserve);
  return room ? memory : nullptr;
}

void WeakMemory::begin_execution() {
  locations_used_ = 0;
  state_.counts = {};
  state_.readers.begin_execution();
  state_.seen.begin_execution(state_.clocks.base() + 1);
  state_.sequential.begin_execution();
  missed_ = {};
}

WeakMemory::Missed WeakMemory::missed() const {
  Missed result = missed_;
  result.operations = state_.sequential.is_full();
  return result;
}

AtomicLocation* WeakMemory::find(std::uint64_t address, bool add) {
  const Epoch base = state_.clocks.base() + 1;
  std::uint32_t index = static_cast<std::uint32_t>((address * kGoldenRatio) >> 48) & (kLocations - 1);
  // Those of earlier executions are free: none of the present one lies behind a free one.
  for (; locations_[index].base == base; index = (index + 1) & (kLocations - 1))
    if (locations_[index].address == address) return &locations_[index];
  if (!add || locations_used_ == kLocations / 4 * 3) return nullptr;
  used_[locations_used_++] = index;
  AtomicLocation& location = locations_[index];
  location.address = address;
  location.base = base;
  location.size = location.count = 0;
  location.evicted = false;
  location.forgotten = {};
  return &location;
}

// Only the present value is known, and everybody reads it. What the stores before it have published counts for it, too.
void WeakMemory::restart(AtomicLocation& location, const AtomicUse& use) {
  pass_on(location, use.address);
  for (std::uint32_t i = 0; i < location.count; ++i) add_all(state_, location.forgotten, location.stores[i]);
  location.size = use.size;
  location.count = 1;
  location.evicted = false;
  location.stores[0] = {};
  copy(location.stores[0].value, use.present);
}

void WeakMemory::pass_on(const AtomicLocation& from, std::uint64_t to) {
  if (from.count == 0) return;
  const AtomicStoreEvent& newest = from.stores[from.count - 1];
  const ClockKey key = newest.number != 0 ? key_of_store(newest.number) : key_of_address(from.address);
  if (key != key_of_address(to)) state_.clocks.inherit(key_of_address(to), key);
}

// Has an atomic access been made to some of these bytes, and to others, too? What it has published goes on, and it
// keeps its place in the order of operations with memory_order_seq_cst. Accesses are aligned.
bool WeakMemory::overlaps_another(const AtomicUse& use, AtomicLocation& location) {
  bool found = false;
  const auto look_at = [&](std::uint64_t address, unsigned least) {
    const AtomicLocation* const other = find(address, false);
    if (other == nullptr || other->count == 0 || other->size < least) return;
    pass_on(*other, use.address);
    state_.sequential.add(location.forgotten, other->forgotten);
    for (std::uint32_t i = 0; i < other->count; ++i) add_all(state_, location.forgotten, other->stores[i]);
    found = true;
  };
  for (unsigned size = use.size * 2u; size <= kLargest; size *= 2)
    if (const std::uint64_t around = use.address & ~std::uint64_t{size - 1}; around != use.address)
      look_at(around, size);
  for (unsigned within = 1; within < use.size; ++within) look_at(use.address + within, 1);
  return found;
}

// By what `use` has looked up. Null: there is no room for it, and the newest value is the only one.
AtomicLocation* WeakMemory::location_of(AtomicUse& use) {
  AtomicLocation* const location = find(use.address, true);
  use.unknown = location == nullptr;
  missed_.locations = missed_.locations || use.unknown;
  if (use.unknown) state_.sequential.give_up();
  if (use.unknown) return nullptr;
  const bool mixed = (location->count != 0 && location->size != use.size) || overlaps_another(use, *location);
  missed_.sizes = missed_.sizes || mixed;
  // Another value than the newest: somebody has written there in a way that is not seen.
  const bool known =
      !mixed && location->count != 0 && equal(location->stores[location->count - 1].value, use.present, use.size);
  if (!known) restart(*location, use);
  return location;
}

// The oldest store that the task may read, or place its own behind.
std::uint32_t WeakMemory::oldest(TaskId task, const AtomicLocation& location, const AtomicUse& use) {
  for (std::uint32_t i = location.count - 1u; i > 0; --i)
    if (rules_->bars(state_, task, location, i, use)) return i;
  missed_.stores = missed_.stores || (location.evicted && !rules_->bars(state_, task, location, 0, use));
  return 0;
}

// Visits, from the newest on, the stores that a load, or a compare-exchange that fails, may read instead of the newest.
template <typename Visit>
void WeakMemory::for_each_older(TaskId task, const AtomicLocation& location, const AtomicUse& use, Visit visit) {
  const bool exchange = use.kind == AtomicUse::Kind::CompareExchange;
  const std::uint32_t last = oldest(task, location, use);
  for (std::uint32_t i = location.count - 1u; i-- > last;) {
    const AtomicStoreEvent& store = location.stores[i];
    if (exchange && equal(store.value, use.expected, use.size)) continue;
    if (state_.readers.times_old(store, task) < kMostOldReads && !visit(i)) return;
  }
}

std::uint16_t WeakMemory::variants(TaskId task, AtomicUse& use) {
  missed_.locations = missed_.locations || state_.readers.is_full();
  if (use.newest_only || use.kind == AtomicUse::Kind::Update || state_.clocks.exhausted() || state_.readers.is_full())
    return 1;
  if (use.kind != AtomicUse::Kind::Load && !rules_->reorders) return 1;
  use.look(use);
  const AtomicLocation* const location = location_of(use);
  if (location == nullptr) return 1;
  std::uint16_t count = 1;
  const auto visit = [&](std::uint32_t) { return ++count, true; };
  if (use.kind == AtomicUse::Kind::Store)
    for_each_earlier_place(*location, oldest(task, *location, use), visit);
  else
    for_each_older(task, *location, use, visit);
  return count;
}

void WeakMemory::load(TaskId task, AtomicUse& use, Variant variant) {
  use.look(use);
  AtomicLocation* const location = location_of(use);
  copy(use.found, use.present);
  if (location == nullptr) return;
  std::uint32_t chosen = location->count - 1u;
  const bool old = variant != 0;
  if (old)
    for_each_older(task, *location, use, [&](std::uint32_t i) {
      chosen = i;
      return --variant != 0;
    });
  AtomicStoreEvent& store = location->stores[chosen];
  copy(use.found, store.value);
  use.read = store.number;
  SequentialOrder::Number in_order = 0;
  if (follows_order(*rules_, use.choosing_order())) in_order = note_in_order(state_, task, *location, chosen, false);
  state_.readers.note(store, task, state_.clocks.epoch(task), {old, in_order, state_.counts.fences});
  rules_->on_read(state_, task, store);
  if (use.kind == AtomicUse::Kind::CompareExchange) rules_->on_failed_exchange(state_, task);
}

void WeakMemory::evict(AtomicLocation& location) {
  add_all(state_, location.forgotten, location.stores[0]);
  for (std::uint32_t i = 1; i < location.count; ++i) location.stores[i - 1] = location.stores[i];
  --location.count;
  location.evicted = true;
}

void WeakMemory::insert(TaskId task, AtomicLocation& location, AtomicUse& use, std::uint32_t at,
                        const std::uint64_t (&value)[2]) {
  SequentialOrder::Number in_order = 0;
  if (follows_order(*rules_, use.order)) in_order = note_in_order(state_, task, location, at - 1, true);
  if (location.count == AtomicLocation::kStores) {
    evict(location);
    --at;
  }
  for (std::uint32_t i = location.count++; i > at; --i) location.stores[i] = location.stores[i - 1];
  AtomicStoreEvent& store = location.stores[at];
  store = {};
  copy(store.value, value);
  store.number = use.written = ++state_.counts.stores;
  store.fences = state_.counts.fences;
  store.epoch = state_.clocks.epoch(task);
  store.task = task;
  store.in_order = in_order;
  store.sequential = is_sequential(use.order);
  store.update = use.kind == AtomicUse::Kind::Update || use.kind == AtomicUse::Kind::CompareExchange;
  rules_->on_write(state_, task, use);
}

void WeakMemory::store(TaskId task, AtomicUse& use, Variant variant) {
  use.look(use);
  AtomicLocation* const location = location_of(use);
  if (location == nullptr) return;
  std::uint32_t at = location->count;
  if (variant != 0)
    for_each_earlier_place(*location, oldest(task, *location, use), [&](std::uint32_t place) {
      at = place;
      return --variant != 0;
    });
  insert(task, *location, use, at, use.operand);
}

void WeakMemory::update(TaskId task, AtomicUse& use, const std::uint64_t (&value)[2]) {
  copy(use.present, use.found);  // as it was before
  AtomicLocation* const location = location_of(use);
  if (location == nullptr) return;
  AtomicStoreEvent& before = location->stores[location->count - 1];
  use.read = before.number;
  // As a store it is in the order of operations with memory_order_seq_cst.
  state_.readers.note(before, task, state_.clocks.epoch(task), {});
  rules_->on_read(state_, task, before);
  insert(task, *location, use, location->count, value);
}

void WeakMemory::order(TaskId task, const AtomicUse& use) {
  const bool reads = use.kind != AtomicUse::Kind::Store;
  const bool failed = use.kind == AtomicUse::Kind::CompareExchange && use.written == 0;
  const AtomicOrder order = failed ? use.failure_order : use.order;
  // By the store that was read; and by the address, where other things than stores publish (the guards of local
  // statics, annotations), and what stores have published that are forgotten.
  for (const ClockKey from : {key_of_store(use.read), key_of_address(use.address)})
    if (reads) acquires(order) ? state_.clocks.acquire(task, from) : state_.clocks.acquire_at_fence(task, from);
  if (use.written == 0) return;
  const ClockKey key = key_of_store(use.written);
  // An update belongs to the release sequence of what it has read.
  if (reads) state_.clocks.inherit(key, use.read != 0 ? key_of_store(use.read) : key_of_address(use.address));
  if (releases(order))
    state_.clocks.release(task, key);
  else
    state_.clocks.release_at_fence(task, key);
}

void WeakMemory::sequential_fence(TaskId task) {
  state_.clocks.acquire_fence(task);
  ++state_.counts.fences;
  state_.clocks.sequential_fence(task, state_.counts.fences);
  state_.sequential.fence();
  state_.clocks.release_fence(task);
  rules_->on_drain(state_, task);
}

void WeakMemory::forget(std::uint64_t address, std::uint64_t size) {
  if (size > locations_used_) {
    for (std::uint32_t i = 0; i < locations_used_; ++i)
      if (AtomicLocation& location = locations_[used_[i]]; location.address - address < size) location.count = 0;
    return;
  }
  for (std::uint64_t at = address; at < address + size; ++at)
    if (AtomicLocation* const location = find(at, false); location != nullptr) location->count = 0;
}

}  // namespace heddle::model
