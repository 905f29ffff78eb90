// How coordinator and workers get to the server of a farm. With --farm=local it is one of our own: nats-server on the
// loopback interface, with a port and a password that nobody else knows, and its files in heddle-out/farm.
#pragma once

#include <string>

#include "cli/settings.h"
#include "driver/process/descriptor.h"
#include "driver/process/process.h"
#include "farm/broker.h"

namespace heddle::cli {

// What whoever starts a farm that is running is told.
std::string farm_is_running(const std::string& name);

// A private server; it ends with this object.
class FarmServer {
 public:
  // Where its files lie: heddle-out/farm/NAME.
  explicit FarmServer(std::string folder) : folder_(std::move(folder)) {}

  // `keep`: what an earlier server has left in the folder is kept. Empty, or why it can't be started: one that runs in
  // this folder is left alone, since it holds the lock beside it.
  std::string start(bool keep);
  // With the password. Where there is none, empty.
  const std::string& url() const { return url_; }
  // It has ended by itself: started again, with the same port and password, and what it had on disk. Empty, or why not.
  std::string restart_if_gone();

 private:
  std::string launch(const std::string& port);

  std::string folder_, password_, url_;
  Descriptor lock_;
  Process process_;
  unsigned restarts_ = 0;
};

std::string farm_folder(const Settings& settings);
// Of a server that was named, or of the local one that `heddle farm run` has started; empty: there is none.
farm::Access farm_access(const Settings& settings);
// What --farm and the like say that makes no sense; empty: nothing.
std::string unfit_access(const FarmSettings& settings);
// Addresses without the users and passwords in them, also where they make no sense.
std::string shown_url(const std::string& list);

// Which build of Heddle this is; coordinator and workers must be of one.
std::string heddle_build(const std::string& library);

// What it says; null: nothing, it is not set or empty.
const char* farm_variable();
inline constexpr const char* kFarmVariable = "HEDDLE_FARM";  // in place of --farm: an option can be seen by all

}  // namespace heddle::cli
