// A delta by what happens there instead of by the number of its step: so a schedule can be found again in a program
// that was edited since. analysis/placed_deltas.h makes and finds them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "protocol/operations.h"
#include "trace/source_line.h"

namespace heddle {

// Threads may have other numbers in the next build, or other names.
struct ThreadLabel {
  TaskId number = 0;
  std::string name;
  friend bool operator==(const ThreadLabel&, const ThreadLabel&) = default;
};

struct PlacedDelta {
  // Who would go on by default, and with what: so often it has done the same there before.
  ThreadLabel thread;
  OperationKind operation = OperationKind::None;
  SourceLine place;  // empty: no code of the user's
  std::uint32_t occurrence = 0;
  // Who goes on instead, and with which alternative.
  ThreadLabel next;
  Variant variant = 0;
  friend bool operator==(const PlacedDelta&, const PlacedDelta&) = default;
};

// As traces and the files of the regression store have it.
nlohmann::ordered_json json_of(const PlacedDelta& delta);
// Nothing: it is none.
std::optional<PlacedDelta> placed_delta_of(const nlohmann::ordered_json& json);

}  // namespace heddle
