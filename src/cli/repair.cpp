// See repair.h.
#include "cli/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "analysis/old_values.h"
#include "driver/explore/explore.h"
#include "driver/process/interrupt.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kLeast_s = 2, kMost_s = 10;
constexpr std::size_t kMostPlaces = 24;
// A bug of these programs often has a twin with the threads swapped, which needs a preemption more.
constexpr unsigned kBound = 2;

const char* operation_name(OperationKind kind) {
  return kind == OperationKind::AtomicLoad ? "load" : kind == OperationKind::AtomicStore ? "store" : "update";
}

const char* order_name(OperationKind kind, Strength to) {
  if (to == Strength::Sequential) return "seq_cst";
  return kind == OperationKind::AtomicLoad ? "acquire" : kind == OperationKind::AtomicStore ? "release" : "acq_rel";
}

bool could_be_stronger(const StepRecord& step) {
  switch (step.operation) {
    case OperationKind::AtomicLoad:
    case OperationKind::AtomicStore:
      return order_of(step) != AtomicOrder::SequentiallyConsistent;
    case OperationKind::AtomicUpdate:
    case OperationKind::AtomicCompareExchange:
      return true;  // the record does not tell acq_rel from seq_cst
    default:
      return false;
  }
}

// The searches for one bug.
class Repair {
 public:
  Repair(const Target& target, const RunOptions& options, const Bug& bug, Clock::time_point end)
      : target_(target), options_(options), bug_(bug), end_(end), bound_(std::max(bug.preemptions, kBound)) {}

  // Empty: none was found.
  std::string find() {
    chosen_.assign(bug_.weak.size(), Chosen{Strength::Sequential});
    if (!holds()) {
      if (!std::exchange(ran_out_, false) || bound_ == bug_.preemptions) return {};
      bound_ = bug_.preemptions;
      if (!holds()) return {};
    }
    for (const Strength weaker : {Strength::OneWay, Strength::Sequential})
      for (Chosen& one : chosen_) weaken(one, weaker);
    return words();
  }

 private:
  struct Chosen {
    Strength to;
    bool stays = true;
  };

  // First all are made as weak as they can be; what is still sequentially consistent has to be. Then each is left out.
  void weaken(Chosen& one, Strength weaker) {
    const Chosen before = one;
    if (weaker == Strength::OneWay)
      one.to = weaker;
    else
      one.stays = false;
    if (!holds()) one = before;
  }

  // Was every schedule within the bound run, and no bug found? Without time it does not hold.
  bool holds() {
    const double left = std::chrono::duration<double>(end_ - Clock::now()).count();
    if (left < 0.05 || interrupted()) return ran_out_ = true, false;
    RunOptions options = options_;
    options.strengthened.clear();
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i].stays) options.strengthened.push_back({CodePlace{{}, bug_.weak[i].site}, chosen_[i].to});
    options.search = "bounded";
    options.search_options = {{"--max-preemptions", std::to_string(bound_)}};
    options.time_s = left / 4;  // one search of many
    options.keep_going = options.resume = false;
    options.save_every_s = options.minimize_s = 0;
    options.require_bound.reset();
    options.orders_file.clear();
    options.execution_log.clear();
    Observer nobody;
    const Report found = heddle::run(target_, options, nobody);
    const bool covered = found.coverage.complete || found.coverage.bound_proved >= static_cast<int>(bound_);
    if (!covered && found.bugs.empty()) ran_out_ = true;
    schedules_ = found.schedules_in_all();
    return found.verdict == Verdict::NoBugFound && covered && found.coverage.lost == 0;
  }

  std::string words() {
    if (ran_out_) return {};
    std::string changes;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (!chosen_[i].stays) continue;
      const AtomicPlace& place = bug_.weak[i];
      changes += fmt::format("{}the {} of {} at {} {}", changes.empty() ? "" : ", ", operation_name(place.operation),
                             place.variable, place.text, order_name(place.operation, chosen_[i].to));
    }
    if (changes.empty()) return {};
    if (!holds()) return {};  // counts the schedules
    return fmt::format("make {}. Then every schedule with at most {} passes ({} run, at most {} old values in each).",
                       changes, counted(bound_, "preemption"), grouped(schedules_), options_.max_stale);
  }

  const Target& target_;
  const RunOptions& options_;
  const Bug& bug_;
  const Clock::time_point end_;
  unsigned bound_;  // of preemptions
  std::vector<Chosen> chosen_;
  std::uint64_t schedules_ = 0;
  bool ran_out_ = false;
};

}  // namespace

std::vector<AtomicPlace> weak_places(const Execution& execution, Names& names) {
  std::vector<AtomicPlace> places;
  std::set<Site> seen;
  if (old_values(execution).empty()) return places;
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    if (!could_be_stronger(step) || !seen.insert(step.site).second) continue;
    places.push_back({step.site, step.operation, names.accessed(step).text, names.places().name_of_step(i).text});
  }
  return places;
}

void search_for_repairs(const Target& target, const RunOptions& options, Report& report) {
  if (options.memory == MemoryModel::Sc) return;
  const double room = options.time_s - report.seconds_in_all;
  const double budget = std::min(room, std::clamp(report.seconds / 4, kLeast_s, kMost_s));
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget));
  for (Bug& bug : report.bugs)
    if (!bug.weak.empty() && bug.weak.size() <= kMostPlaces) bug.repair = Repair(target, options, bug, end).find();
}

}  // namespace heddle::cli
