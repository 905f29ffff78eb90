// See reservations.h.
#include "runtime/world/reservations.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>

#include "protocol/assert.h"
#include "protocol/page.h"
#include "runtime/os/system_call.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

constexpr std::uintptr_t kPage = kPageBytes;
constexpr unsigned kMaxReservations = 4096;
constexpr unsigned kMaxChanged = 1024;
// Pages are looked at one by one before a part is changed for the first time.
constexpr std::uintptr_t kLargestPart = std::uintptr_t{1} << 36;

struct Range {
  std::uintptr_t begin, end;
  bool contains(const Range& other) const { return begin <= other.begin && other.end <= end; }
};

struct PermanentReservations {
  Range* all;  // ascending
  unsigned count;
  Range* changed;  // by the present execution
  unsigned changed_count;
};
HEDDLE_PERMANENT PermanentReservations reservations{};

bool note_reservation(const Mapping& mapping, void*) {
  const bool usable = mapping.readable || mapping.writable || mapping.executable;
  if (usable || mapping.shared || *mapping.path != '\0' || os::is_reserved(mapping.begin)) return true;
  if (reservations.count == kMaxReservations) return false;  // the others are mappings like any
  reservations.all[reservations.count++] = {mapping.begin, mapping.end};
  return true;
}

Range pages_of(std::uintptr_t address, std::size_t bytes) {
  return {address & ~(kPage - 1), (address + bytes + kPage - 1) & ~(kPage - 1)};
}

bool is_reservation(const Range& range) {
  const auto has_it = [&range](const Range& one) { return one.contains(range); };
  return range.begin < range.end && std::any_of(reservations.all, reservations.all + reservations.count, has_it);
}

// What the kernel tells of each page: is there one, in memory or swapped out?
class PageMap {
 public:
  PageMap()
      : descriptor_(os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/pagemap"), O_RDONLY)) {}
  ~PageMap() {
    if (descriptor_ >= 0) os::system_call(SYS_close, descriptor_);
  }
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  bool is_empty(const Range& range) const {
    constexpr std::uint64_t kPresent = std::uint64_t{3} << 62;
    constexpr std::size_t kAtOnce = 128;
    std::uint64_t pages[kAtOnce];
    for (std::uintptr_t at = range.begin; at < range.end; at += kAtOnce * kPage) {
      const std::size_t count = std::min<std::size_t>(kAtOnce, (range.end - at) / kPage);
      const auto bytes = static_cast<long>(count * sizeof pages[0]);
      if (os::system_call(SYS_pread64, descriptor_, reinterpret_cast<long>(pages), bytes,
                          static_cast<long>(at / kPage * sizeof pages[0])) != bytes)
        return false;
      for (std::size_t i = 0; i < count; ++i)
        if ((pages[i] & kPresent) != 0) return false;
    }
    return true;
  }

 private:
  long descriptor_;
};

// Without what the present execution has changed: that was empty before.
bool was_empty(const Range& range) {
  if (range.end - range.begin > kLargestPart) return false;
  const PageMap pages;
  const Range* const end = reservations.changed + reservations.changed_count;
  for (std::uintptr_t at = range.begin; at < range.end;) {
    std::uintptr_t next = range.end;
    bool changed = false;
    for (const Range* one = reservations.changed; one != end; ++one) {
      if (one->begin <= at && at < one->end) {
        changed = true;
        next = std::min(one->end, range.end);
        break;
      }
      if (at < one->begin) next = std::min(next, one->begin);
    }
    if (!changed && !pages.is_empty({at, next})) return false;
    at = next;
  }
  return true;
}

}  // namespace

void note_reservations() {
  reservations.all = static_cast<Range*>(os::reserve_or_die(sizeof(Range) * kMaxReservations));
  reservations.changed = static_cast<Range*>(os::reserve_or_die(sizeof(Range) * kMaxChanged));
  for_each_mapping(note_reservation, nullptr);
}

bool undoes_changes_of(std::uintptr_t address, std::size_t bytes) {
  const Range range = pages_of(address, bytes);
  return reservations.changed_count < kMaxChanged && is_reservation(range) && was_empty(range);
}

void on_changed_reservation(std::uintptr_t address, std::size_t bytes) {
  const Range range = pages_of(address, bytes);
  if (!is_reservation(range)) return;
  Range* const end = reservations.changed + reservations.changed_count;
  if (std::any_of(reservations.changed, end, [&range](const Range& one) { return one.contains(range); })) return;
  HEDDLE_ASSERT(reservations.changed_count < kMaxChanged, "there was room when the change was judged");
  *end = range;
  ++reservations.changed_count;
}

bool reservations_changed() { return reservations.changed_count != 0; }

void undo_reservations() {
  for (unsigned i = 0; i < reservations.changed_count; ++i) {
    const Range& range = reservations.changed[i];
    const long result =
        os::system_call(SYS_mmap, static_cast<long>(range.begin), static_cast<long>(range.end - range.begin), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (result < 0 && result > -4096)
      retire(Retirement::Unavailable, "reserved memory can't be reserved again (vm.max_map_count)");
  }
  reservations.changed_count = 0;
}

}  // namespace heddle::runtime
