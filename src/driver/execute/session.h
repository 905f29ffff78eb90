// One run of the program under the runtime, from its start to its end: the process, its shared region, its output. It
// turns records into executions, and lends these.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/execute/child_reports.h"
#include "driver/execute/execution_reader.h"
#include "driver/execute/supervisor.h"
#include "driver/target/launch.h"

namespace heddle {

class Session {
 public:
  explicit Session(const LaunchOptions& options);
  ~Session() { stop(); }

  // Starts the program afresh. Empty, or why that failed.
  std::string start();
  // Ends whatever is running.
  void stop();

  // False: no room now.
  bool write(const Plan& plan) { return region_->plans().write(plan); }

  // Reads records; true when an execution has ended. Then take it: with its output, where that is of interest.
  bool next_execution();
  LentExecution take_execution();
  // What is being read.
  const ExecutionReader& reader() const { return reader_; }
  // Ends the open execution on behalf of a process that is gone.
  LentExecution close_open(EndKind kind, int status);

  // Sleeps until there may be something to do, but at most `limit`; looks after the target. `busy`: it has work to do.
  void wait(std::chrono::milliseconds limit, bool busy);
  // The two halves of wait(), for whoever waits for several sessions: the word that the target changes when it has
  // something, null if it has now.
  std::atomic<std::uint32_t>* begin_wait();
  void end_wait(bool busy);
  // The status as from wait(), once the target is gone; all its records are then in the region. While executions follow
  // each other, it is looked for some hundred times a second only, however often this is called.
  std::optional<int> ended();
  // Why we ended it, if we did.
  const std::string& ended_because() const { return ended_because_; }
  // Why we ended the execution that has just come to its end, if we did.
  const std::string& execution_ended_because() const { return execution_ended_because_; }

  const Status& status() const;
  // Null: nothing was started yet.
  const SharedRegion* region() const { return region_.get(); }
  ModuleMap modules() const;
  const Config& config() const { return config_; }
  bool randomized() const { return launcher_.randomized(); }
  std::string output() const { return output_.read(); }
  std::vector<std::string> take_notes();
  // The output of every execution is wanted, not only of those that failed.
  void keep_all_output(bool yes);

 private:
  void supervise(bool busy);
  void finish_execution(Execution& execution);

  Launcher launcher_;
  IsolationKind isolation_;
  Config config_;
  std::string problem_;  // why nothing can be started at all
  OutputCapture output_;
  std::unique_ptr<SharedRegion> region_;
  Process process_;
  ExecutionReader reader_;
  Supervisor supervisor_;
  ChildReports child_reports_;
  RateLimiter end_checks_;
  Descriptor controller_;  // pidfd of the controlled process, where that is not the one we started
  std::size_t launch_notes_taken_ = 0;
  std::string ended_because_;
  std::string execution_ended_because_;
  bool keep_all_output_ = false;
};

inline bool is_branching(const Session& session) { return session.status().state.load() >= WorkerState::Branching; }

}  // namespace heddle
