// See farm_tests.h.
#include "cli/farm_tests.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/command.h"
#include "cli/farm_files.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/suite.h"
#include "cli/values.h"
#include "farm/broker.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// Those that heddle test gives the run of a test (Suite::start()). What a search leaves to go on from stays here, and
// there is no regression store: so neither is kept or tried.
std::vector<std::string> words_for(const farm::Job& job, const farm::FarmTest& test, double seconds,
                                   const std::string& report, const std::string& bugs) {
  std::vector<std::string> words{"-q",
                                 "--color=never",
                                 "--regressions=no",
                                 "--json=" + report,
                                 "-o",
                                 bugs,
                                 "--time=" + format_seconds(seconds),
                                 "-j",
                                 "1"};
  const std::vector<std::string> options = words_of(job.options);
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), job.command.begin(), job.command.end());
  words.insert(words.end(), test.words.begin(), test.words.end());
  return words;
}

// Where it can't be sent, it is left out.
void send(const std::string& path, const std::string& name, const farm::Job& job, const std::string& folder,
          farm::TestRun& run) {
  FileContent file = read_file(path);
  if (!file.error.empty() || !farm::is_plain_name(name)) return;
  const std::string content = with_path(std::move(file.content), job.command[0], job.program[0].path);
  const std::string digest = farm::digest_of(content);
  if (content.size() > farm::kMostFile_bytes || !write_file(sent_file(folder, digest), content).empty()) return;
  run.files.push_back({name, digest, content.size(), false});
}

}  // namespace

farm::ShardResult run_listed_test(const farm::Job& job, const farm::Shard& shard, const std::string& folder,
                                  Terminal& terminal) {
  farm::ShardResult result;
  result.job = job.id;
  result.id = shard.id;
  const std::string report = folder + "/report", bugs = folder + "/bugs";
  farm::TestRun run;
  run.folder = bugs;
  const farm::FarmTest& test = job.tests[test_of(job, shard.id)];
  Parsed parsed = parse(kRunTestCommand, words_for(job, test, shard.budget_s, report, bugs));
  if (!parsed.error.empty()) {
    result.failed = parsed.error;
    return result;
  }
  parsed.settings.run.processors = job.processors;
  parsed.settings.run.save_every_s = 0;
  run.status = static_cast<std::uint32_t>(kRunTestCommand.run(parsed.settings, terminal));
  std::fflush(nullptr);
  result.seconds = parsed.settings.seconds_passed();
  send(report, farm::kReportName, job, folder, run);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(bugs, error))
    if (entry.is_regular_file(error)) send(entry.path().string(), entry.path().filename().string(), job, folder, run);
  result.test = std::move(run);
  return result;
}

std::size_t test_of(const farm::Job& job, farm::ShardId shard) { return (shard - 1) % job.tests.size(); }

std::vector<std::string> command_of_probe(const farm::Job& job) {
  std::vector<std::string> command = job.command;
  const auto words = job.tests.at(job.probe_test).words;
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

std::vector<std::pair<std::string, std::string>> options_of_probe(const farm::Job& job) {
  std::vector<std::pair<std::string, std::string>> result;
  std::copy_if(job.options.begin(), job.options.end(), std::back_inserter(result), [](const auto& one) {
    const Option* option = option_named(one.first);
    return option != nullptr && option->repeatable_search && (option->commands & For::FarmRun) != 0;
  });
  return result;
}

}  // namespace heddle::cli
