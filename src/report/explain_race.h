// Plain words on a data race: the two accesses with their call stacks, the memory that they access, the locks that were
// held, and why nothing orders them.
#pragma once

#include <string>
#include <vector>

#include "analysis/names.h"
#include "report/document.h"

namespace heddle {

// One line. The execution has one race, the one in question.
Prose race_sentence(const Execution& execution, Names& names);
Paragraph about_race(const Execution& execution, Names& names);
// For the chart: "writes value: the race".
struct RacingAccessWords {
  TaskId task = 0;
  std::uint32_t step = 0;  // so many steps came before it
  Prose words;
  Location location;
};
// The two of the execution's race; empty where it has none.
std::vector<RacingAccessWords> racing_accesses(const Execution& execution, Names& names);
// Of the later access.
Location race_location(const Execution& execution, Names& names);

// What makes it one race to the user, however many pairs of instructions race there: the two lines of his, and which
// memory. Which access came first, and which one writes, is not in it.
std::string lines_and_memory(const Execution& execution, Names& names);

}  // namespace heddle
