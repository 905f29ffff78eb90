// See objects.h.
#include "runtime/state/objects.h"

#include <string.h>

#include "runtime/os/permanent.h"
#include "runtime/os/system_call.h"
#include "runtime/state/address_space.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

HEDDLE_PERMANENT constinit PermanentPoison permanent_poison{};

namespace {

constexpr std::uint32_t kSmallTag = 0x5d;  // in the low byte; the number above it
constexpr unsigned kSmallShift = 8;
static_assert(model::kMaxObjects <= 1u << (32 - kSmallShift));

// Pieces of memory are in the same table as futexes, told apart by a bit that no futex's address has.
constexpr std::uintptr_t kMemoryTag = 1;

// Futexes by address: open addressing, a power of two of entries, never emptied within an execution.
constexpr std::uint32_t kFutexCapacity = 1u << 20;
struct FutexEntry {
  const void* address;
  ObjectId id;
};
static_assert(sizeof(FutexEntry) == kFutexBytes);
struct PermanentFutexes {
  FutexEntry* all = nullptr;
  // Which entries are in use, in the order in which they came, so that a restored snapshot can empty the last of them.
  std::uint32_t* order = nullptr;
  std::uint32_t count = 0;
};
HEDDLE_PERMANENT constinit PermanentFutexes permanent_futexes{};

void reserve_futexes() {
  permanent_futexes.all = static_cast<FutexEntry*>(os::reserve_or_die(sizeof(FutexEntry) * kFutexCapacity));
  permanent_futexes.order = static_cast<std::uint32_t*>(os::reserve_or_die(sizeof(std::uint32_t) * kFutexCapacity));
}

// The entry of this address, or the one where it belongs.
std::uint32_t futex_index(const void* address) {
  auto index = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(address) / 4 * 0x9e3779b1u) % kFutexCapacity;
  while (permanent_futexes.all[index].address != nullptr && permanent_futexes.all[index].address != address)
    index = (index + 1) % kFutexCapacity;
  return index;
}

void put_futex(std::uint32_t index, const FutexEntry& entry) {
  permanent_futexes.all[index] = entry;
  permanent_futexes.order[permanent_futexes.count++] = index;
}

// Where in the heap marks were written: a bit for 256 bytes, shared by those that lie 16 MiB apart. A bit that is set
// says only that somebody is to look; so none is ever cleared, nor undone with the program's memory.
constexpr std::size_t kGranuleBytes = 256, kMarkWords = 1024;
struct PermanentMarks {
  std::uint64_t bits[kMarkWords] = {};
  bool any = false;
};
HEDDLE_PERMANENT constinit PermanentMarks permanent_marks{};

std::uint64_t granule_of(const void* address) { return reinterpret_cast<std::uint64_t>(address) / kGranuleBytes; }
std::size_t word_of(std::uint64_t granule) { return granule / 64 % kMarkWords; }
std::uint64_t bit_of(std::uint64_t granule) { return std::uint64_t{1} << granule % 64; }

// The number in a mark, if the model knows so many objects; else kNoObject.
ObjectId number_at(const void* address) {
  Mark mark;
  memcpy(&mark, address, sizeof mark);
  const bool is_number = mark.mark == Mark::kMark && mark.id <= runtime.world->population().object_count();
  return is_number ? mark.id : kNoObject;
}

}  // namespace

ObjectId add_object(ObjectKind kind, const void* address, Site site) {
  const ObjectId id =
      runtime.world->population().add_object(kind, runtime.current, reinterpret_cast<std::uint64_t>(address), site);
  if (id != kNoObject) return id;
  end_unjudged(runtime.current, "more than 4 million synchronization objects in one execution: the model is full");
}

bool may_hold_objects(const void* begin, std::size_t bytes) {
  if (!permanent_marks.any || bytes == 0) return false;
  const std::uint64_t first = granule_of(begin), last = granule_of(static_cast<const char*>(begin) + bytes - 1);
  for (std::uint64_t granule = first; granule <= last; ++granule)
    if ((permanent_marks.bits[word_of(granule)] & bit_of(granule)) != 0) return true;
  return false;
}

void mark_object(ObjectId id, void* address) {
  if (in_heap(address)) {
    permanent_marks.any = true;
    permanent_marks.bits[word_of(granule_of(address))] |= bit_of(granule_of(address));
  }
  const Mark mark{Mark::kMark, id};
  memcpy(address, &mark, sizeof mark);
}

ObjectId new_object(ObjectKind kind, void* address, Site site) {
  const ObjectId id = add_object(kind, address, site);
  mark_object(id, address);
  return id;
}

namespace {

bool is_freed(ObjectId id, ObjectKind kind, const void* address) {
  const model::Object& object = runtime.world->object(id);
  return object.kind == kind && object.address == reinterpret_cast<std::uint64_t>(address) &&
         object.gone == model::Gone::Freed;
}

// The object whose mark was left in memory that was freed, and that nobody has been given since; else kNoObject.
ObjectId left_in_freed_memory(ObjectKind kind, const void* address) {
  const ObjectId id = number_at(address);
  if (id == kNoObject || !is_freed(id, kind, address)) return kNoObject;
  const model::Object& object = runtime.world->object(id);
  return heap_gives_out(object.address - object.freed_in) ? kNoObject : id;
}

// An object in memory that was freed, whose mark the heap's links lie over by now. One that nobody knew before is known
// from now on, without a mark.
ObjectId under_links_of_heap(ObjectKind kind, const void* address, Site site) {
  for (ObjectId id = runtime.world->population().object_count(); id != kNoObject; --id)
    if (is_freed(id, kind, address)) return id;
  const ObjectId id = add_object(kind, address, site);
  runtime.world->object(id).gone = model::Gone::Freed;
  return id;
}

}  // namespace

void check_poison(const void* address, Site site) {
  if (__builtin_expect(permanent_poison.is_poisoned == nullptr, 1) || permanent_poison.is_poisoned(address) == 0)
    return;
  void* const frame = __builtin_frame_address(0);
  permanent_poison.report(reinterpret_cast<void*>(site), frame, frame, const_cast<void*>(address), 1, sizeof(int));
}

Found find_object(ObjectKind kind, void* address, Site site) {
  check_poison(address, site);
  if (const ObjectId id = marked_object(kind, address); id != kNoObject) return {id, false};
  if (const ObjectId id = left_in_freed_memory(kind, address); id != kNoObject) return {id, false};
  if (heap_has_links_at(address)) return {under_links_of_heap(kind, address, site), false};
  return {new_object(kind, address, site), true};
}

ObjectId object_marked_at(const void* address) {
  const ObjectId id = number_at(address);
  if (id == kNoObject) return kNoObject;
  const model::Object& object = runtime.world->object(id);
  return object.address == reinterpret_cast<std::uint64_t>(address) && !object.is_gone() ? id : kNoObject;
}

bool is_marked(ObjectId id, const void* address) {
  Mark mark;
  memcpy(&mark, address, sizeof mark);
  return mark.mark == Mark::kMark && mark.id == id;
}

bool is_mark(const void* address) {
  Mark mark;
  memcpy(&mark, address, sizeof mark);
  return mark.mark == Mark::kMark;
}

ObjectId small_object_marked(std::uint32_t word) {
  return (word & ((1u << kSmallShift) - 1)) == kSmallTag ? word >> kSmallShift : kNoObject;
}

void mark_small_object(ObjectId id, std::uint32_t* word) { *word = id << kSmallShift | kSmallTag; }

Found find_small_object(ObjectKind kind, void* address, std::uint32_t* word, Site site) {
  check_poison(address, site);
  const ObjectId id = *word >> kSmallShift;
  if ((*word & ((1u << kSmallShift) - 1)) == kSmallTag && is_object(id, kind, address)) return {id, false};
  const ObjectId made = add_object(kind, address, site);
  mark_small_object(made, word);
  return {made, true};
}

namespace {

// Too many: pieces of memory share the objects that there are. That takes more operations for dependent than are.
ObjectId shared_memory_object(std::uint32_t index) {
  for (;; index = (index + 1) % kFutexCapacity)
    if ((reinterpret_cast<std::uintptr_t>(permanent_futexes.all[index].address) & kMemoryTag) != 0)
      return permanent_futexes.all[index].id;
}

}  // namespace

ObjectId find_memory_object(const void* address, Site site) {
  if (permanent_futexes.all == nullptr) reserve_futexes();
  const auto piece = reinterpret_cast<std::uintptr_t>(address) & ~(kMemoryPiece - 1);
  const auto* key = reinterpret_cast<const void*>(piece | kMemoryTag);
  const std::uint32_t index = futex_index(key);
  if (permanent_futexes.all[index].address == nullptr) {
    if (permanent_futexes.count >= kFutexCapacity / 4) return shared_memory_object(index);
    put_futex(index, {key, add_object(ObjectKind::Memory, address, site)});
  }
  return permanent_futexes.all[index].id;
}

ObjectId find_by_address(ObjectKind kind, const void* address, Site site) {
  if (permanent_futexes.all == nullptr) reserve_futexes();
  const std::uint32_t index = futex_index(address);
  if (permanent_futexes.all[index].address == nullptr) {
    if (permanent_futexes.count == kFutexCapacity / 2) {
      end_unjudged(runtime.current, "more than half a million futexes in one execution: the model is full");
    }
    put_futex(index, {address, add_object(kind, address, site)});
  }
  return permanent_futexes.all[index].id;
}

bool knows_address(const void* address) {
  return address != nullptr && permanent_futexes.all != nullptr &&
         permanent_futexes.all[futex_index(address)].address == address;
}

std::uint32_t futexes_known() { return permanent_futexes.count; }

void forget_futexes(std::uint32_t kept) {
  while (permanent_futexes.count > kept)
    permanent_futexes.all[permanent_futexes.order[--permanent_futexes.count]] = FutexEntry();
}

void save_futexes(char* to, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    memcpy(to + i * kFutexBytes, &permanent_futexes.all[permanent_futexes.order[i]], kFutexBytes);
}

void add_futexes(const char* from, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    FutexEntry entry;
    memcpy(&entry, from + i * kFutexBytes, sizeof entry);
    put_futex(futex_index(entry.address), entry);
  }
}

}  // namespace heddle::runtime
