// Where the functions of a loaded file lie, by the table with which exceptions are unwound. Compilers write it for each
// function, and it needs no symbols.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

class Functions {
 public:
  // Of the file that is loaded at `site`. None where nothing is, or where the table is written in an unusual way.
  explicit Functions(Site site);
  std::size_t count() const { return count_; }
  Site begin(std::size_t index) const { return base_ + static_cast<Site>(std::int64_t{entries_[index].function}); }
  // 0: not known.
  Site end(std::size_t index) const;
  // Calls `visit` for each place in it to which the unwinder jumps, to catch an exception or to destroy objects. False:
  // there may be others, since its table is written in an unusual way.
  bool for_each_landing_pad(std::size_t index, void (*visit)(Site place, void* argument), void* argument) const;
  // Of the first function behind the address.
  std::size_t behind(Site address) const;

 private:
  struct Entry {
    std::int32_t function, description;  // both from the header
  };
  Site description(std::size_t index) const {
    return base_ + static_cast<Site>(std::int64_t{entries_[index].description});
  }

  Site base_ = 0;
  const Entry* entries_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace heddle::runtime
