// A test of a suite as a shard of a farm: run in the process of the shard as `heddle test` runs it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/terminal.h"
#include "farm/messages.h"

namespace heddle::cli {

// `folder`: of the shard. The files of the result lie there, each under its digest (sent_file()). What this process
// prints lies elsewhere: who started it reads TestRun::said there (ShardProcess::result()).
farm::ShardResult run_listed_test(const farm::Job& job, const farm::Shard& shard, const std::string& folder,
                                  Terminal& terminal);

// Which test of the job a shard is.
std::size_t test_of(const farm::Job& job, farm::ShardId shard);

// The probe runs the first schedule of one test: with which command, and with those options of the job that hold for a
// schedule alone.
std::vector<std::string> command_of_probe(const farm::Job& job);
std::vector<std::pair<std::string, std::string>> options_of_probe(const farm::Job& job);

}  // namespace heddle::cli
