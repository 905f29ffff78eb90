// What the program itself calls pieces of its memory (heddle_name()).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "trace/execution.h"

namespace heddle {

class MemoryNames {
 public:
  explicit MemoryNames(const Execution& execution);

  std::optional<std::string> at(std::uint64_t address) const;

 private:
  struct Named {
    std::uint64_t size = 0;
    std::string name;
  };
  std::map<std::uint64_t, Named> names_;  // by where the memory begins
};

}  // namespace heddle
