// See keeping.h.
#include "driver/explore/keeping.h"

#include <algorithm>

#include "trace/assert.h"

namespace heddle {
namespace {

// A search spends at most about this part of its time on being written down.
constexpr double kPart = 0.04;

RunClock::Clock::time_point in_seconds(double seconds) {
  return RunClock::Clock::now() +
         std::chrono::duration_cast<RunClock::Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Keeping::Keeping(SavedSearch* saved, double every_s) : saved_(saved), every_s_(every_s), next_(in_seconds(every_s)) {}

std::string Keeping::write(const SavedHeader& header, const std::function<void(StateWriter&)>& content) {
  HEDDLE_ASSERT(may(), "a search is kept only where it may be");
  const auto begin = RunClock::Clock::now();
  std::string error = saved_->write(header, content);
  given_up_ = !error.empty();
  if (!given_up_) next_ = in_seconds(std::max(every_s_, RunClock::seconds_since(begin) / kPart));
  return error;
}

}  // namespace heddle
