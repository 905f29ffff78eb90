// Whether the search must stop early, and why. The first reason counts.
#pragma once

#include <string>

#include "report/stop_reason.h"

namespace heddle {

class Ending {
 public:
  bool decided() const { return decided_; }
  void stop(StopReason reason) {
    if (decided_) return;
    decided_ = true;
    reason_ = reason;
  }
  // With that there is no verdict, as `why` says.
  void give_up(StopReason reason, const std::string& why) {
    if (no_verdict_.empty()) no_verdict_ = why;
    stop(reason);
  }
  // Report::stop_reason, Report::no_verdict_reason.
  StopReason reason() const { return reason_; }
  const std::string& no_verdict() const { return no_verdict_; }

 private:
  bool decided_ = false;
  StopReason reason_ = StopReason::None;
  std::string no_verdict_;
};

}  // namespace heddle
