// The wording of what was proved; see sentence.h. A claim is made only where the strategy's Coverage makes it.
#include "report/sentence.h"

#include <fmt/format.h>

#include "report/wording.h"

namespace heddle {
namespace {

// What limits every claim, in the order of what surprises people most.
std::vector<std::string> limits(const Report& report) {
  std::vector<std::string> result;
  if (report.races_checked) {
    result.emplace_back("what was not built with heddle-cc ran uninterrupted and was not looked at for races");
  } else {
    result.emplace_back(report.instrumented
                            ? "what was not built with heddle-cc ran uninterrupted"
                            : "atomics and memory accesses, yours and your libraries', ran uninterrupted");
    if (report.instrumented) result.emplace_back("so did plain accesses to memory");
    result.emplace_back("races were not checked");
  }
  if (report.schedules_stopped != 0)
    result.push_back(fmt::format("behind an unlock, a post or a signal of such code threads stopped in {} only",
                                 counted(report.schedules_stopped, "schedule")));
  if (report.of_another_version)
    result.emplace_back(
        "nothing was seen of what another version's heddle-cc has built (build it again with this version's)");
  if (report.instrumented) result.emplace_back("memory was sequentially consistent");
  if (!report.start_at.empty())
    result.push_back(fmt::format("what comes before the first call of {} was not interleaved", report.start_at));
  if (!report.no_preempt.empty())
    result.push_back(fmt::format("threads were not preempted in {}", fmt::join(report.no_preempt, ", ")));
  if (report.coverage.regions_kept)
    result.emplace_back("threads were not preempted where the program said so (heddle_atomic_begin)");
  if (!report.early_timeouts) {
    result.emplace_back("timeouts fired only when nothing else could go on");
  } else if (report.timeouts_could_fire && !report.promise.bounds.empty()) {
    result.push_back(
        fmt::format("a timeout that fires while others could go on counted as a {}", report.promise.bounds));
  }
  if (report.slow_threads && !report.promise.bounds.empty())
    result.push_back(
        fmt::format("a thread that is a second late at a clock read counted as a {}", report.promise.bounds));
  if (report.real_clock) result.emplace_back("time passed as it did on this machine (--clock=real)");
  if (report.clock_read_in_time && !(report.slow_threads && report.promise.slow_threads))
    result.emplace_back("no thread was slow: time passed only when all threads waited, or looked at the clock");
  if (report.processes_ran)
    result.emplace_back("the order in which its child processes go on was the system's, and no other was tried");
  if (report.left_control)
    result.emplace_back(
        "what it did as another program (exec), or up to an exit by a system call of its own, was not controlled");
  if (report.waiters_chosen) result.emplace_back("any waiter could be the one that is woken");
  result.push_back(report.spurious_wakeups == 0 ? "spurious wake-ups were left out"
                                                : fmt::format("at most {} happened in each",
                                                              counted(report.spurious_wakeups, "spurious wake-up")));
  if (!report.deterministic)
    result.push_back("what the program got from outside, and did not get the same each time, was taken as it came");
  if (report.random_drawn)
    result.push_back(fmt::format("the random numbers it drew were one draw (--input-seed={})", report.input_seed));
  if (report.step_limit_reached)
    result.push_back(
        fmt::format("what comes after {}{} was not run", counted(report.max_steps, "step"),
                    report.max_threads_reached() ? " or " + counted(report.max_threads, "thread") : std::string()));
  return result;
}

std::string scope(const Report& report) {
  std::string result = fmt::format("switching at {} only: ", points_of(report));
  const auto all = limits(report);
  for (std::size_t i = 0; i < all.size(); ++i) result += (i == 0 ? "" : ", ") + all[i];
  return result;
}

std::string lost(const Report& report) {
  if (report.coverage.lost == 0) return {};
  return fmt::format(" {} could not be run as planned; what would have come of that is not covered.",
                     counted(report.coverage.lost, "schedule"));
}

bool is_fair(const Report& report) { return report.fairness_held_back && report.promise.fair; }

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

// Of each set of schedules that differ only in the order of independent steps, one is run.
bool of_classes(const Report& report) { return report.coverage.up_to_equivalence; }

// By what threads may learn of each other without its being seen.
const char* unseen(const Report& report) {
  if (!report.instrumented) return "atomics, racing accesses, clocks, files or the like";
  return report.races_checked ? "what was not built with heddle-cc" : "racing accesses, clocks, files or the like";
}

// "was run (N)", or what is said in place of it.
std::string was_run(const Report& report, std::uint64_t schedules) {
  if (!of_classes(report)) return fmt::format("was run ({})", grouped(schedules));
  return fmt::format("was run, or is equivalent to one that was{} ({}) unless threads learn of each other by {}{}",
                     report.coverage.early_ends ? " or to the beginning of one" : "", grouped(schedules),
                     unseen(report),
                     report.promise.exact.empty() ? "" : fmt::format(" ({} does without this)", report.promise.exact));
}

// A bug was found on the way: the run did show something, and says what it looked at.
std::string nothing_proved(const Report& report) {
  if (report.schedules == 0)
    return report.schedules_given_up == 0
               ? "nothing was proved: no schedule was run."
               : "nothing was proved: no schedule came to its end after the search began anew.";
  const bool bug = !report.bugs.empty();
  const char* begin = bug ? "" : "nothing was proved: ";
  const char* others = bug ? "Others may fail in other ways." : "Others may fail.";
  const std::uint64_t all = report.schedules_in_all();
  const std::string count = all == 1 ? "1 schedule was" : grouped(all) + " schedules were";
  if (of_classes(report) && report.coverage.distrusted)
    return fmt::format(
        "{}{} run, not all that differ: two that count as equivalent were seen to differ ({} --reduction=none runs "
        "them "
        "all), {}. {}",
        begin, count, report.promise.instead, scope(report), others);
  if (of_classes(report) && report.coverage.memory_decides)
    return fmt::format(
        "{}{} run, not all that differ: some operations depend on more than this search looks at ({} does without), "
        "{}. "
        "{}",
        begin, count, report.promise.instead, scope(report), others);
  if (of_classes(report) && report.promise.bounds.empty())
    return fmt::format("{}{} run, not all that differ ({}), {}. {}", begin, count, why_stopped(report), scope(report),
                       others);
  if (!report.promise.draws.empty())
    return fmt::format("{}{} {}, {}. {}", begin, count, report.promise.draws, scope(report), others);
  return fmt::format("{}{} run, not all of those {} ({}), {}.{}", begin, count, within(report, 0), why_stopped(report),
                     scope(report), bug ? " " + std::string(others) : "");
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

std::string last_sentence(const Report& report) {
  if (report.verdict == Verdict::None)
    return fmt::format("No verdict: {}",
                       report.no_verdict_reason.empty() ? "nothing was proved." : report.no_verdict_reason);
  const Coverage& coverage = report.coverage;
  const char* remaining =
      report.bugs.empty() ? "A remaining bug of this kind" : "A bug of this kind not reported above";
  if (coverage.complete && coverage.lost == 0)
    return capitalized(fmt::format(
        "{} {}, {}. {} needs {}something else than another order of these.", every(report),
        was_run(report, of_classes(report) || !report.parts.empty() ? coverage.schedules_at_bound : report.schedules),
        scope(report), remaining, unfair(report)));
  if (coverage.bound_proved < 0) return capitalized(nothing_proved(report)) + lost(report);
  return capitalized(fmt::format("{} {} {}, {}.{} {} needs {}at least {}.", every(report),
                                 within(report, coverage.bound_proved), was_run(report, coverage.schedules_at_bound),
                                 scope(report), lost(report), remaining, unfair(report), coverage.bound_proved + 1));
}

std::vector<std::string> assumptions_of(const Report& report) {
  std::vector<std::string> result{fmt::format("Threads were switched at {} only.", points_of(report))};
  for (const std::string& limit : limits(report)) result.push_back(capitalized(limit) + ".");
  if (report.fairness_held_back)
    result.push_back("Schedules are fair: a thread that yields, sleeps or times out lets the others go first.");
  if (of_classes(report))
    result.push_back(fmt::format(
        "Of schedules that differ only in the order of independent steps, one was run; that is enough unless threads "
        "learn of each other by {}.",
        unseen(report)));
  else if (!report.promise.draws.empty())
    result.push_back(fmt::format("Schedules were {}.", report.promise.draws));
  if (report.coverage.early_ends)
    result.emplace_back(
        "Where the process can end while threads could go on, and none of the program's code runs then, schedules that "
        "end earlier than one that was run, and else begin like it, were left out.");
  for (const std::string& own : report.assumptions) result.push_back(own);
  return result;
}

}  // namespace heddle
