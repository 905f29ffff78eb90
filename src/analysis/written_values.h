// What plain accesses wrote, as a replay has recorded it (ValueText).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trace/execution.h"

namespace heddle {

struct RawValue {
  std::uint64_t value = 0;  // its bytes at the low end
  unsigned size = 0;        // of how many
};

class WrittenValues {
 public:
  explicit WrittenValues(const Execution& execution);

  // What a step of operation MemoryWrite wrote. Nothing where it is not known.
  std::optional<RawValue> of_step(std::size_t index) const;
  // Of a race: what was there before the later access, which is what the earlier one wrote; what the later one wrote.
  static std::optional<RawValue> before(const Execution& execution, const RaceRecord& later);
  static std::optional<RawValue> after(const Execution& execution, const RaceRecord& later);

 private:
  std::map<std::size_t, RawValue> of_steps_;
};

}  // namespace heddle
