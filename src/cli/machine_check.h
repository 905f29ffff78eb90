// What this machine allows, for `heddle doctor`. What the runtime needs of the kernel is found by exploring a small
// program (small_program.cpp); the rest is looked at.
#pragma once

#include <cstdint>
#include <string>

#include "cli/finding.h"

namespace heddle::cli {

struct Machine {
  std::string problem;  // why the small program was not explored; empty: it was
  std::uint64_t schedules = 0;
  double seconds = 0;
  std::string why_no_snapshots;  // empty: memory is restored between schedules
  bool sees_system_calls = true;
  bool randomized = false;        // addresses
  bool switches_by_call = false;  // between threads
  bool has_avx2 = true;
  unsigned processors = 1, workers = 1;
  std::string compiler;          // what is behind heddle-c++, by its own words; empty: it does not work …
  std::string compiler_problem;  // … and says this
  bool has_gdb = true;
  bool has_temporary_folder = true;
  bool may_write_here = true;  // in the present folder
};

Machine look_at_machine();
Findings findings_of(const Machine& machine);

}  // namespace heddle::cli
