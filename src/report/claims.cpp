// See claims.h. A claim is made only where the strategy's Coverage makes it.
#include "report/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/claim_meanings.h"
#include "report/wording.h"

namespace heddle {
namespace {

using Claims = std::vector<Claim>;

Claim included(std::string_view text, const char* meaning) { return {fmt::format("Includes: {}.", text), meaning}; }
Claim unchecked(std::string_view text, const char* meaning) { return {fmt::format("Not checked: {}.", text), meaning}; }
Claim assumed(std::string_view text, const char* meaning) { return {fmt::format("Assumes: {}.", text), meaning}; }
Claim next(std::string_view text, const char* meaning) { return {fmt::format("Next: {}.", text), meaning}; }

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
void add_points(const Report& report, Claims& claims) {
  const std::string elsewhere = fmt::format("switches elsewhere than at {}; ", points_of(report));
  if (report.python != PythonPoints::No) {
    claims.push_back(unchecked(elsewhere + "code of Python and of installed packages ran uninterrupted in between",
                               meaning::kPointsPython));
    return;
  }
  if (!report.instrumented && report.patched)
    claims.push_back(
        unchecked(elsewhere + "plain loads and stores, yours and your libraries', ran uninterrupted, so an atomic load "
                              "or store by such a one did, too",
                  meaning::kPointsPatched));
  else if (!report.instrumented)
    claims.push_back(unchecked(elsewhere + "atomics and memory accesses, yours and your libraries', ran uninterrupted",
                               meaning::kPointsPlain));
  else if (report.races_checked)
    claims.push_back(unchecked(elsewhere + "code that was not built with heddle-cc ran uninterrupted",
                               meaning::kPointsInstrumented));
  else
    claims.push_back(
        unchecked(elsewhere + "plain accesses, and code that was not built with heddle-cc, ran uninterrupted",
                  meaning::kPointsWithoutRaces));
  if (report.races_checked)
    claims.push_back(unchecked("data races in code that was not built with heddle-cc", meaning::kRacesInstrumented));
  else
    claims.push_back(unchecked("data races", report.instrumented ? meaning::kRacesIgnored : meaning::kRacesPlain));
  if (report.schedules_stopped != 0)
    claims.push_back(
        unchecked(fmt::format("every place behind an unlock, a post or a signal in code that was not built with "
                              "heddle-cc; threads stopped at some of them in {}",
                              counted(report.schedules_stopped, "schedule")),
                  meaning::kStopped));
  if (report.of_another_version)
    claims.push_back(unchecked("what another version's heddle-cc has built; build it again with this version's",
                               meaning::kOtherVersion));
}

// Which parts of the program were not interleaved.
void add_scope(const Report& report, Claims& claims) {
  if (!report.start_at.empty())
    claims.push_back(
        unchecked(fmt::format("what comes before the first call of {}", report.start_at), meaning::kStartAt));
  if (!report.no_preempt.empty())
    claims.push_back(
        unchecked(fmt::format("preemptions in {}", fmt::join(report.no_preempt, ", ")), meaning::kNoPreempt));
  if (report.coverage.regions_kept && report.python == PythonPoints::No)  // who has an interpreter's lock keeps it
    claims.push_back(unchecked("preemptions where the program forbids them (heddle_atomic_begin)", meaning::kRegions));
  if (report.processes_ran)
    claims.push_back(
        unchecked("other orders of its child processes than the one that the system chose", meaning::kProcesses));
  if (report.goroutines)
    claims.push_back(
        unchecked("orders of goroutines; Heddle switches the threads of Go's runtime, which decides what "
                  "runs on them",
                  meaning::kGoroutines));
  if (report.left_control)
    claims.push_back(unchecked("what it did as another program (exec), or up to an exit by a system call of its own",
                               meaning::kLeftControl));
  if (report.step_limit_reached)
    claims.push_back(unchecked(
        fmt::format("what comes after {}{}", counted(report.max_steps, "step"),
                    report.max_threads_reached() ? " or " + counted(report.max_threads, "thread") : std::string()),
        meaning::kTooLong));
}

void add_time(const Report& report, Claims& claims) {
  const std::string_view unit = report.promise.bounds;
  if (report.timeouts == Timeouts::Late)
    claims.push_back(unchecked("timeouts that fire while others could go on (--timeouts=late)", meaning::kLate));
  else if (report.timeouts == Timeouts::Ordered)
    claims.push_back(
        unchecked("slow threads: no wait ended by its time while a thread could go on, or before another wait "
                  "with an earlier deadline (--timeouts=ordered)",
                  meaning::kOrdered));
  else if (report.timeouts_could_fire && !unit.empty())
    claims.push_back(included(fmt::format("a timeout that fires while others could go on counted as a {}", unit),
                              meaning::kEarlyTimeouts));
  if (report.slow_threads && !unit.empty())
    claims.push_back(included(fmt::format("a thread that is a second late at a clock read counted as a {}", unit),
                              meaning::kSlowThreads));
  if (report.clock_read_in_time && report.timeouts != Timeouts::Ordered &&
      !(report.slow_threads && report.promise.slow_threads))
    claims.push_back(
        unchecked("slow threads; time passed only when all threads waited, or looked at the clock", meaning::kTimely));
  if (report.real_clock)
    claims.push_back(assumed("time passes as it did on this machine (--clock=real)", meaning::kRealClock));
}

void add_input(const Report& report, Claims& claims) {
  if (!report.deterministic)
    claims.push_back(
        unchecked("other input; what the program got from outside, and did not get the same each time, was "
                  "taken as it came",
                  meaning::kInput));
  if (report.random_drawn)
    claims.push_back(unchecked(
        fmt::format("other random numbers; those that it drew were one draw (--input-seed={})", report.input_seed),
        meaning::kRandom));
}

// What --memory has brought.
void add_memory(const Report& report, Claims& claims) {
  const bool tso = report.memory == MemoryModel::Tso;
  const std::string limit = report.max_stale ? fmt::format(", at most {} in each schedule", *report.max_stale) : "";
  claims.push_back(included(fmt::format("atomic accesses that miss a newer store{}, as {}", limit,
                                        tso ? "x86 processors allow it" : "the C++ memory orders allow it"),
                            meaning::kOldValues));
  claims.push_back(assumed(fmt::format("plain and volatile accesses, and read-modify-writes, find the newest value{}",
                                       tso ? "" : "; nothing is read that is written later (load buffering)"),
                           meaning::kNewestValues));
  if (!tso)
    claims.push_back(
        assumed("memory_order_seq_cst fences have one order with all memory_order_seq_cst operations, the one in which "
                "they ran",
                meaning::kSequential));
  claims.push_back(unchecked("loads that miss a store of inline assembly, or of another process (MAP_SHARED)",
                             meaning::kStoredUnseen));
  if (report.old_values_missed)
    claims.push_back(
        unchecked("old values for which there was no room, in some schedules (a note says which)", meaning::kEvicted));
}

void add_assumptions(const Report& report, Claims& claims) {
  if (report.fairness_held_back)
    claims.push_back(assumed("schedules are fair: a thread that yields, sleeps or times out lets the others go first",
                             meaning::kFairAssumed));
  if (of_classes(report))
    claims.push_back(assumed(
        fmt::format("threads don't learn of each other by {}{}", unseen(report),
                    report.promise.exact.empty() ? "" : fmt::format(" ({} does without this)", report.promise.exact)),
        meaning::kClasses));
  if (report.coverage.symmetric)
    claims.push_back(
        assumed("threads started with the same function and argument can be swapped: nothing depends on their stack "
                "addresses, or on which of them has ended while others are not joined yet (--symmetry=no does without "
                "this)",
                meaning::kSymmetric));
  if (!report.benign.empty())
    claims.push_back(
        assumed(fmt::format("data races on {} do no harm, whatever order their accesses come in (--benign)",
                            fmt::join(report.benign, ", ")),
                meaning::kBenign));
  if (report.instrumented && report.memory == MemoryModel::Sc)
    claims.push_back(assumed("memory is sequentially consistent (--memory=rc11 does without this)", meaning::kMemory));
  if (report.memory != MemoryModel::Sc) add_memory(report, claims);
}

// In the order of what surprises people most.
Claims conditions(const Report& report) {
  Claims claims;
  add_points(report, claims);
  add_scope(report, claims);
  add_time(report, claims);
  add_input(report, claims);
  claims.push_back(
      report.spurious_wakeups == 0
          ? unchecked("spurious wake-ups (--spurious-wakeups=1 adds one to each schedule)", meaning::kSpurious)
          : included(fmt::format("at most {} happened in each", counted(report.spurious_wakeups, "spurious wake-up")),
                     meaning::kSpuriousTried));
  if (report.waiters_chosen) claims.push_back(included("any waiter could be the one that is woken", meaning::kWaiters));
  add_assumptions(report, claims);
  return claims;
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

// Why no time is enough for the schedules without a preemption.
std::string orders_of_threads(const Report& report) {
  constexpr std::uint32_t kFew = 14;  // so many have 10^10 orders
  const bool was_too_much = report.stop_reason == StopReason::Time || report.stop_reason == StopReason::Schedules ||
                            report.stop_reason == StopReason::Memory;
  if (!was_too_much || !report.promise.switches_free || report.tasks_max <= kFew) return {};
  const std::uint32_t threads = report.tasks_max - 1;
  const double digits = std::floor(std::lgamma(threads + 1.0) / std::log(10.0));
  return fmt::format(
      ". {} threads that don't wait for each other have 10^{} of these, one for each order; --search=delay proves "
      "something with many threads",
      grouped(threads), digits);
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
  return fmt::format("{} run, not all of those {} ({}){}", count, within(report, 0), why_stopped(report),
                     orders_of_threads(report));
}

bool claims_all(const Report& report) { return report.coverage.complete && report.coverage.lost == 0; }
bool claims_nothing(const Report& report) { return !claims_all(report) && report.coverage.bound_proved < 0; }

std::string line_of_claim(const Report& report) {
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

// A unit that has no sentence of its own explains itself.
const char* meaning_of_unit(std::string_view unit) {
  return unit == "preemption" ? meaning::kPreemption : unit == "delay" ? meaning::kDelay : "";
}

std::string meaning_of_claim(const Report& report) {
  if (claims_nothing(report)) return meaning::kNothing;
  const bool all = claims_all(report);
  const char* const others = report.bugs.empty() ? "." : " in other ways than those above.";
  std::string text = meaning::kSchedule;
  const auto add = [&](const char* sentence) { text += (*sentence == '\0' ? "" : " ") + std::string(sentence); };
  if (!all) add(meaning_of_unit(report.promise.bounds));
  add(all ? meaning::kAll : meaning::kWithin);
  text += others;
  add(meaning::kUnder);
  if (is_fair(report)) add(meaning::kFair);
  if (of_classes(report)) add(meaning::kEquivalent);
  if (of_classes(report) && report.coverage.early_ends) add(meaning::kEarlyEnd);
  if (!all) add(meaning::kBeyond);
  return text;
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
void add_next_bound(const Report& report, Claims& claims) {
  const Coverage& coverage = report.coverage;
  if (!report.bugs.empty() || claims_all(report) || claims_nothing(report) || coverage.next_bound <= 0 ||
      report.estimate || !report.parts.empty() || report.seconds <= 0)
    return;
  const double rate = static_cast<double>(report.schedules_in_all()) / report.seconds;
  claims.push_back(next(fmt::format("every schedule {} takes {} ({})", within(report, coverage.bound_proved + 1),
                                    magnitude(coverage.next_bound / rate),
                                    report.stop_reason == StopReason::Bound
                                        ? fmt::format("{}={}", report.limit, coverage.bound_proved + 1)
                                        : "--time"),
                        meaning::kNextBound));
}

// With a bug, its own block says how to go on.
void add_advice(const Report& report, Claims& claims) {
  if (report.needs_only_time())
    claims.push_back(
        next("--timeouts=ordered looks for other bugs; with --timing-bugs=pass one that needs only time is no failure",
             meaning::kNextOrdered));
  if (!report.bugs.empty()) return;
  if (report.python == PythonPoints::Line)
    claims.push_back(next("--python=opcode also switches threads within lines", meaning::kNextOpcode));
  else if (!report.instrumented && report.python == PythonPoints::No)
    claims.push_back(
        next(report.patched
                 ? "build with heddle-cc or heddle-c++ and run again: data races show, and all atomics are interleaved"
                 : "build with heddle-cc or heddle-c++ and run again: data races show, and atomics are interleaved; "
                   "--patch=yes interleaves atomic instructions of this build",
             report.patched ? meaning::kNextBuild : meaning::kNextBuildOrPatch));
  else if (claims_nothing(report) && report.kept_search.empty())  // else another line says how to go on
    claims.push_back(
        next("more time (--time), or a smaller test: fewer threads, fewer operations", meaning::kNextTime));
}

// Atomic instructions of code that is not instrumented, as far as they are points.
std::string patched_points(const Report& report) {
  if (!report.patched) return {};
  const std::string found = counted(report.atomics_found, "atomic instruction");
  if (report.atomics_left == 0) return fmt::format(" and {} of plain code", found);
  return fmt::format(" and {} of {} of plain code", report.atomics_found - report.atomics_left, found);
}

}  // namespace

std::string points_of(const Report& report) {
  if (report.python != PythonPoints::No)
    return fmt::format("{} of the program's own Python files, and {}",
                       report.python == PythonPoints::Line ? "lines" : "instructions", kPoints);
  const std::string patched = patched_points(report);
  if (!report.instrumented) return kPoints + patched;
  if (report.racing_places == 0) return "library synchronization, atomic operations and volatile accesses" + patched;
  return fmt::format("library synchronization, atomic operations, volatile accesses and {} that {}{}",
                     counted(report.racing_places, "place"), report.racing_places == 1 ? "races" : "race", patched);
}

std::string why_stopped(const Report& report) {
  if (report.stop_reason == StopReason::Bound) return fmt::format("{} was reached", report.limit);
  if (report.stop_reason == StopReason::Bug && report.bugs.size() > 1)
    return "the run stopped at a schedule with a bug";
  return words_of(report.stop_reason).why;
}

std::vector<Claim> claims(const Report& report) {
  if (report.verdict == Verdict::None || (report.only_known() && !report.no_verdict_reason.empty()))
    return {{fmt::format("No verdict: {}",
                         report.no_verdict_reason.empty() ? "nothing was proved." : report.no_verdict_reason),
             meaning::kNoVerdict}};
  Claims all{{line_of_claim(report), meaning_of_claim(report)}};
  // Who has a bug to look at does not read what else there might be, where nothing is claimed.
  if (report.schedules == 0 || (claims_nothing(report) && !report.bugs.empty())) {
    if (report.needs_only_time()) add_advice(report, all);
    return all;
  }
  if (std::string line = chance(report); !line.empty()) all.push_back({std::move(line), meaning::kChanceOfNew});
  if (std::string line = missed(report); !line.empty()) all.push_back({std::move(line), meaning::kMissed});
  if (!report.weaker_orders.empty())
    all.push_back({fmt::format("Weaker: {}.", report.weaker_orders), meaning::kWeaker});
  for (Claim& condition : conditions(report)) all.push_back(std::move(condition));
  add_next_bound(report, all);
  add_advice(report, all);
  return all;
}

std::vector<std::string> assumptions_of(const Report& report) {
  Claims all = conditions(report);
  if (report.coverage.early_ends)
    all.push_back(
        assumed("where the process can end while threads could go on, and none of the program's code runs then, a "
                "schedule that ends earlier than one that was run, and else begins like it, does nothing else",
                meaning::kEarlyEnd));
  std::vector<std::string> lines;
  for (Claim& claim : all) lines.push_back(std::move(claim.line));
  return lines;
}

}  // namespace heddle
