// The progress line; see progress.h.
#include "report/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/wording.h"

namespace heddle {
namespace {

// " of about 52,000 (48,000 to 61,000), 2 min to go"
std::string of_about(const ProgressState& state) {
  if (!state.estimate) return {};
  const Estimate& estimate = *state.estimate;
  std::string result =
      fmt::format(" of about {} ({} to {})", rounded(estimate.total), rounded(estimate.low), rounded(estimate.high));
  if (state.schedules_per_second < 1) return result;
  return result +
         fmt::format(", {} to go",
                     duration(static_cast<double>(std::max(estimate.total, state.schedules) - state.schedules) /
                              state.schedules_per_second));
}

}  // namespace

std::string progress_line(const ProgressState& state) {
  std::string line = state.search == "bounded" ? fmt::format("bound {}", state.bound) : state.search;
  line += fmt::format(" · {}{} · {}/s", counted(state.schedules, "schedule"), of_about(state),
                      grouped(static_cast<std::uint64_t>(state.schedules_per_second)));
  if (state.bugs != 0) line += fmt::format(" · {}", counted(state.bugs, "bug"));
  return line + fmt::format(" · {} left", duration(std::max(0.0, state.seconds_left)));
}

void ProgressDisplay::show(const ProgressState& state) {
  if (mode_ == Mode::Silent) return;
  if (mode_ == Mode::Terminal) {
    fmt::print(out_, "\r\x1b[K{}", progress_line(state));
    std::fflush(out_);
    shown_ = true;
    return;
  }
  if (state.seconds < next_line_at_s_) return;
  next_line_at_s_ = state.seconds * 2;
  fmt::print(out_, "heddle: {}\n", progress_line(state));
}

void ProgressDisplay::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", out_);
  std::fflush(out_);
  shown_ = false;
}

}  // namespace heddle
