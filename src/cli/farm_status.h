// What a farm has come to: the coordinator keeps it on the server, and all that is said of a farm is made from it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/suite_results.h"
#include "farm/merge.h"

namespace heddle::cli {

// What the coordinator knows beside the merge.
struct FarmMoment {
  std::string name, verdict;  // of the farm; so far: "running", "bug", "no_bug_found" or "none"
  std::string
      stop_reason;  // "" while it runs; "exhausted", "bound", "bug", "time", "interrupted", "lost", "error", "done"
  std::string why_none;                    // with the verdict "none"
  std::size_t workers = 0;                 // that have given a sign of life lately
  std::uint32_t max_steps = 0;             // of a schedule
  double seconds = 0;                      // since it was started, or attached to
  double rate = 0;                         // schedules a second
  std::string refusal = {};                // of the last worker that takes no shard, and why; empty: none refused
  std::uint64_t messages = 0, bytes = 0;   // results that came, and their size
  std::uint64_t refused = 0, doubles = 0;  // of them, those that made no sense, and those that had come before
};

// As it is written. What is no UTF-8, as the messages of bugs may hold it, is replaced.
std::string json_text(const nlohmann::json& status, int indent = -1);
// Has bytes of a server the fields, of the types, that the functions below use?
bool is_status(const nlohmann::json& status);

nlohmann::json farm_json(const farm::Merge& merge, const FarmMoment& moment);
// Of a suite.
struct FarmShards {
  std::size_t waiting = 0, done = 0;
};
nlohmann::json farm_json(const std::vector<TestResult>& results, FarmShards shards, const FarmMoment& moment);
// For people: a few lines.
std::string farm_text(const nlohmann::json& status);
// The text format of Prometheus, version 0.0.4.
std::string farm_prometheus(const nlohmann::json& status);

}  // namespace heddle::cli
