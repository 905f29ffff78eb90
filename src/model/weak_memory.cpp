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

std::uint32_t oldest(const WeakMemory& memory, const MemoryRules& rules, TaskId task, const AtomicLocation& location,
                     AtomicOrder order) {
  return rules.oldest(memory, task, location, is_sequential(order));
}

// Visits the places before later stores at which a new one may stand, from the newest on.
template <typename Visit>
void for_each_earlier_place(const AtomicLocation& location, std::uint32_t oldest, Visit visit) {
  for (std::uint32_t at = location.count - 1u; at > oldest; --at)
    if (!location.stores[at].update && !visit(at)) return;
}

}  // namespace

bool StoreReaders::make(Reserve reserve) {
  all_ = static_cast<Reader*>(reserve(sizeof(Reader) * kReaders));
  return all_ != nullptr;
}

void StoreReaders::note(AtomicStoreEvent& store, TaskId task, Epoch epoch, bool old) {
  for (std::uint32_t i = store.readers; i != 0; i = all_[i].next) {
    if (all_[i].task != task) continue;
    all_[i].times_old = static_cast<std::uint16_t>(all_[i].times_old + (old ? 1 : 0));
    return;
  }
  if (is_full()) return;
  all_[++used_] = {store.readers, epoch, task, static_cast<std::uint16_t>(old ? 1 : 0)};
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
  const bool room = memory->locations_ != nullptr && memory->used_ != nullptr && memory->readers_.make(reserve) &&
                    memory->seen_.make(reserve);
  return room ? memory : nullptr;
}

void WeakMemory::begin_execution() {
  locations_used_ = 0;
  counts_ = {};
  readers_.begin_execution();
  seen_.begin_execution(clocks_.base() + 1);
  missed_ = {};
}

AtomicLocation* WeakMemory::find(std::uint64_t address, bool add) {
  const Epoch base = clocks_.base() + 1;
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
  return &location;
}

// Only the present value is known, and everybody reads it. What the stores before it have published counts for it, too.
void WeakMemory::restart(AtomicLocation& location, const AtomicUse& use) {
  pass_on(location, use.address);
  location.size = use.size;
  location.count = 1;
  location.stores[0] = {};
  copy(location.stores[0].value, use.present);
}

void WeakMemory::pass_on(const AtomicLocation& from, std::uint64_t to) {
  if (from.count == 0) return;
  const AtomicStoreEvent& newest = from.stores[from.count - 1];
  const ClockKey key = newest.number != 0 ? key_of_store(newest.number) : key_of_address(from.address);
  if (key != key_of_address(to)) clocks_.inherit(key_of_address(to), key);
}

// Has an atomic access been made to some of these bytes, and to others, too? What it has published goes on. Accesses
// are aligned.
bool WeakMemory::overlaps_another(const AtomicUse& use) {
  bool found = false;
  const auto look_at = [&](std::uint64_t address, unsigned least) {
    const AtomicLocation* const other = find(address, false);
    if (other == nullptr || other->count == 0 || other->size < least) return;
    pass_on(*other, use.address);
    found = true;
  };
  for (unsigned size = use.size * 2u; size <= kLargest; size *= 2)
    if (const std::uint64_t around = use.address & ~std::uint64_t{size - 1}; around != use.address)
      look_at(around, size);
  for (unsigned within = 1; within < use.size; ++within) look_at(use.address + within, 1);
  return found;
}

// Null: there is no room for it, and the newest value is the only one.
AtomicLocation* WeakMemory::location_of(AtomicUse& use) {
  use.look(use);
  AtomicLocation* const location = find(use.address, true);
  use.unknown = location == nullptr;
  missed_.locations = missed_.locations || use.unknown;
  if (use.unknown) return nullptr;
  const bool mixed = (location->count != 0 && location->size != use.size) || overlaps_another(use);
  missed_.sizes = missed_.sizes || mixed;
  // Another value than the newest: somebody has written there in a way that is not seen.
  const bool known =
      !mixed && location->count != 0 && equal(location->stores[location->count - 1].value, use.present, use.size);
  if (!known) restart(*location, use);
  return location;
}

// Visits, from the newest on, the stores that a load, or a compare-exchange that fails, may read instead of the newest.
template <typename Visit>
void WeakMemory::for_each_older(TaskId task, const AtomicLocation& location, const AtomicUse& use, Visit visit) const {
  const bool exchange = use.kind == AtomicUse::Kind::CompareExchange;
  const std::uint32_t last = oldest(*this, *rules_, task, location, exchange ? use.failure_order : use.order);
  for (std::uint32_t i = location.count - 1u; i-- > last;) {
    const AtomicStoreEvent& store = location.stores[i];
    if (exchange && equal(store.value, use.expected, use.size)) continue;
    if (readers_.times_old(store, task) < kTimesOld && !visit(i)) return;
  }
}

std::uint16_t WeakMemory::variants(TaskId task, AtomicUse& use) {
  missed_.locations = missed_.locations || readers_.is_full();
  if (use.kind == AtomicUse::Kind::Update || clocks_.exhausted() || readers_.is_full()) return 1;
  if (use.kind != AtomicUse::Kind::Load && !rules_->reorders) return 1;
  const AtomicLocation* const location = location_of(use);
  if (location == nullptr) return 1;
  std::uint16_t count = 1;
  const auto visit = [&](std::uint32_t) { return ++count, true; };
  if (use.kind == AtomicUse::Kind::Store)
    for_each_earlier_place(*location, oldest(*this, *rules_, task, *location, use.order), visit);
  else
    for_each_older(task, *location, use, visit);
  return count;
}

void WeakMemory::load(TaskId task, AtomicUse& use, Variant variant) {
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
  readers_.note(store, task, clocks_.epoch(task), old);
  rules_->on_read(*this, task, store);
  if (use.kind == AtomicUse::Kind::CompareExchange) rules_->on_failed_exchange(*this, task);
}

// One that somebody could still read is missed from now on.
void WeakMemory::evict(AtomicLocation& location, std::uint32_t tasks) {
  const AtomicStoreEvent& next = location.stores[1];
  for (std::uint32_t id = 0; id < tasks && !missed_.stores; ++id)
    missed_.stores = next.number != 0 && !clocks_.knows(static_cast<TaskId>(id), next.task, next.epoch);
  for (std::uint32_t i = 1; i < location.count; ++i) location.stores[i - 1] = location.stores[i];
  --location.count;
}

void WeakMemory::insert(TaskId task, AtomicLocation& location, AtomicUse& use, std::uint32_t at,
                        const std::uint64_t (&value)[2]) {
  if (location.count == AtomicLocation::kStores) {
    evict(location, use.tasks);
    --at;
  }
  for (std::uint32_t i = location.count++; i > at; --i) location.stores[i] = location.stores[i - 1];
  AtomicStoreEvent& store = location.stores[at];
  store = {};
  copy(store.value, value);
  store.number = use.written = ++counts_.stores;
  store.fences = counts_.fences;
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
  use.unknown = location == nullptr;
  missed_.locations = missed_.locations || use.unknown;
  if (use.unknown) return;
  const bool known = location->count != 0 && location->size == use.size &&
                     equal(location->stores[location->count - 1].value, use.found, use.size);
  if (!known) restart(*location, use);
  AtomicStoreEvent& before = location->stores[location->count - 1];
  use.read = before.number;
  readers_.note(before, task, clocks_.epoch(task), false);
  rules_->on_read(*this, task, before);
  insert(task, *location, use, location->count, value);
}

void WeakMemory::order(TaskId task, const AtomicUse& use) {
  const bool reads = use.kind != AtomicUse::Kind::Store;
  const bool failed = use.kind == AtomicUse::Kind::CompareExchange && use.written == 0;
  const AtomicOrder order = failed ? use.failure_order : use.order;
  // By the store that was read; and by the address, where other things than stores publish (the guards of local
  // statics, annotations), and what stores have published that are forgotten.
  for (const ClockKey from : {key_of_store(use.read), key_of_address(use.address)})
    if (reads) acquires(order) ? clocks_.acquire(task, from) : clocks_.acquire_at_fence(task, from);
  if (use.written == 0) return;
  const ClockKey key = key_of_store(use.written);
  // An update belongs to the release sequence of what it has read.
  if (reads) clocks_.inherit(key, use.read != 0 ? key_of_store(use.read) : key_of_address(use.address));
  if (releases(order))
    clocks_.release(task, key);
  else
    clocks_.release_at_fence(task, key);
}

void WeakMemory::sequential_fence(TaskId task) {
  clocks_.acquire_fence(task);
  ++counts_.fences;
  clocks_.sequential_fence(task, counts_.fences);
  clocks_.release_fence(task);
  rules_->on_drain(*this, task);
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
