// Memory for the large tables of a search: in large pages, where the kernel gives them. In small pages nearly every
// access to such a table would miss the processor's cache of page addresses, and a list of millions of entries would
// take a page fault for each 4 KB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace heddle {

// An allocator. What is smaller than a few large pages comes from the ordinary heap.
template <typename Item>
class LargePages {
 public:
  using value_type = Item;

  LargePages() = default;
  template <typename Other>
  LargePages(const LargePages<Other>& /*other*/) {}  // NOLINT(google-explicit-constructor): allocators convert

  Item* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Item);
    if (bytes < kMin) return static_cast<Item*>(::operator new (bytes, std::align_val_t{alignof(Item)}));
    return reinterpret_cast<Item*>(map(bytes));
  }
  void deallocate(Item* items, std::size_t count) {
    const std::size_t bytes = count * sizeof(Item);
    if (bytes < kMin) return ::operator delete (items, std::align_val_t{alignof(Item)});
    munmap(items, rounded(bytes));
  }
  friend bool operator==(const LargePages& /*one*/, const LargePages& /*other*/) { return true; }

 private:
  static constexpr std::size_t kPage = std::size_t{1} << 21;
  static constexpr std::size_t kMin = 2 * kPage;

  static std::size_t rounded(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

  // Beginning at a large page: a piece more is asked for, and what is around given back. Where the kernel has no large
  // pages, it only costs time.
  static std::uintptr_t map(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    void* const memory = mmap(nullptr, size + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    const auto from = reinterpret_cast<std::uintptr_t>(memory), begin = rounded(from);
    if (begin != from) munmap(memory, begin - from);
    if (from + kPage != begin) munmap(reinterpret_cast<void*>(begin + size), from + kPage - begin);
    madvise(reinterpret_cast<void*>(begin), size, MADV_HUGEPAGE);
    return begin;
  }
};

template <typename Item>
using LargeVector = std::vector<Item, LargePages<Item>>;

}  // namespace heddle
