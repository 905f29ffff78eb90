// The work of `heddle farm test`; see farm_work.h. Each test is a shard. As with `heddle test`, all get a short time
// first, and what is left of the time goes to those that have shown no bug and are not through with their schedules.
// These begin anew: what a search has left stays with its worker.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/choose_tests.h"
#include "cli/farm_files.h"
#include "cli/farm_tests.h"
#include "cli/farm_work.h"
#include "cli/output_folder.h"
#include "cli/suite_report.h"
#include "driver/process/remove_tree.h"
#include "driver/target/program_name.h"
#include "report/report_schema.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

constexpr unsigned kMostUnfit = 3;  // results of a test that are of no use: then nobody can run it
constexpr double kUsable = 0.9;     // of the time that is left: the rest goes into starts and ends
constexpr double kWorthAnew = 1.5;  // times the time that a test had before: else it is not run anew
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of the files of one result

class SuiteWork final : public FarmWork {
 public:
  SuiteWork(const Settings& settings, Terminal& terminal, farm::Broker& broker, const farm::Job& job)
      : settings_(settings),
        terminal_(terminal),
        broker_(broker),
        job_(job),
        folder_(settings.run.output_directory, program_name(job.command) + "-tests", settings.output_root) {}

  std::string begin(bool again) override {
    again_ = again;
    if (std::string error = folder_.make(); !error.empty()) return error;
    TestList list{job_.framework, {}, {}, {}};
    for (const farm::FarmTest& test : job_.tests) list.tests.push_back({test.name, test.words});
    if (!settings_.quiet) terminal_.message(note_on_suite(list, settings_.run.time_s));
    results_ = std::make_unique<SuiteResults>(settings_, folder_.path(), list.tests, terminal_);
    std::vector<std::size_t> all(job_.tests.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    add_shards(all, first_share_s(settings_.seconds_left(), workers_, all.size()));
    return {};
  }

  void hear(std::size_t workers) override { workers_ = std::max(1.0, static_cast<double>(workers)); }
  const std::map<farm::ShardId, farm::Shard>& waiting() const override { return waiting_; }
  bool over() const override { return waiting_.empty(); }
  std::string stop_reason() const override { return "done"; }
  // A run ends somewhat after its time: what it has found is not to be lost.
  double grace_s() const override { return std::min(10.0, 2 + settings_.run.time_s / 10); }

  std::uint64_t schedules() const override {
    std::uint64_t count = 0;
    for (const TestResult& result : results_->all()) count += result.schedules();
    return count;
  }

  bool fetch(farm::ShardResult& result) override {
    fetched_.clear();
    problem_.clear();
    if (!waiting_.contains(result.id) || !result.test) return true;
    std::uint64_t bytes = 0;
    for (const farm::FarmFile& file : result.test->files) bytes += file.bytes;
    if (bytes > kMostBytes) problem_ = "its files are too large";
    for (const farm::FarmFile& file : result.test->files) {
      if (!problem_.empty()) break;
      std::string error;
      auto content = broker_.file(file.digest, file.bytes, error);
      if (!content && !broker_.connected()) return false;
      if (content)
        fetched_[file.path] = std::move(*content);
      else
        problem_ = fmt::format("its file {} can't be fetched: {}", file.path, error);
    }
    return true;
  }

  farm::Taken take(const farm::ShardResult& result) override {
    const auto found = waiting_.find(result.id);
    if (found == waiting_.end()) return farm::Taken::Ignored;
    EndedTest ended;
    if (result.failed.empty()) {
      if (problem_.empty() && !result.test) problem_ = "it has no test";
      if (problem_.empty()) problem_ = read(*result.test, test_of(job_, result.id), ended);
    } else {
      ended.why_failed = result.failed;
    }
    const bool is_unfit = result.broke_down || !problem_.empty();
    if (is_unfit && ++unfit_[result.id] < kMostUnfit) return farm::Taken::Again;
    if (is_unfit)
      ended = {{}, -1, (result.broke_down ? result.failed : "its result makes no sense: " + problem_) + ", 3 times"};
    ++done_;
    results_->take(test_of(job_, result.id), std::move(ended));
    waiting_.erase(found);
    if (waiting_.empty() && !is_second_) begin_second();
    return farm::Taken::Counted;
  }

  nlohmann::json status(FarmMoment& moment) const override {
    const ExitStatus status = status_of_suite(results_->all());
    if (moment.why_none.empty() && !moment.stop_reason.empty() && results_->ended() == 0)
      moment.why_none = "no worker has returned a test" + (moment.refusal.empty() ? "" : "; " + moment.refusal);
    moment.verdict = status == ExitStatus::Bug                                ? "bug"
                     : moment.stop_reason.empty()                             ? "running"
                     : status == ExitStatus::NoBug && moment.why_none.empty() ? "no_bug_found"
                                                                              : "none";
    return farm_json(results_->all(), {waiting_.size(), done_}, moment);
  }

  ExitStatus conclude(nlohmann::json /*report*/, const FarmMoment& moment) override {
    const ExitStatus status = conclude_suite(settings_, job_.framework, folder_.path(), results_->all(), terminal_);
    if (moment.why_none.empty()) return status;
    terminal_.message(moment.why_none);
    return status == ExitStatus::NoBug ? ExitStatus::NoVerdict : status;
  }

 private:
  // Those that can get considerably more time than before get it. An earlier coordinator may have had time for that,
  // and what has come of it counts.
  void begin_second() {
    const std::vector<std::size_t> tests = results_->with_more();
    if (tests.empty()) return;
    const double turns = std::ceil(static_cast<double>(tests.size()) / workers_);
    const double least_s = std::max(kWorthwhile_s, kWorthAnew * budget_s_);
    const double each_s = std::max(kUsable * settings_.seconds_left() / turns, again_ ? least_s : 0);
    if (each_s < least_s) return;
    is_second_ = true;
    if (!settings_.quiet) terminal_.message(note_on_more(tests.size(), each_s));
    add_shards(tests, each_s);
  }

  // In the second round their numbers go on behind those of the first.
  void add_shards(const std::vector<std::size_t>& tests, double seconds_each) {
    budget_s_ = seconds_each;
    for (const std::size_t test : tests) {
      farm::Shard shard;
      shard.id = test + 1 + (is_second_ ? job_.tests.size() : 0);
      shard.budget_s = seconds_each;
      waiting_[shard.id] = std::move(shard);
    }
  }

  // Empty, or why what came makes no sense.
  std::string read(const farm::TestRun& run, std::size_t test, EndedTest& ended) {
    const std::string& folder = results_->all()[test].folder;
    ended.status = static_cast<int>(run.status);
    ended.why_failed = run.said.empty() ? "heddle run ended without a report" : run.said;
    for (auto& [name, content] : fetched_) content = with_path(std::move(content), run.folder, folder);
    const auto found = fetched_.find(farm::kReportName);
    if (found == fetched_.end()) return {};
    ended.report = nlohmann::json::parse(found->second, nullptr, false);
    fetched_.erase(found);
    if (std::string why = why_no_report(ended.report); !why.empty()) return "of its report, " + why;
    nlohmann::json& bugs = ended.report["bugs"];
    if (run.status == static_cast<std::uint32_t>(ExitStatus::Bug) && bugs.empty()) return "it has no bug";
    std::vector<std::string> command = settings_.run.command;
    const std::vector<std::string>& words = job_.tests[test].words;
    command.insert(command.end(), words.begin(), words.end());
    ended.report["command"] = command;
    for (nlohmann::json& bug : bugs) {
      if (!bug["trace"].is_string()) continue;
      const std::string name = std::filesystem::path(bug["trace"].get<std::string>()).filename().string();
      bug["trace"] = fetched_.contains(name) ? nlohmann::json(fmt::format("{}/{}", folder, name)) : nlohmann::json();
    }
    return keep(folder);
  }

  // What an earlier run of the test has left is replaced.
  std::string keep(const std::string& folder) {
    if (fetched_.empty()) return {};
    std::error_code error;
    remove_tree(folder, error);
    if (const int failed = make_folders(folder); failed != 0)
      return fmt::format("{} can't be made: {}", folder, std::system_category().message(failed));
    for (const auto& [name, content] : fetched_)
      if (std::string problem = write_file(fmt::format("{}/{}", folder, name), content); !problem.empty())
        return problem;
    return {};
  }

  const Settings& settings_;
  Terminal& terminal_;
  farm::Broker& broker_;
  const farm::Job& job_;
  OutputFolder folder_;
  std::unique_ptr<SuiteResults> results_;
  std::map<farm::ShardId, farm::Shard> waiting_;
  std::map<farm::ShardId, unsigned> unfit_;     // how many results of a shard were of no use
  std::map<std::string, std::string> fetched_;  // files of the result that is to be taken
  std::string problem_;                         // with these; empty: none
  std::size_t done_ = 0;
  double workers_ = 1, budget_s_ = 0;
  bool again_ = false, is_second_ = false;
};

}  // namespace

std::unique_ptr<FarmWork> suite_work(const Settings& settings, Terminal& terminal, farm::Broker& broker,
                                     const farm::Job& job) {
  return std::make_unique<SuiteWork>(settings, terminal, broker, job);
}

}  // namespace heddle::cli
