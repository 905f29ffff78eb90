// A place in the code that means the same in every process: a file by its name, and an address in it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "protocol/operations.h"
#include "protocol/places.h"
#include "protocol/records.h"
#include "trace/modules.h"

namespace heddle {

struct CodePlace {
  std::string file;          // its name without folders; empty: `offset` is an address, in one process only
  std::uint64_t offset = 0;  // from the file's load bias

  bool named() const { return !file.empty(); }
  friend auto operator<=>(const CodePlace&, const CodePlace&) = default;
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.file, self.offset);
  }
};

// A loop that waits without yielding, by a place in it (SpinSet in protocol/places.h).
struct SpinLoop {
  CodePlace place;
  std::uint32_t period = 0;  // how many steps a round has
  friend auto operator<=>(const SpinLoop&, const SpinLoop&) = default;
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.place, self.period);
  }
};

// An atomic operation whose memory order is to count as another one (ChangedOrders in protocol/places.h).
struct ChangedOrder {
  CodePlace place;
  OrderChange to = OrderChange::OneWay;
  bool of_failure = false;  // the order of a compare-exchange that fails
  friend auto operator<=>(const ChangedOrder&, const ChangedOrder&) = default;
};

// Of an access that races, by the file that the program has said it is in. `modules`: of the process that made it.
CodePlace place_of_access(const RaceRecord& access, const ModuleMap& modules);

// As `ModuleNames::text` gives them: "libx.so+0x1234", "0x7f…".
std::string text_of(const CodePlace& place, const ModuleMap& modules);
// And back; `modules` are those of the trace that has the text. Nothing when it is neither.
bool parse_place(const std::string& text, const ModuleMap& modules, CodePlace& place);

}  // namespace heddle
