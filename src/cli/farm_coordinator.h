// The coordinator of a farm: publishes the shards that its work wants, takes results in the order in which the server
// has them, and says on the server how far it is. So all that it knows is on the server.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/farm_access.h"
#include "cli/farm_work.h"
#include "cli/server_watch.h"
#include "driver/process/process.h"

namespace heddle::cli {

// The workers of --farm=local, on this machine.
class LocalWorkers {
 public:
  LocalWorkers() = default;
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;
  ~LocalWorkers();

  // `url`: of the server. Empty, or why they can't be started.
  std::string start(const Settings& settings, const std::string& url, unsigned count);
  // Empty, or why they don't work. One that was killed is replaced. One that gave up is not: it has said why.
  std::string start_those_that_ended();
  // What is to be said once; empty: nothing.
  std::string news() { return std::exchange(news_, {}); }
  std::size_t count() const { return processes_.size(); }

 private:
  std::vector<std::string> words_, environment_;
  std::vector<Process> processes_;
  std::set<const Process*> gave_up_;
  std::string news_;
  std::size_t starts_ = 0;
};

// Another one for each job.
std::string random_id();

// Has another farm been started on the server, in place of this one? It has another job then.
bool is_displaced(farm::Broker& broker, const farm::Job& job);
inline constexpr const char* kDisplaced =
    "another farm of this name has taken its place; --farm-name=NAME starts one beside it";

class Coordinator {
 public:
  // All must outlive it. `seconds_before`: that earlier coordinators have worked.
  Coordinator(const Settings& settings, Terminal& terminal, FarmServer& server, LocalWorkers& workers,
              farm::Broker& broker, farm::Job& job, FarmWork& work, double seconds_before);

  // Until the work is over, its time is up or the user interrupts it. Returns with which status the command ends.
  ExitStatus run();

 private:
  using Clock = std::chrono::steady_clock;

  bool ended();
  void take_results();
  void publish_again(farm::ShardId id);
  void publish();
  void drop_shards(farm::Broker::Queue queue);
  void look_around();
  bool is_there();
  nlohmann::json status();
  ExitStatus conclude();

  const Settings& settings_;
  Terminal& terminal_;
  FarmServer& server_;
  LocalWorkers& workers_;
  farm::Broker& broker_;
  farm::Job& job_;
  FarmWork& work_;
  ServerWatch watch_;
  const double seconds_before_;
  const std::string session_ = random_id();  // what an earlier coordinator has published does not stand in our way
  std::uint64_t next_result_ = 1;
  std::set<farm::ShardId> published_;
  std::map<farm::ShardId, unsigned> attempts_;
  std::map<std::string, Clock::time_point> heard_;  // workers
  std::map<Clock::time_point, std::uint64_t> rates_;
  FarmMoment moment_;
  std::string stop_;      // why it has ended; empty: it has not
  bool is_late_ = false;  // the time is up, and what is being run is waited for
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point next_second_ = Clock::now();
};

}  // namespace heddle::cli
