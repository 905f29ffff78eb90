// Whether data races are bugs where a program's locks are not all seen.
#pragma once

#include <string>

#include "driver/target/options.h"
#include "driver/target/target.h"

namespace heddle::cli {

// Where locks are not seen, what they order would be races: they are ignored then. Why, or empty: nothing is changed.
inline std::string choose_races(const Target& target, RunOptions& options) {
  if (!target.has_unseen_locks || options.races_asked_for || options.races == RaceMode::Ignore) return {};
  options.races = RaceMode::Ignore;
  return "data races are not looked for: Rust's standard library in the program was compiled without instrumentation, "
         "so its locks would order nothing; cargo build -Zbuild-std compiles it with the program (docs/GUIDE.md, "
         "\"Test a program in Rust\")";
}

}  // namespace heddle::cli
