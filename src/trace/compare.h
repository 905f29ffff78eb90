// Is an execution the one that a trace records? It is compared step by step, without addresses: a program that was
// rebuilt, or loaded elsewhere, compares equal as long as its steps are the same.
#pragma once

#include <optional>
#include <string>

#include "trace/execution.h"

namespace heddle {

struct Divergence {
  std::uint32_t step = 0;
  std::string expected;  // in words: "thread 1: mutex lock (mutex 3)"
  std::string seen;
};

// The first difference, or nothing.
std::optional<Divergence> compare(const Execution& expected, const Execution& seen);

// The same for two executions of one build at the same addresses: these must be equal too, and so must the ends.
std::optional<Divergence> compare_exactly(const Execution& expected, const Execution& seen);

// A step in words that need no symbols.
std::string describe_step(const Execution& execution, const StepRecord& step);

}  // namespace heddle
