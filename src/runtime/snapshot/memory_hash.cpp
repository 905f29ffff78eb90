// See memory_hash.h.
#include "runtime/snapshot/memory_hash.h"

#include <fcntl.h>

#include "protocol/page.h"
#include "runtime/heap/program_heap.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/address_space.h"
#include "runtime/state/memory_map.h"

namespace heddle::runtime {
namespace {

using model::StateHash;

constexpr std::size_t kPage = kPageBytes, kWords = kPage / sizeof(std::uint64_t);

// Four lanes, so that the multiplications overlap.
struct Lanes {
  std::uint64_t lane[4] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93};
  void add(const std::uint64_t* four) {
    for (unsigned i = 0; i < 4; ++i) {
      lane[i] = (lane[i] ^ four[i]) * 0x9fb21c651e98df25;
      lane[i] ^= lane[i] >> 32;
    }
  }
};

struct PageHash {
  std::uint64_t one = 0, two = 0;
};

// Pages are summed up, in any order; one that is all zero counts like one that is not there.
PageHash hash_page(std::uintptr_t address, const void* content) {
  const auto* words = static_cast<const std::uint64_t*>(content);
  Lanes lanes;
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kWords; i += 4) {
    lanes.add(words + i);
    any |= words[i] | words[i + 1] | words[i + 2] | words[i + 3];
  }
  if (any == 0) return {};
  StateHash hash;
  hash.add(address);
  for (const std::uint64_t lane : lanes.lane) hash.add(lane);
  return {hash.one, hash.two};
}

void add_sum(StateHash& hash, const PageHash& sum) {
  hash.add(sum.one);
  hash.add(sum.two);
}

// --- all memory

constexpr std::size_t kSmall = std::size_t{64} << 20;  // larger mappings are mostly empty

// Which pages of a mapping are there at all, as the kernel tells it.
class PagesThere {
 public:
  PagesThere()
      : file_(os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/pagemap"),
                              O_RDONLY | O_CLOEXEC)) {}
  ~PagesThere() {
    if (file_ >= 0) os::system_call(SYS_close, file_);
  }
  PagesThere(const PagesThere&) = delete;
  PagesThere& operator=(const PagesThere&) = delete;

  // Calls visit(page) for each; false: the kernel does not tell.
  template <typename Visit>
  bool each(std::uintptr_t begin, std::uintptr_t end, Visit visit) {
    constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
    std::uint64_t entries[512] = {};
    while (begin < end) {
      const std::size_t left = (end - begin) / kPage, count = left < 512 ? left : 512;
      const auto bytes = static_cast<long>(count * sizeof entries[0]);
      const auto offset = static_cast<long>(begin / kPage * sizeof entries[0]);
      if (os::system_call(SYS_pread64, file_, reinterpret_cast<long>(entries), bytes, offset) != bytes) return false;
      for (std::size_t i = 0; i < count; ++i)
        if ((entries[i] & kPresentOrSwapped) != 0) visit(begin + i * kPage);
      begin += count * kPage;
    }
    return true;
  }

 private:
  long file_;
};

struct Walk {
  OwnImage image;
  PagesThere there;
  PageHash sum;
  bool known = true;

  void add(std::uintptr_t page) {
    const PageHash hash = hash_page(page, reinterpret_cast<const void*>(page));
    sum.one += hash.one;
    sum.two += hash.two;
  }
};

bool is_program_memory(const Mapping& mapping, const OwnImage& image) {
  if (mapping.shared || !mapping.writable || !mapping.readable || mapping.main_stack) return false;
  if (os::is_reserved(mapping.begin) || is_task_stack(mapping.begin)) return false;
  return mapping.begin < image.begin || mapping.begin >= image.end;
}

bool add_mapping(const Mapping& mapping, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  if (!is_program_memory(mapping, walk.image)) return true;
  const HeapRange heap = program_heap_range();
  const bool is_heap = mapping.begin <= heap.begin && heap.used_end <= mapping.end && heap.begin < heap.used_end;
  const std::uintptr_t end = is_heap ? (heap.used_end + kPage - 1) & ~(kPage - 1) : mapping.end;
  if (end - mapping.begin > kSmall) {
    walk.known = walk.there.each(mapping.begin, end, [&](std::uintptr_t page) { walk.add(page); });
    return walk.known;
  }
  for (std::uintptr_t page = mapping.begin; page < end; page += kPage) walk.add(page);
  return true;
}

}  // namespace

void hash_bytes(StateHash& hash, const void* bytes, std::size_t size) {
  const auto* words = static_cast<const std::uint64_t*>(bytes);
  Lanes lanes;
  std::size_t left = size / sizeof(std::uint64_t);
  for (; left >= 4; left -= 4, words += 4) lanes.add(words);
  for (; left > 0; --left) hash.add(*words++);
  for (const std::uint64_t lane : lanes.lane) hash.add(lane);
}

bool hash_dirty_pages(StateHash& hash) {
  PageHash sum;
  for (std::size_t i = 0; i < dirty_pages(); ++i) {
    const DirtyPage page = dirty_page(i);
    if (is_task_stack(page.address) || is_main_stack(page.address)) continue;
    if (page.saved_hash[0] == 0) {
      const PageHash saved = hash_page(page.address, page.saved);
      page.saved_hash[0] = saved.one | 1;
      page.saved_hash[1] = saved.two;
    }
    // One that became dirty late, and is again as it was, counts like one that is not dirty.
    const PageHash now = hash_page(page.address, reinterpret_cast<const void*>(page.address));
    sum.one += (now.one | 1) - page.saved_hash[0];
    sum.two += now.two - page.saved_hash[1];
  }
  add_sum(hash, sum);
  return true;
}

bool hash_all_memory(StateHash& hash) {
  Walk walk{own_image(), {}, {}, true};
  if (!for_each_mapping(add_mapping, &walk) || !walk.known) return false;
  add_sum(hash, walk.sum);
  return true;
}

}  // namespace heddle::runtime
