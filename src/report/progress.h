// The state of a run in one line, while it goes on: rewritten in place on a terminal, now and then as a plain line
// elsewhere.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "search/estimate.h"

namespace heddle {

struct ProgressState {
  std::optional<int> bound;  // in progress, where there are bounds
  std::string search;        // its name
  std::uint64_t schedules = 0;
  std::optional<Estimate> estimate;  // of the bound in progress
  double schedules_per_second = 0;
  std::size_t bugs = 0;
  double seconds = 0;
  double seconds_left = 0;
  std::uint64_t pending = 0;  // schedules that are known and not yet run
  std::uint64_t pruned = 0;   // choices that bring nothing that differs
};

std::string progress_line(const ProgressState& state);

class ProgressDisplay {
 public:
  enum class Mode { Silent, Lines, Terminal };
  ProgressDisplay(std::FILE* out, Mode mode) : out_(out), mode_(mode) {}
  void show(const ProgressState& state);
  // Takes the line off a terminal, before other text is printed.
  void clear();

 private:
  std::FILE* out_;
  Mode mode_;
  bool shown_ = false;
  double next_line_at_s_ = kFirstLine_s;
  static constexpr double kFirstLine_s = 5;
};

}  // namespace heddle
