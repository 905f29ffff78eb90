// The progress line; see progress.h.
#include "report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>

#include "report/columns.h"
#include "report/wording.h"

namespace heddle {
namespace {

constexpr std::size_t kUnknownWidth = 100;

// " of about 52,000 (48,000 to 61,000), 2 min to go"
std::string of_about(const ProgressState& state) {
  if (!state.estimate) return {};
  const Estimate& estimate = *state.estimate;
  std::string result =
      estimate.others == 0 ? " of about" : fmt::format(", {} of about", grouped(estimate.run_of(state.schedules)));
  result += fmt::format(" {} ({} to {})", rounded(estimate.total), rounded(estimate.low), rounded(estimate.high));
  if (state.schedules_per_second < 1) return result;
  return result +
         fmt::format(", {} to go", duration(estimate.seconds_to_go(state.schedules, state.schedules_per_second)));
}

}  // namespace

std::string progress_line(const ProgressState& state) {
  std::string line = state.bound ? fmt::format("bound {}", *state.bound) : state.search;
  line += fmt::format(" · {}{} · {}/s", counted(state.schedules, "schedule"), of_about(state),
                      grouped(static_cast<std::uint64_t>(state.schedules_per_second)));
  if (state.bugs != 0) line += fmt::format(" · {}", counted(state.bugs, "bug"));
  line += fmt::format(" · {} left", duration(std::max(0.0, state.seconds_left)));
  if (state.pending != 0) line += fmt::format(" · {} pending", rounded(state.pending));
  if (state.pruned != 0) line += fmt::format(" · {} left out as equivalent", rounded(state.pruned));
  return line;
}

void ProgressDisplay::show(const ProgressState& state) {
  if (mode_ == Mode::Silent) return;
  if (mode_ == Mode::Terminal) {
    winsize size{};  // a line that is wrapped could not be taken back
    const bool known = ioctl(fileno(out_), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    fmt::print(out_, "\r\x1b[K{}", cut(progress_line(state), known ? size.ws_col - 1u : kUnknownWidth));
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
