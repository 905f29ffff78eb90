// The deltas of a schedule by what happens there, and where they are in the execution of another build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/names.h"
#include "analysis/source_text.h"
#include "trace/execution.h"
#include "trace/placed_delta.h"

namespace heddle {

// Longer executions are not put into words.
inline constexpr std::uint32_t kMostPlacedSteps = 50'000;

struct PlacedOperation {
  TaskId task = 0;
  OperationKind operation = OperationKind::None;
  SourceLine place;  // empty: no code of the user's
};

// An execution in words of the source.
struct PlacedExecution {
  std::vector<PlacedOperation> steps, pending;
  std::vector<std::string> threads;  // names by number
};
PlacedExecution place(const Execution& execution, Names& names);

// Of the first so many steps, what differs from the default. Nothing: there are too many, or of one it is not known
// what would have come by default.
std::optional<std::vector<PlacedDelta>> deltas_by_place(const Execution& execution, const PlacedExecution& placed,
                                                        std::size_t steps);

struct FoundDelta {
  enum class What : std::uint8_t {
    Found,
    NoPlace,    // its thread does nothing of that kind there any more
    NoThread,   // one of its threads is not there
    Impossible  // the other thread can't go on there
  } what;
  Delta delta = {};
  // Otherwise than with the same operation at the same text of the same function, the same number of times.
  bool is_near = false;
};
// Where it is from `first` on in an execution that has made the choices before it: at the same operation in the same
// line, else in the same function; of several the one that comes about as often as it did.
FoundDelta find_delta(const PlacedDelta& delta, const Execution& execution, const PlacedExecution& placed,
                      std::uint32_t first);

// "`lock(b);` in take() (pool.cpp:12)"
std::string words_of(const SourceLine& place);

}  // namespace heddle
