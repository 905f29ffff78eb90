// Room for code of ours near a loaded file, and what it takes to write it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "protocol/operations.h"

namespace heddle::runtime {

class CodeWriter {
 public:
  explicit CodeWriter(unsigned char* at) : at_(at) {}
  Site here() const { return reinterpret_cast<Site>(at_); }
  void bytes(std::initializer_list<unsigned char> bytes) { at_ = std::copy(bytes.begin(), bytes.end(), at_); }
  void copy(const unsigned char* from, std::size_t size) { at_ = std::copy_n(from, size, at_); }
  void number(std::int32_t value) {
    memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  // Relative to what comes behind these four bytes.
  void reach(Site target) { number(static_cast<std::int32_t>(target - (here() + sizeof(std::int32_t)))); }

 private:
  unsigned char* at_;
};

// Does a jump between them reach, and one to what is near them?
bool is_in_reach(Site from, Site to);
// Memory below the file, where a jump reaches, readable and writable: the same place in each process. Null: there is
// none.
void* map_code_area(Site file, std::size_t bytes);
// Of the pages in which these bytes lie. `protection` is mprotect()'s. False: it can't be had.
bool protect_code(const void* memory, std::size_t bytes, long protection);

}  // namespace heddle::runtime
