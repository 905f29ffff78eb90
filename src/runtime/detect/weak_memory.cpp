// See weak_memory.h.
#include "runtime/detect/weak_memory.h"

#include <link.h>

#include <cstring>

#include "runtime/ring/recorder.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/modules.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

using instrument::AtomicAccess;
using instrument::AtomicKind;
using model::AtomicUse;
using model::WeakMemory;

struct PermanentWeakMemory {
  WeakMemory* memory = nullptr;
};
HEDDLE_PERMANENT constinit PermanentWeakMemory permanent_weak_memory{};

void look(AtomicUse& use) { memcpy(use.present, reinterpret_cast<const void*>(use.address), use.size); }

AtomicUse::Kind kind_of(AtomicKind kind) {
  switch (kind) {
    case AtomicKind::Load:
      return AtomicUse::Kind::Load;
    case AtomicKind::Store:
      return AtomicUse::Kind::Store;
    case AtomicKind::Update:
      return AtomicUse::Kind::Update;
    case AtomicKind::CompareExchange:
      return AtomicUse::Kind::CompareExchange;
  }
  return AtomicUse::Kind::Update;
}

struct Changed {
  Site site;
  OrderChange to;
  bool of_failure;
};
// The places that the driver has named. Where several files have one name, each is one in each.
struct PermanentChangedOrders {
  std::uint32_t count = 0;
  Changed places[2 * kMaxChangedOrders] = {};
};
HEDDLE_PERMANENT constinit PermanentChangedOrders permanent_changed_orders{};

void find_changed_in(std::uint64_t file, std::uint64_t base) {
  const ChangedOrders& set = runtime.shared->changed_orders;
  PermanentChangedOrders& found = permanent_changed_orders;
  for (std::uint32_t i = 0; i < set.count && i < kMaxChangedOrders && found.count < 2 * kMaxChangedOrders; ++i)
    if (set.places[i].file == file)
      found.places[found.count++] = {base + set.places[i].offset, set.places[i].to, set.places[i].of_failure != 0};
}

int find_changed_in_file(dl_phdr_info* info, std::size_t, void*) {
  const char* const path = info->dlpi_name[0] != '\0' ? info->dlpi_name : runtime.shared->modules.modules[0].path;
  find_changed_in(file_key(path), info->dlpi_addr);
  return 0;
}

void find_changed_orders() {
  permanent_changed_orders.count = 0;
  if (runtime.shared->changed_orders.count == 0) return;
  find_changed_in(0, 0);
  for_each_loaded_file(find_changed_in_file, nullptr);
}

AtomicOrder one_way(AtomicUse::Kind kind) {
  return kind == AtomicUse::Kind::Load    ? AtomicOrder::Acquire
         : kind == AtomicUse::Kind::Store ? AtomicOrder::Release
                                          : AtomicOrder::AcquireRelease;
}

// The order, or another one where the driver says so.
AtomicOrder changed(AtomicUse::Kind kind, Site site, AtomicOrder order, bool of_failure) {
  for (std::uint32_t i = 0; i < permanent_changed_orders.count; ++i) {
    const Changed& one = permanent_changed_orders.places[i];
    if (one.site != site || one.of_failure != of_failure) continue;
    const bool sequential = order == AtomicOrder::SequentiallyConsistent;
    switch (one.to) {
      case OrderChange::OneWay:
        return sequential ? order : one_way(kind);
      case OrderChange::Sequential:
        return AtomicOrder::SequentiallyConsistent;
      case OrderChange::NotSequential:
        return sequential ? one_way(kind) : order;
      case OrderChange::Relaxed:
        return AtomicOrder::Relaxed;
    }
  }
  return order;
}

// Whoever notifies looks there first, and wakes nobody where the count is 0. That it is not too old is what the
// standard promises of std::atomic::wait; libstdc++ leaves it to the processors, since the waiter's futex is a full
// barrier.
bool counts_waiters(std::uint64_t address) {
  constexpr std::uint64_t kCounts = 16, kBytes = 128;  // of each
  for (const instrument::Module* module = execution_modules.first_instrumented; module != nullptr;
       module = module->next)
    if (address - reinterpret_cast<std::uintptr_t>(module->waiters) < kCounts * kBytes) return true;
  return false;
}

WeakMemory& memory() { return *runtime.world->weak_memory; }

}  // namespace

bool make_weak_memory(model::Reserve reserve, model::VectorClocks& clocks) {
  if (config.memory == MemoryModel::Sc || permanent_weak_memory.memory != nullptr) return true;
  permanent_weak_memory.memory = WeakMemory::create(reserve, clocks, config.memory);
  return permanent_weak_memory.memory != nullptr;
}

void begin_weak_memory() {
  if (permanent_weak_memory.memory != nullptr) permanent_weak_memory.memory->begin_execution();
  runtime.world->weak_memory = permanent_weak_memory.memory;
  find_changed_orders();
}

void end_weak_memory() {
  if (!has_weak_memory()) return;
  const WeakMemory::Missed missed = memory().missed();
  if (missed.stores || missed.locations || missed.operations) runtime.shared->status.old_values_missed.store(1);
  if (missed.locations)
    note("there were more atomic variables in one execution than are kept: the others had their newest value only");
  if (missed.stores)
    note(
        "of an atomic variable only the last 8 stores were kept; older ones that a thread could still have read were "
        "left out");
  if (missed.operations)
    note(
        "there were more memory_order_seq_cst operations, or threads with such, in one execution than are kept: later "
        "ones stand in the order in which they ran");
  if (missed.sizes) note("atomic operations of different sizes on the same bytes read the newest value only");
}

WeakUse::WeakUse(AtomicAccess& access) : access_(access) {
  AtomicUse::look = runtime::look;
  address = reinterpret_cast<std::uintptr_t>(access.address);
  size = access.size;
  kind = access.in_line ? Kind::Update : kind_of(access.kind);  // an instruction reads what is in memory
  const auto site = reinterpret_cast<Site>(access.caller);
  order = changed(kind, site, static_cast<AtomicOrder>(access.order), false);
  failure_order = changed(Kind::Load, site, static_cast<AtomicOrder>(access.failure_order), true);
  newest_only = counts_waiters(address);
  memcpy(expected, access.expected, sizeof expected);
  memcpy(operand, access.operand, sizeof operand);
}

void WeakUse::perform(TaskId task, Variant variant) {
  if (kind == Kind::Store) {
    memory().store(task, *this, variant);
    if (variant == 0) return access_.perform(access_);
    // It stands before what is there: memory stays as it is.
    memcpy(access_.before, present, sizeof present);
    memcpy(access_.after, operand, sizeof operand);
    access_.wrote = true;
    return;
  }
  const bool reads_old = variant != 0;
  if (!reads_old) access_.perform(access_);
  if (!reads_old && access_.wrote) {
    memcpy(found, access_.before, sizeof found);
    return memory().update(task, *this, access_.after);
  }
  memory().load(task, *this, variant);
  if (reads_old) {
    memcpy(access_.before, found, sizeof found);
    access_.wrote = false;
  }
}

}  // namespace heddle::runtime
