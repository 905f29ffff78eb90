// A table that grows without moving its entries, in chunks of 8, 16, 32, 64 … entries. So the tasks and objects of a
// small program lie in few pages, which decide the cost of a fork and of a snapshot; those of a large program are found
// in a few instructions. The addresses of further chunks are kept apart for the same reason: most of the dozen tables
// stay empty, and they are restored before every execution.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/task_set.h"

namespace heddle::model {

template <typename T>
class Table {
 public:
  // Makes room for entry `index`; the new ones are zero bytes. Entries are added in ascending order.
  void ensure(std::uint32_t index, Allocate allocate) {
    const unsigned chunk = chunk_of(index);
    if (chunk != 0 && further_ == nullptr)
      further_ = static_cast<std::uintptr_t*>(allocate(sizeof(std::uintptr_t) * kChunks));
    if (chunk == 0 ? first_ != nullptr : further_[chunk] != 0) return;
    auto* const entries = static_cast<T*>(allocate(sizeof(T) * (kFirst << chunk)));
    if (chunk == 0)
      first_ = entries;
    else
      further_[chunk] = reinterpret_cast<std::uintptr_t>(entries) - sizeof(T) * ((kFirst << chunk) - kFirst);
  }
  // Looked up several times in each step: only what most programs never need is a call.
  [[gnu::always_inline]] T& operator[](std::uint32_t index) {
    return __builtin_expect(index < kFirst, 1) ? first_[index] : behind(index);
  }
  [[gnu::always_inline]] const T& operator[](std::uint32_t index) const { return const_cast<Table&>(*this)[index]; }

 private:
  [[gnu::noinline, gnu::cold]] T& behind(std::uint32_t index) {
    return *reinterpret_cast<T*>(further_[chunk_of(index)] + sizeof(T) * std::size_t{index});
  }
  static constexpr std::size_t kFirst = 8;
  static constexpr unsigned kChunks = 20;  // 8 million entries
  static unsigned chunk_of(std::uint32_t index) {
    return static_cast<unsigned>(63 - __builtin_clzll(std::uint64_t{index} + kFirst)) - 3;
  }
  T* first_ = nullptr;  // chunk 0
  // kChunks entries, the first of which is not used: where entry 0 would lie if the chunk began with it.
  std::uintptr_t* further_ = nullptr;
};

}  // namespace heddle::model
