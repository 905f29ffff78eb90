// See claims.h. A claim is made only where the strategy's Coverage makes it.
#include "report/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/wording.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

std::string included(std::string_view text) { return fmt::format("Includes: {}.", text); }
std::string unchecked(std::string_view text) { return fmt::format("Not checked: {}.", text); }
std::string assumed(std::string_view text) { return fmt::format("Assumes: {}.", text); }
std::string next(std::string_view text) { return fmt::format("Next: {}.", text); }

// By what threads may learn of each other without its being seen.
const char* unseen(const Report& report) {
  if (!report.instrumented) return "atomics, racing accesses, clocks, files or the like";
  return report.races_checked ? "code that was not built with heddle-cc" : "racing accesses, clocks, files or the like";
}

// Of each set of schedules that differ only in the order of independent steps, one is run.
bool of_classes(const Report& report) { return report.coverage.up_to_equivalence; }

bool is_fair(const Report& report) { return report.fairness_held_back && report.promise.fair; }

// --- what limits the claim

// Where threads were switched, and what ran uninterrupted.
void add_points(const Report& report, Lines& lines) {
  const std::string elsewhere = fmt::format("switches elsewhere than at {}; ", points_of(report));
  if (!report.instrumented)
    lines.push_back(unchecked(elsewhere + "atomics and memory accesses, yours and your libraries', ran uninterrupted"));
  else if (report.races_checked)
    lines.push_back(unchecked(elsewhere + "code that was not built with heddle-cc ran uninterrupted"));
  else
    lines.push_back(
        unchecked(elsewhere + "plain accesses, and code that was not built with heddle-cc, ran uninterrupted"));
  lines.push_back(
      unchecked(report.races_checked ? "data races in code that was not built with heddle-cc" : "data races"));
  if (report.schedules_stopped != 0)
    lines.push_back(
        unchecked(fmt::format("every place behind an unlock, a post or a signal in code that was not built with "
                              "heddle-cc; threads stopped at "
                              "some of them in {}",
                              counted(report.schedules_stopped, "schedule"))));
  if (report.of_another_version)
    lines.push_back(unchecked("what another version's heddle-cc has built; build it again with this version's"));
}

// Which parts of the program were not interleaved.
void add_scope(const Report& report, Lines& lines) {
  if (!report.start_at.empty())
    lines.push_back(unchecked(fmt::format("what comes before the first call of {}", report.start_at)));
  if (!report.no_preempt.empty())
    lines.push_back(unchecked(fmt::format("preemptions in {}", fmt::join(report.no_preempt, ", "))));
  if (report.coverage.regions_kept)
    lines.push_back(unchecked("preemptions where the program forbids them (heddle_atomic_begin)"));
  if (report.processes_ran)
    lines.push_back(unchecked("other orders of its child processes than the one that the system chose"));
  if (report.left_control)
    lines.push_back(unchecked("what it did as another program (exec), or up to an exit by a system call of its own"));
  if (report.step_limit_reached)
    lines.push_back(unchecked(
        fmt::format("what comes after {}{}", counted(report.max_steps, "step"),
                    report.max_threads_reached() ? " or " + counted(report.max_threads, "thread") : std::string())));
}

void add_time(const Report& report, Lines& lines) {
  const std::string_view unit = report.promise.bounds;
  if (report.timeouts == Timeouts::Late)
    lines.push_back(unchecked("timeouts that fire while others could go on (--timeouts=late)"));
  else if (report.timeouts == Timeouts::Ordered)
    lines.push_back(
        unchecked("slow threads: no wait ended by its time while a thread could go on, or before another wait "
                  "with an earlier deadline (--timeouts=ordered)"));
  else if (report.timeouts_could_fire && !unit.empty())
    lines.push_back(included(fmt::format("a timeout that fires while others could go on counted as a {}", unit)));
  if (report.slow_threads && !unit.empty())
    lines.push_back(included(fmt::format("a thread that is a second late at a clock read counted as a {}", unit)));
  if (report.clock_read_in_time && report.timeouts != Timeouts::Ordered &&
      !(report.slow_threads && report.promise.slow_threads))
    lines.push_back(unchecked("slow threads; time passed only when all threads waited, or looked at the clock"));
  if (report.real_clock) lines.push_back(assumed("time passes as it did on this machine (--clock=real)"));
}

void add_input(const Report& report, Lines& lines) {
  if (!report.deterministic)
    lines.push_back(
        unchecked("other input; what the program got from outside, and did not get the same each time, was "
                  "taken as it came"));
  if (report.random_drawn)
    lines.push_back(unchecked(
        fmt::format("other random numbers; those that it drew were one draw (--input-seed={})", report.input_seed)));
}

void add_assumptions(const Report& report, Lines& lines) {
  if (report.fairness_held_back)
    lines.push_back(assumed("schedules are fair: a thread that yields, sleeps or times out lets the others go first"));
  if (of_classes(report))
    lines.push_back(assumed(
        fmt::format("threads don't learn of each other by {}{}", unseen(report),
                    report.promise.exact.empty() ? "" : fmt::format(" ({} does without this)", report.promise.exact))));
  if (report.coverage.symmetric)
    lines.push_back(
        assumed("threads started with the same function and argument can be swapped: nothing depends on their stack "
                "addresses, or on which of them has ended while others are not joined yet (--symmetry=no does without "
                "this)"));
  if (!report.benign.empty())
    lines.push_back(assumed(fmt::format("data races on {} do no harm, whatever order their accesses come in (--benign)",
                                        fmt::join(report.benign, ", "))));
  if (report.instrumented) lines.push_back(assumed("memory is sequentially consistent"));
}

// In the order of what surprises people most.
Lines conditions(const Report& report) {
  Lines lines;
  add_points(report, lines);
  add_scope(report, lines);
  add_time(report, lines);
  add_input(report, lines);
  lines.push_back(
      report.spurious_wakeups == 0
          ? unchecked("spurious wake-ups (--spurious-wakeups=1 adds one to each schedule)")
          : included(fmt::format("at most {} happened in each", counted(report.spurious_wakeups, "spurious wake-up"))));
  if (report.waiters_chosen) lines.push_back(included("any waiter could be the one that is woken"));
  add_assumptions(report, lines);
  return lines;
}

// --- the claim

std::string lost(const Report& report) {
  if (report.coverage.lost == 0) return {};
  return fmt::format(" {} could not be run as planned; what would have come of that is not covered.",
                     counted(report.coverage.lost, "schedule"));
}

const char* every(const Report& report) { return is_fair(report) ? "every fair schedule" : "every schedule"; }

// What a bug may need that was not run, where a thread was held back.
const char* unfair(const Report& report) {
  return is_fair(report) ? "an unfair schedule (a thread that yields in vain again and again) or " : "";
}

// "with at most 2 preemptions"
std::string within(const Report& report, int bound) {
  const std::string_view what = report.promise.bounds;
  return bound == 0 ? fmt::format("without a {}", what)
                    : fmt::format("with at most {}", counted(static_cast<std::uint64_t>(bound), what));
}

// "was run (N)", or what is said in place of it.
std::string was_run(const Report& report, std::uint64_t schedules) {
  if (!of_classes(report)) return fmt::format("was run ({})", grouped(schedules));
  return fmt::format("was run, or is equivalent to one that was{} ({})",
                     report.coverage.early_ends ? " or to the beginning of one" : "", grouped(schedules));
}

// What did run, where nothing is proved by it.
std::string what_ran(const Report& report) {
  if (report.schedules == 0)
    return report.schedules_given_up == 0 ? "no schedule was run"
                                          : "no schedule came to its end after the search began anew";
  const std::uint64_t all = report.schedules_in_all();
  const std::string count = all == 1 ? "1 schedule was" : grouped(all) + " schedules were";
  if (of_classes(report) && report.coverage.distrusted)
    return fmt::format(
        "{} run, not all that differ: two that count as equivalent were seen to differ ({} "
        "--reduction=none runs them all)",
        count, report.promise.instead);
  if (of_classes(report) && report.coverage.memory_decides)
    return fmt::format(
        "{} run, not all that differ: some operations depend on more than this search looks at ({} does "
        "without)",
        count, report.promise.instead);
  if (report.coverage.guided)
    return fmt::format("{} run; left out: schedules that bring no new order of statements (--guide=hapset)", count);
  if (of_classes(report) && report.promise.bounds.empty())
    return fmt::format("{} run, not all that differ ({})", count, why_stopped(report));
  if (!report.promise.draws.empty()) return fmt::format("{} {}", count, report.promise.draws);
  return fmt::format("{} run, not all of those {} ({})", count, within(report, 0), why_stopped(report));
}

bool claims_all(const Report& report) { return report.coverage.complete && report.coverage.lost == 0; }
bool claims_nothing(const Report& report) { return !claims_all(report) && report.coverage.bound_proved < 0; }

std::string claim(const Report& report) {
  const Coverage& coverage = report.coverage;
  const char* remaining = report.bugs.empty() ? "A remaining bug among what was checked"
                                              : "A bug among what was checked, not reported above,";
  if (claims_all(report))
    return fmt::format(
        "Proved: {} {}. {} needs {}something else than another order of the same steps.", every(report),
        was_run(report, of_classes(report) || !report.parts.empty() ? coverage.schedules_at_bound : report.schedules),
        remaining, unfair(report));
  if (claims_nothing(report))
    return fmt::format("{}: {}. Other schedules may fail{}.",
                       report.bugs.empty() ? "Nothing was proved" : "Nothing else was proved", what_ran(report),
                       report.bugs.empty() ? "" : " in other ways") +
           lost(report);
  return fmt::format("Proved: {} {} {}.{} {} needs {}at least {}.", every(report),
                     within(report, coverage.bound_proved), was_run(report, coverage.schedules_at_bound), lost(report),
                     remaining, unfair(report),
                     counted(static_cast<std::uint64_t>(coverage.bound_proved) + 1, report.promise.bounds));
}

// "3 %", "0.04 %"; rounded up.
std::string percent(double share) {
  const double value = 100 * share;
  if (value == 0) return "0 %";
  const int digits = value >= 10 ? 0 : value >= 1 ? 1 : value >= 0.01 ? 2 : 4;
  const double scale = std::pow(10, digits);
  return fmt::format("{:.{}f} %", std::max(1.0, std::ceil(value * scale - 1e-6)) / scale, digits);
}

std::string chance(const Report& report) {
  if (!report.new_class || claims_all(report)) return {};
  const auto& [by, chance] = *report.new_class;
  return fmt::format(
      "Estimate: one more schedule by {} shows something new with a chance of {}, at most {} (from {} schedules; "
      "another "
      "order of independent steps is not new).",
      by, percent(chance.estimate), percent(chance.at_most), grouped(chance.draws));
}

// "of depth 1 with a chance of at most 0.2 %, of depth 2 with at most 21 %"
std::string missed(const Report& report) {
  if (report.missed.at_most.empty() || claims_all(report) || !report.bugs.empty()) return {};
  std::string depths;
  for (std::size_t i = 0; i < report.missed.at_most.size(); ++i)
    depths += fmt::format("{}of depth {} with {}at most {}", i == 0 ? "" : ", ", i + 1, i == 0 ? "a chance of " : "",
                          percent(report.missed.at_most[i]));
  return fmt::format(
      "Estimate: pct would have missed a bug {} (depth: so many pairs of steps must come in a certain order; for "
      "schedules of at most {} and {}).",
      depths, counted(report.missed.steps, "step"), counted(report.tasks_max, "thread"));
}

// "about ten minutes": the order of magnitude and no more.
const char* magnitude(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 24 * kHour, kBetween = 3;  // about the root of ten
  if (seconds < kBetween) return "about a second";
  if (seconds < 10 * kBetween) return "about ten seconds";
  if (seconds < kBetween * kMinute) return "about a minute";
  if (seconds < 10 * kBetween * kMinute) return "about ten minutes";
  if (seconds < kBetween * kHour) return "about an hour";
  if (seconds < 10 * kBetween * kHour) return "about ten hours";
  if (seconds < 10 * kDay) return "days";
  if (seconds < 60 * kDay) return "weeks";
  return seconds < 730 * kDay ? "months" : "years";
}

// How long the next bound takes. Where the search is in the midst of one, another line says that; of a search of parts
// the rate is not known.
std::string next_bound(const Report& report) {
  const Coverage& coverage = report.coverage;
  if (!report.bugs.empty() || claims_all(report) || claims_nothing(report) || coverage.next_bound <= 0 ||
      report.estimate || !report.parts.empty() || report.seconds <= 0)
    return {};
  const double rate = static_cast<double>(report.schedules_in_all()) / report.seconds;
  return next(fmt::format("every schedule {} takes {} ({})", within(report, coverage.bound_proved + 1),
                          magnitude(coverage.next_bound / rate),
                          report.stop_reason == StopReason::Bound
                              ? fmt::format("{}={}", report.limit, coverage.bound_proved + 1)
                              : "--time"));
}

// With a bug, its own block says how to go on.
std::string advice(const Report& report) {
  if (report.needs_only_time())
    return next(
        "--timeouts=ordered looks for other bugs; with --timing-bugs=pass one that needs only time is no failure");
  if (!report.bugs.empty()) return {};
  if (!report.instrumented)
    return next("build with heddle-cc or heddle-c++ and run again: data races show, and atomics are interleaved");
  if (!claims_all(report) && !report.kept_search.empty()) return {};  // another line says how to go on
  if (claims_nothing(report)) return next("more time (--time), or a smaller test: fewer threads, fewer operations");
  return {};
}

}  // namespace

std::string points_of(const Report& report) {
  if (!report.instrumented) return kPoints;
  if (report.racing_places == 0) return "library synchronization, atomic operations and volatile accesses";
  return fmt::format("library synchronization, atomic operations, volatile accesses and {} that {}",
                     counted(report.racing_places, "place"), report.racing_places == 1 ? "races" : "race");
}

std::string why_stopped(const Report& report) {
  if (report.stop_reason == StopReason::Bound) return fmt::format("{} was reached", report.limit);
  if (report.stop_reason == StopReason::Bug && report.bugs.size() > 1)
    return "the run stopped at a schedule with a bug";
  return words_of(report.stop_reason).why;
}

std::vector<std::string> claims(const Report& report) {
  if (report.verdict == Verdict::None || (report.only_known() && !report.no_verdict_reason.empty()))
    return {fmt::format("No verdict: {}",
                        report.no_verdict_reason.empty() ? "nothing was proved." : report.no_verdict_reason)};
  Lines lines{claim(report)};
  // Who has a bug to look at does not read what else there might be, where nothing is claimed.
  if (report.schedules == 0 || (claims_nothing(report) && !report.bugs.empty())) {
    if (report.needs_only_time()) lines.push_back(advice(report));
    return lines;
  }
  if (std::string line = chance(report); !line.empty()) lines.push_back(std::move(line));
  if (std::string line = missed(report); !line.empty()) lines.push_back(std::move(line));
  for (std::string& line : conditions(report)) lines.push_back(std::move(line));
  if (std::string line = next_bound(report); !line.empty()) lines.push_back(std::move(line));
  if (std::string line = advice(report); !line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> assumptions_of(const Report& report) {
  Lines lines = conditions(report);
  if (report.coverage.early_ends)
    lines.push_back(
        assumed("where the process can end while threads could go on, and none of the program's code runs then, a "
                "schedule that "
                "ends earlier than one that was run, and else begins like it, does nothing else"));
  return lines;
}

}  // namespace heddle
