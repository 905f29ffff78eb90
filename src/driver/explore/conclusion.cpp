// See conclusion.h.
#include "driver/explore/conclusion.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "analysis/names.h"
#include "analysis/not_sequential.h"
#include "analysis/symbolizer.h"
#include "report/wording.h"
#include "trace/words.h"

namespace heddle {
namespace {

constexpr std::size_t kPlacesNamed = 3;
constexpr std::string_view kPreemption = "preemption";
constexpr std::string_view kOrdersMissed =
    "there are data races, and what comes of their orders was not explored for all: ";

std::string what_it_lacks(const Report& report, const Tally& tally) {
  if (report.stop_reason == StopReason::Time) return ": give it more --time";
  if (report.stop_reason == StopReason::Memory) return ": give it more by --memory-limit";
  if (report.stop_reason == StopReason::Schedules) return ": allow more with --max-schedules";
  return report.coverage.lost != 0 ? ": " + tally.last_loss() : "";
}

// "200000 steps", "1024 steps and 64 threads"
std::string limit_text(const Report& report) {
  const std::string steps = std::to_string(report.max_steps) + " steps";
  return report.max_threads_reached() ? steps + " and " + std::to_string(report.max_threads) + " threads" : steps;
}

}  // namespace

std::string nothing_proved(const Report& report, const RunOptions& options, const Search& search, const Tally& tally,
                           const std::string& orders_missed) {
  const std::string_view bounds = report.promise.bounds;
  const int proved = report.coverage.bound_proved;
  if (options.memory != MemoryModel::Sc && !report.instrumented)
    return fmt::format(
        "--memory={} changes what atomic operations read, and none was seen: build the program with "
        "heddle-cc or heddle-c++",
        word_for(kMemoryModelWords, options.memory));
  if (options.memory != MemoryModel::Sc && report.races_unchecked)
    return fmt::format(
        "--memory={} was not to be had in all schedules, since what happens before what is not known "
        "there; a note says why",
        word_for(kMemoryModelWords, options.memory));
  if (report.schedules == 0 && report.schedules_given_up != 0)
    return "the search began anew, and no schedule of it came to its end" + what_it_lacks(report, tally);
  if (report.schedules == 0)
    return report.stop_reason == StopReason::Time ? "not one schedule came to its end within --time"
                                                  : "no schedule was run";
  if (!orders_missed.empty()) return std::string(kOrdersMissed) + orders_missed;
  if (!tally.any_whole()) return "no schedule could be run to its end: " + tally.last_loss();
  if (tally.most_were_lost())
    return fmt::format("most schedules could not be run to their end ({} of {}): {}", grouped(tally.lost()),
                       grouped(tally.lost_or_whole()), tally.last_loss());
  if (report.coverage.lost != 0 && proved < 0 && search.exhausted())
    return (bounds.empty() ? "not all schedules could be run to their end: "
                           : "schedules without a " + std::string(bounds) + " could not be run to their end: ") +
           tally.last_loss();
  if (tally.cut_off() != 0 && !tally.any_came_to_its_end())
    return "no schedule ended within " + limit_text(report) + "; possibly the program " +
           (report.max_threads_reached() ? "creates threads without end" : "never ends") +
           ", and --max-steps allows more";
  if (options.require_bound && tally.any_cut_off_within(*options.require_bound))
    return "--require-bound=" + std::to_string(*options.require_bound) +
           " was not proved: " + counted(tally.cut_off(), "schedule") + " did not end within " + limit_text(report);
  const int preemptions = bounds == kPreemption ? proved : report.coverage.preemption_bound;
  if (options.require_bound && !report.coverage.complete && preemptions < static_cast<int>(*options.require_bound))
    return "--require-bound=" + std::to_string(*options.require_bound) + " was not proved" +
           what_it_lacks(report, tally);
  return {};
}

bool is_of_orders_missed(std::string_view why) { return why.starts_with(kOrdersMissed); }

std::string where_not_sequential(const Execution& execution) {
  const auto old = not_sequential(execution);
  if (!old) return {};
  const StepRecord& step = execution.steps[old->step];
  return fmt::format("not sequentially consistent: the {}{{at {:#x}}} misses the store{{at {:#x}}}",
                     old->is_store ? "store" : "load", step.site, execution.steps[old->missed].site);
}

std::string about_cut_off(const Report& report, const Tally& tally, const std::string& first) {
  if (!report.step_limit_reached || tally.cut_off() == 0) return {};
  return "warning: the program did not end within " + limit_text(report) + " in " +
         counted(tally.cut_off(), "schedule") + " of " + grouped(report.schedules) +
         " (possibly it never would). What comes after that was not run" +
         (first.empty() ? "" : ". Where the first of them was cut off: " + first);
}

std::vector<BusyPlace> busy_places(const Search& search, const Tally& tally, const Execution& example,
                                   const Session& session) {
  if (!search.entry().promise.draws.empty()) return {};  // they come from everywhere
  if (session.randomized()) return {};  // places are counted by their addresses, and each process has others
  Symbolizer symbolizer(session.modules());
  std::error_code error;
  Names names(example, symbolizer, std::filesystem::current_path(error).string());
  return describe(tally.switch_places(), kPlacesNamed, names);
}

}  // namespace heddle
