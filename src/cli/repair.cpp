// See repair.h.
#include "cli/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "analysis/old_values.h"
#include "cli/order_search.h"
#include "driver/explore/explore.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kLeast_s = 6, kMost_s = 20;
constexpr std::size_t kMostPlaces = 24;
// A bug of these programs often has a twin with the threads swapped, which needs a preemption more.
constexpr unsigned kBound = 2;

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

  // Empty: none was found. One without seq_cst is the better one: it costs less, and the model takes fences of it for
  // stronger than C++ does.
  std::string find() {
    for (const OrderChange strongest : {OrderChange::OneWay, OrderChange::Sequential}) {
      ran_out_ = false;
      chosen_.assign(bug_.weak.size(), Chosen{strongest});
      if (!holds_for_all()) continue;
      for (Chosen& one : chosen_) weaken(one);
      return words();
    }
    return {};
  }

 private:
  struct Chosen {
    OrderChange to;
    bool stays = true;
  };

  // Within fewer preemptions where there is no time for more.
  bool holds_for_all() {
    if (holds()) return true;
    if (!std::exchange(ran_out_, false) || bound_ == bug_.preemptions) return false;
    bound_ = bug_.preemptions;
    return holds();
  }

  // Leaves it out, or makes it less strong; if that brings the bug back, it stays as it is.
  void weaken(Chosen& one) {
    const Chosen before = one;
    one.stays = false;
    if (holds()) return;
    one = before;
    if (one.to != OrderChange::Sequential) return;
    one.to = OrderChange::OneWay;
    if (!holds()) one = before;
  }

  // Was every schedule within the bound run, and no bug found? Without time it does not hold.
  bool holds() {
    std::vector<ChangedOrder> changed;
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i].stays) changed.push_back({CodePlace{{}, bug_.weak[i].site}, chosen_[i].to, bug_.weak[i].failed});
    Observer nobody;
    const OrderSearch one{bound_, max_stale(), end_};
    const OrderSearch::Result result = one.run(target_, options_, std::move(changed), nobody);
    ran_out_ = ran_out_ || result.ran_out;
    schedules_ = result.schedules;
    return result.passes;
  }

  // At least as many as the bug needs.
  unsigned max_stale() const {
    return std::max(options_.max_stale, static_cast<unsigned>(old_values(bug_.execution).size()));
  }

  std::string words() {
    if (ran_out_) return {};
    std::string changes;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if (!chosen_[i].stays) continue;
      const AtomicPlace& place = bug_.weak[i];
      changes += fmt::format("{}{} {}", changes.empty() ? "" : ", ", in_words(place), order_name(place, chosen_[i].to));
    }
    if (changes.empty()) return {};
    if (!holds()) return {};  // counts the schedules
    const std::string within =
        bound_ == 0 ? "without a preemption" : fmt::format("with at most {}", counted(bound_, "preemption"));
    return fmt::format("make {}. Then{} every schedule {} passes ({} run, at most {} in each).", changes,
                       options_.memory == MemoryModel::Tso ? ", on x86," : "", within, grouped(schedules_),
                       counted(max_stale(), "old value"));
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
  if (old_values(execution).empty()) return places;
  std::set<std::pair<Site, bool>> seen;
  for (std::size_t i = 0; i < execution.steps.size(); ++i)
    if (could_be_stronger(execution.steps[i]) && seen.insert(order_key(execution.steps[i])).second)
      places.push_back(atomic_place(execution, i, names));
  return places;
}

void search_for_repairs(const Target& target, const RunOptions& options, double seconds_left, Report& report) {
  if (options.memory == MemoryModel::Sc || report.randomized) return;  // places are known by their addresses
  const double budget = std::min(seconds_left, std::clamp(report.seconds / 4, kLeast_s, kMost_s));
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget));
  for (Bug& bug : report.bugs)
    if (!bug.weak.empty() && bug.weak.size() <= kMostPlaces) {
      bug.repair = Repair(target, options, bug, end).find();
      if (bug.repair.empty()) bug.repair = fmt::format("none was found by stronger orders within {:.0f} s", budget);
    }
}

}  // namespace heddle::cli
