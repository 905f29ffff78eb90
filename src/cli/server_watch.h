// The server of a farm, as coordinator and workers see it: they say that it is gone and that it is back, and know when
// to wait no longer. It only asks whether the connection stands, so it is tested without a server.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "report/wording.h"

namespace heddle::cli {

class ServerWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `server`: its address, for people. `patience_s`: so long it is waited for.
  ServerWatch(std::string server, double patience_s) : server_(std::move(server)), patience_s_(patience_s) {}

  // Is it there now? To be called at least once a second. What is new since the last call; empty: nothing.
  std::string look(bool connected, Clock::time_point now = Clock::now()) {
    constexpr std::chrono::seconds kMoment{1};  // a server that is started again is often back within it
    if (connected) {
      gone_since_.reset();
      lost_ = false;
      return std::exchange(told_, false) ? fmt::format("the server {} is back", server_) : std::string();
    }
    if (!gone_since_) gone_since_ = now;
    lost_ = std::chrono::duration<double>(now - *gone_since_).count() > patience_s_;
    if (told_ || now - *gone_since_ < kMoment) return {};
    told_ = true;
    return fmt::format("the server {} is gone; waiting for it", server_);
  }

  // Why it is waited for no longer; empty: it is there, or is waited for.
  std::string lost() const {
    return lost_ ? fmt::format("the server {} is gone, and has not come back within {}", server_, duration(patience_s_))
                 : std::string();
  }

 private:
  const std::string server_;
  const double patience_s_;
  std::optional<Clock::time_point> gone_since_;
  bool told_ = false, lost_ = false;
};

}  // namespace heddle::cli
