// The work of `heddle farm run`; see farm_work.h. What is to be run, and what results prove, farm::Merge knows.
#include <fmt/format.h>

#include <charconv>

#include "cli/farm_work.h"
#include "cli/output_folder.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

// Of a job's options. Nothing: it is not given, or is no number.
std::optional<unsigned> number_of(const farm::Job& job, std::string_view option) {
  for (const auto& [name, value] : job.options) {
    unsigned number = 0;
    const char* const end = value.data() + value.size();
    if (name == option && std::from_chars(value.data(), end, number).ptr == end && !value.empty()) return number;
  }
  return {};
}

class SearchWork final : public FarmWork {
 public:
  SearchWork(const Settings& settings, Terminal& terminal, farm::Broker& broker, const farm::Job& job)
      : settings_(settings),
        terminal_(terminal),
        broker_(broker),
        job_(job),
        merge_({number_of(job, "--max-preemptions"),
                job.keep_going,
                job.pieces,
                job.shard_s,
                {job.hunts, job.hunts_waiting, job.shard_s}}) {}

  const std::map<farm::ShardId, farm::Shard>& waiting() const override { return merge_.waiting(); }
  const std::map<farm::ShardId, farm::Shard>& waiting_beside() const override { return merge_.hunts().waiting(); }
  farm::Taken take(const farm::ShardResult& result) override { return merge_.take(result); }

  bool fetch(farm::ShardResult& result) override {
    for (const farm::FarmFile& file : result.waiting_file) {
      if (!merge_.waiting().contains(result.id)) continue;
      std::string error;
      const auto content = broker_.file(file.digest, file.bytes, error);
      if (!content && !broker_.connected()) return false;
      auto waiting = content ? farm::subtrees_from_bytes(*content) : farm::Refused{error};
      if (auto* refused = std::get_if<farm::Refused>(&waiting)) {
        result.broke_down = true;  // another worker may return it whole
        result.failed = "what is left of a shard can't be read: " + refused->why;
      } else {
        result.progress.waiting = std::get<Subtrees>(std::move(waiting));
      }
    }
    return true;
  }
  bool over() const override { return merge_.over(); }
  std::uint64_t schedules() const override { return merge_.schedules_in_all(); }

  std::string stop_reason() const override {
    return !merge_.failed().empty()                     ? "error"
           : !merge_.bugs().empty() && !job_.keep_going ? "bug"
           : merge_.lost() != 0                         ? "lost"
           : merge_.proved().complete                   ? "exhausted"
                                                        : "bound";
  }

  nlohmann::json status(FarmMoment& moment) const override {
    moment.max_steps = number_of(job_, "--max-steps").value_or(RunOptions().max_steps);
    if (moment.why_none.empty()) moment.why_none = why_none(moment);
    moment.verdict = !merge_.bugs().empty()       ? "bug"
                     : moment.stop_reason.empty() ? "running"
                     : moment.why_none.empty()    ? "no_bug_found"
                                                  : "none";
    return farm_json(merge_, moment);
  }

  ExitStatus conclude(nlohmann::json report, const FarmMoment& moment) override {
    keep_bugs(report);
    if (!settings_.quiet) terminal_.result(farm_text(report));
    if (!settings_.json.empty()) {
      const std::string text = json_text(report, 2) + "\n";
      const std::string error = settings_.json == "-" ? terminal_.json(text) : write_file(settings_.json, text);
      if (!error.empty()) {
        terminal_.message(error);
        return ExitStatus::WrongUse;
      }
    }
    if (!merge_.bugs().empty()) return ExitStatus::Bug;
    if (moment.stop_reason == "interrupted") return ExitStatus::Interrupted;
    return moment.why_none.empty() ? ExitStatus::NoBug : ExitStatus::NoVerdict;
  }

 private:
  std::string why_none(const FarmMoment& moment) const {
    if (!merge_.failed().empty()) return merge_.failed();
    if (moment.stop_reason == "lost")
      return fmt::format(
          "{} schedules could not be run as planned, so nothing is proved of those with {} preemptions "
          "and more: the program's behaviour depends on something that Heddle does not control",
          merge_.lost(), merge_.bound());
    if (!moment.stop_reason.empty() && merge_.schedules_in_all() == 0)
      return "no worker has returned a shard" + (moment.refusal.empty() ? "" : "; " + moment.refusal);
    if (!moment.stop_reason.empty() && merge_.all_cut_off())
      return fmt::format(
          "no schedule ended within {} steps; possibly the program never ends, and --max-steps allows more",
          moment.max_steps);
    return {};
  }

  // The traces of bugs go into a folder as those of `heddle run` do.
  void keep_bugs(nlohmann::json& report) {
    OutputFolder folder(settings_.run.output_directory, job_.program[0].path, settings_.output_root);
    if (merge_.bugs().empty()) return;
    std::string problem = folder.make();
    std::size_t number = 0;
    for (const auto& [key, bug] : merge_.bugs()) {
      nlohmann::json& told = report["bugs"][number++];
      if (!problem.empty() || bug.trace.empty() || !broker_.connected()) continue;
      std::string error;
      const auto trace = broker_.file(bug.trace, bug.trace_bytes, error);
      if (!trace) continue;
      const std::string name = fmt::format("bug-{}.trace", number);
      problem = folder.write(name, *trace);
      if (problem.empty()) told["trace"] = folder.file(name);
    }
    if (problem.empty()) problem = folder.write("report.json", json_text(report, 2) + "\n");
    if (!problem.empty()) terminal_.message(problem);
  }

  const Settings& settings_;
  Terminal& terminal_;
  farm::Broker& broker_;
  const farm::Job& job_;
  farm::Merge merge_;
};

}  // namespace

std::unique_ptr<FarmWork> search_work(const Settings& settings, Terminal& terminal, farm::Broker& broker,
                                      const farm::Job& job) {
  return std::make_unique<SearchWork>(settings, terminal, broker, job);
}

}  // namespace heddle::cli
