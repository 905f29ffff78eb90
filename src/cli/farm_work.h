// What a farm works on: one search (farm_search.cpp) or the tests of a suite (farm_suite.cpp). The coordinator
// publishes the shards that it wants to be run, and gives it their results in the order in which the server has them.
// All that it knows follows from these.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/farm_status.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "farm/broker.h"
#include "farm/merge.h"

namespace heddle::cli {

class FarmWork {
 public:
  FarmWork() = default;
  virtual ~FarmWork() = default;
  FarmWork(const FarmWork&) = delete;
  FarmWork& operator=(const FarmWork&) = delete;

  // `again`: there may be results of an earlier coordinator. Empty, or why it can't begin.
  virtual std::string begin(bool /*again*/) { return {}; }
  // How many workers there are now.
  virtual void hear(std::size_t /*workers*/) {}
  // Those without a result, by their number.
  virtual const std::map<farm::ShardId, farm::Shard>& waiting() const = 0;
  // Likewise, in a queue of their own: hunts. They stay when the others are dropped (farm::Taken::Anew).
  virtual const std::map<farm::ShardId, farm::Shard>& waiting_beside() const {
    static const std::map<farm::ShardId, farm::Shard> none;
    return none;
  }
  // Gets from the server what belongs to a result. False: the server is gone, so it is to be tried again.
  virtual bool fetch(farm::ShardResult& /*result*/) { return true; }
  virtual farm::Taken take(const farm::ShardResult& result) = 0;
  // No more results are wanted; and why, in a word.
  virtual bool over() const = 0;
  virtual std::string stop_reason() const = 0;
  // How long what is being run is waited for when the time is up, in seconds.
  virtual double grace_s() const { return 0; }
  // How many were run in all.
  virtual std::uint64_t schedules() const = 0;
  // What there is to say at a moment. It completes what the coordinator knows of the moment.
  virtual nlohmann::json status(FarmMoment& moment) const = 0;
  // Prints and writes what has come of it. `report`: the last status. Returns with which status the command ends.
  virtual ExitStatus conclude(nlohmann::json report, const FarmMoment& moment) = 0;
};

// All must outlive it. The bounded search of a program:
std::unique_ptr<FarmWork> search_work(const Settings& settings, Terminal& terminal, farm::Broker& broker,
                                      const farm::Job& job);
// The tests of a suite, each of which is a shard:
std::unique_ptr<FarmWork> suite_work(const Settings& settings, Terminal& terminal, farm::Broker& broker,
                                     const farm::Job& job);

}  // namespace heddle::cli
