// What the explore loop keeps for `run --resume`, and how it goes on from there. The state that is written is always
// that between two events: every execution up to there has been learned and judged, and what was outstanding counts as
// not yet run.
#define XXH_INLINE_ALL  // header only
#include <xxhash.h>

#include <algorithm>

#include "driver/execute/plan_ids.h"
#include "driver/explore/explorer.h"

namespace heddle {
namespace {

// A search spends at most about this part of its time on being written down.
constexpr double kPartForKeeping = 0.04;

}  // namespace

std::uint64_t hash_of_steps(const Execution& execution) {
  std::uint64_t hash = XXH3_64bits(&execution.end.end, sizeof execution.end.end);
  for (const StepRecord& step : execution.steps) {
    const std::uint64_t fields[] = {
        step.task,    static_cast<std::uint64_t>(step.operation), step.variant, step.variants, step.object,
        step.object2, static_cast<std::uint64_t>(step.result)};
    hash = XXH3_64bits_withSeed(fields, sizeof fields, hash);
  }
  return hash;
}

RunOptions as_saved(RunOptions options, const SavedSearch* saved) {
  if (saved == nullptr || !saved->loaded()) return options;
  options.points = saved->header().points;
  if (options.isolation != IsolationChoice::Auto) return options;
  if (saved->header().isolation == IsolationKind::Fork) options.isolation = IsolationChoice::Fork;
  if (saved->header().isolation == IsolationKind::Exec) options.isolation = IsolationChoice::Exec;
  return options;
}

template <typename Self, typename Archive>
void Explorer::transfer(Self& self, Archive& archive) {
  auto& report = self.report_;
  archive(report.schedules, report.steps_run, report.resumed, report.resumed_from_bookmarks, report.steps_max,
          report.tasks_max, report.step_limit_reached, report.fairness_held_back, report.timeouts_could_fire,
          report.waiters_chosen, report.processes_ran, report.left_control, report.deterministic, report.notes,
          report.program_output);
  archive(self.ended_by_itself_, self.lost_, self.last_loss_, self.noted_, self.noted_as_written_, self.races_,
          self.points_, self.distinct_, self.estimates_, self.switch_places_, self.bugs_);
  archive(self.first_plan_.policy, self.first_plan_.for_policy, self.first_steps_, self.randomized_,
          self.executor_.files().numbers);
}

void Explorer::restore() {
  StateReader reader(saved_->content());
  transfer(*this, reader);
  reader(submitted_, seconds_before_);
  if (!strategy_->restore(reader) || reader.failed() || !reader.at_end())
    return give_up(StopReason::Error, "the search in " + saved_->path() + " can't be read");
  saved_->forget();
  report_.schedules_before = told_schedules_ = report_.schedules;
  probe_ = Probe::Due;
  note("going on with the search in " + saved_->path() + ", behind " + std::to_string(report_.schedules) +
       (report_.schedules == 1 ? " schedule" : " schedules"));
}

// --- keeping

void Explorer::keep_if_due() {
  if (!may_keep() || stopped_ || probe_ != Probe::None || report_.schedules == 0 || !doubtful_.empty()) return;
  if (Clock::now() >= keep_next_) keep();
}

void Explorer::keep() {
  const Clock::time_point begin = Clock::now();
  const double seconds = seconds_before_ + seconds_since(branched_);
  if (const std::string path = executor_.files().loaded.replaced(); !path.empty()) {
    keeping_failed_ = true;
    return note("the search is not kept for --resume any more: " + path + " is not the file that it was; run it again");
  }
  const SavedHeader header{report_.schedules, executor_.isolation().kind(), options_.points, observer_.output_folder(),
                           executor_.files().loaded.builds()};
  const std::string error = saved_->write(header, [&](StateWriter& writer) {
    transfer(*this, writer);
    writer(submitted_ - (executor_.outstanding() - samples_out_), seconds);
    strategy_->save(writer);
  });
  keeping_failed_ = !error.empty();
  if (keeping_failed_) return note(error);
  const double took = seconds_since(begin);
  keep_next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                                  std::max(options_.save_every_s, took / kPartForKeeping)));
}

// A search that has come to its end leaves nothing, once its report is out. One that was short is not worth it, unless
// somebody ended it.
void Explorer::keep_at_end() {
  if (saved_ != nullptr && !stopped_) return saved_->has_ended();
  if (!may_keep()) return;
  const auto& why = report_.stop_reason;
  const bool broken = why == StopReason::Error || why == StopReason::NothingToExplore;
  const bool worth_it = saved_->kept() || why == StopReason::Interrupted || Clock::now() >= keep_next_;
  if (!broken && worth_it && probe_ == Probe::None && report_.schedules != 0) keep();
  if (saved_->kept()) report_.kept_search = saved_->path();
}

// --- going on

// The first schedule is made once more, to see whether the program still does the same. True: it is under way.
bool Explorer::probe() {
  if (probe_ == Probe::None) return false;
  if (probe_ == Probe::Out || stopped_) return true;
  probe_ = Probe::Out;
  first_plan_.id = kProbeFlag;
  executor_.submit(Plan(first_plan_));
  return true;
}

void Explorer::on_probe(const ExecutionFinished& event) {
  probe_ = Probe::None;
  keep_next_ = Clock::now();
  executor_.keep_all_output(options_.output == OutputMode::All);
  example_ = *event.execution;
  if (randomized_ != executor_.session().randomized())
    return give_up(StopReason::Error,
                   "the search was kept where address randomization could " + std::string(randomized_ ? "not " : "") +
                       "be switched off, and it is the other way round here: what it knows of places in the code does "
                       "not hold. Without --resume the search begins anew");
  if (!report_.deterministic || hash_of_steps(*event.execution) == first_steps_) return;
  give_up(StopReason::Error,
          "the program does not do what it did when the search was kept: its first schedule has other steps or another "
          "end now (have its libraries, its files or its environment changed?). Without --resume the search begins "
          "anew");
}

}  // namespace heddle
