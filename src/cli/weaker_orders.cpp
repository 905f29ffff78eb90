// See weaker_orders.h.
#include "cli/weaker_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/old_values.h"
#include "analysis/symbolizer.h"
#include "cli/from_trace.h"
#include "cli/order_search.h"
#include "driver/execute/replay.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned kBound = 2;  // of preemptions

// Of "queue.slots[2].turn", "turn": what the source has, whichever object it is.
std::string_view member_of(std::string_view variable) {
  if (variable.ends_with(']')) variable = variable.substr(0, variable.rfind('['));
  return variable.substr(variable.find_last_of(".>:") + 1);
}

// Collects the atomic operations whose order is not relaxed. That of a compare-exchange that fails is not recorded, and
// of updates not whether it is seq_cst or acq_rel.
class OrdersInUse final : public Observer {
 public:
  void on_schedule(const Execution& execution, const std::function<ModuleMap()>& modules) override {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < execution.steps.size(); ++i) {
      const StepRecord& step = execution.steps[i];
      const auto key = order_key(step);
      if (is_atomic(step) && !key.second && order_of(step) != AtomicOrder::Relaxed && seen_.insert(key).second)
        found.push_back(i);
    }
    if (found.empty()) return;
    Symbolizer symbolizer(modules());
    Names names(execution, symbolizer, current_folder());
    for (const std::size_t step : found)
      uses_.push_back({atomic_place(execution, step, names), order_of(execution.steps[step])});
  }
  struct Use {
    AtomicPlace place;
    AtomicOrder order;
  };
  // A search does not record where variables on stacks and on the heap lie, and a replay does: an operation on one that
  // has only a number gets the name that it has there, if that is one.
  void name_variables(const ReplayResult& replayed) {
    if (!replayed.execution) return;
    Symbolizer symbolizer(replayed.modules);
    Names names(*replayed.execution, symbolizer, current_folder());
    std::map<std::pair<std::string, OperationKind>, std::set<std::string>> variables;
    for (std::size_t i = 0; i < replayed.execution->steps.size(); ++i) {
      if (!is_atomic(replayed.execution->steps[i])) continue;
      const AtomicPlace place = atomic_place(*replayed.execution, i, names);
      variables[{place.text, place.operation}].insert(place.variable);
    }
    for (Use& use : uses_) {
      if (!use.place.variable.starts_with("variable ")) continue;
      const auto found = variables.find({use.place.text, use.place.operation});
      if (found != variables.end() && found->second.size() == 1) use.place.variable = *found->second.begin();
    }
  }
  // Those of one operation in the source go together, since it may have been inlined in many places. As they lie in the
  // program.
  std::vector<std::vector<Use>> by_operation() const {
    std::vector<Use> uses = uses_;
    std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.place.site < b.place.site; });
    std::vector<std::vector<Use>> result;
    for (const Use& use : uses) {
      const auto same = [&](const std::vector<Use>& line) {
        const AtomicPlace& one = line[0].place;
        return one.text == use.place.text && one.operation == use.place.operation &&
               member_of(one.variable) == member_of(use.place.variable);
      };
      const auto found = std::find_if(result.begin(), result.end(), same);
      (found != result.end() ? *found : result.emplace_back()).push_back(use);
    }
    return result;
  }

 private:
  std::set<std::pair<Site, bool>> seen_;
  std::vector<Use> uses_;
};

class Weakening {
 public:
  Weakening(const Target& target, const RunOptions& options, double seconds)
      : target_(target),
        options_(options),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  std::string find() {
    OrdersInUse used;
    for (bound_ = kBound; !passes({}, used); --bound_)
      if (bound_ == 0) return "not tried: " + why_not();
    Plan first;  // the schedule without a deviation
    first.stacks = true;
    used.name_variables(heddle::replay(target_, options_, first, false));
    for (const Line& line : used.by_operation()) weaken(line);
    if (chosen_.empty())
      return fmt::format("none of the memory orders can be weaker: each one that was tried makes a schedule {} fail{}",
                         within(), untried());
    std::string changes;
    for (const auto& [line, to] : chosen_)
      changes +=
          fmt::format("{}{} {}", changes.empty() ? "" : ", ", in_words(line[0].place), order_name(line[0].place, to));
    return fmt::format(
        "make {}. Then{} every schedule {} still passes ({} run, at most {} in each){}. An order that only keeps a "
        "load before a later store looks needless, since loads are not served by later stores here",
        changes, options_.memory == MemoryModel::Tso ? ", on x86," : "", within(), grouped(schedules_),
        counted(options_.max_stale, "old value"), untried());
  }

 private:
  using Line = std::vector<OrdersInUse::Use>;

  std::string within() const {
    return bound_ == 0 ? "without a preemption" : fmt::format("with at most {}", counted(bound_, "preemption"));
  }
  std::string untried() const {
    std::string text;
    if (out_of_time_ != 0) text += fmt::format("; {} not tried, as the time was up (--time)", out_of_time_);
    if (out_of_room_ != 0) text += fmt::format("; {} not tried, being in too many places", out_of_room_);
    return text;
  }

  std::string why_not() const {
    if (result_.missed) return "there is no room for all old values that a thread could read (a note says which)";
    return fmt::format("not every schedule {} could be run {}", within(),
                       result_.ran_out ? "in time (--time)" : "again with the same result");
  }

  void weaken(const Line& line) {
    Observer nobody;
    result_ = {};
    if (places_ + line.size() > kMaxChangedOrders) {
      ++out_of_room_;
      return;
    }
    for (const OrderChange to : {OrderChange::Relaxed, OrderChange::NotSequential}) {
      if (to == OrderChange::NotSequential && line[0].order != AtomicOrder::SequentiallyConsistent) continue;
      std::vector<std::pair<Line, OrderChange>> more = chosen_;
      more.emplace_back(line, to);
      if (!passes(more, nobody)) continue;
      chosen_ = std::move(more);
      places_ += line.size();
      return;
    }
    out_of_time_ += result_.ran_out ? 1 : 0;
  }

  bool passes(const std::vector<std::pair<Line, OrderChange>>& weaker, Observer& observer) {
    std::vector<ChangedOrder> changed;
    for (const auto& [line, to] : weaker)
      for (const OrdersInUse::Use& use : line) changed.push_back({CodePlace{{}, use.place.site}, to, false});
    const OrderSearch one{bound_, options_.max_stale, end_};
    const bool ran_out = result_.ran_out;
    result_ = one.run(target_, options_, std::move(changed), observer);
    if (result_.passes) schedules_ = result_.schedules;
    result_.ran_out = result_.ran_out || ran_out;
    return result_.passes;
  }

  const Target& target_;
  const RunOptions& options_;
  const Clock::time_point end_;
  unsigned bound_ = kBound;
  std::vector<std::pair<Line, OrderChange>> chosen_;
  std::uint64_t schedules_ = 0;                 // of the last search that passed
  OrderSearch::Result result_;                  // of the last search; ran_out: or an earlier one of the same operation
  std::size_t places_ = 0;                      // that are weaker
  unsigned out_of_time_ = 0, out_of_room_ = 0;  // operations that were not tried
};

}  // namespace

void search_for_weaker_orders(const Target& target, const RunOptions& options, double seconds_left, Report& report) {
  if (!options.relax || !report.bugs.empty() || report.verdict == Verdict::None) return;
  if (report.randomized) {
    report.weaker_orders =
        "not tried: places in the code have other addresses in each process, since address randomization could not be "
        "switched off (allow personality() in the container)";
    return;
  }
  report.weaker_orders = Weakening(target, options, seconds_left).find();
}

}  // namespace heddle::cli
