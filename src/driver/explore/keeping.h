// When a search is saved for `run --resume`, and when it is no longer saved.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "driver/explore/run_clock.h"
#include "driver/explore/saved_search.h"

namespace heddle {

class Keeping {
 public:
  // `saved`: where it is kept; null: nowhere. `every_s`: how often at most; 0: never.
  Keeping(SavedSearch* saved, double every_s);

  bool goes_on() const { return saved_ != nullptr && saved_->loaded(); }
  bool may() const { return saved_ != nullptr && every_s_ > 0 && !given_up_; }
  bool is_due() const { return may() && RunClock::Clock::now() >= next_; }
  // As soon as there is something to keep.
  void be_due() { next_ = RunClock::Clock::now(); }
  // From here on nothing is kept: it could not be gone on with.
  void give_up() { given_up_ = true; }
  // What is kept is not to be gone on with, either.
  void end() {
    if (saved_ != nullptr) saved_->has_ended();
  }
  // Empty, or why it can't be kept; then it is not tried again.
  std::string write(const SavedHeader& header, const std::function<void(StateWriter&)>& content);

  // In whose file something may be; only where there is one.
  SavedSearch& file() { return *saved_; }
  bool kept() const { return saved_ != nullptr && saved_->kept(); }
  // How long the search took in earlier processes.
  double seconds_before() const { return seconds_before_; }
  void set_seconds_before(double seconds) { seconds_before_ = seconds; }

 private:
  SavedSearch* const saved_;
  const double every_s_;
  RunClock::Clock::time_point next_;
  bool given_up_ = false;
  double seconds_before_ = 0;
};

}  // namespace heddle
