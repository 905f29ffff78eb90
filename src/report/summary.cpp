// The text summary of a run; see summary.h.
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/causes.h"
#include "report/claims.h"
#include "report/columns.h"

namespace heddle {
namespace {

std::string cost(const Bug& bug) {
  const std::string by = bug.found_by.empty() ? "" : fmt::format(" ({})", bug.found_by);
  const std::string smaller = bug.preemptions < bug.preemptions_at_first
                                  ? fmt::format(" ({} at first)", grouped(bug.preemptions_at_first))
                                  : "";
  // A race is there whatever comes of it.
  const bool fails = !is_of_accesses(bug.outcome.kind);
  if (fails && bug.preemptions == 0 && bug.schedule == 1)
    return "in the first schedule: it fails without any preemption";
  if (bug.preemptions == 0)
    return fmt::format("in schedule {}{}, without any preemption{}", grouped(bug.schedule), by, smaller);
  return fmt::format("in schedule {}{}, with {}{}", grouped(bug.schedule), by, counted(bug.preemptions, "preemption"),
                     smaller);
}

std::string replay_line(const Bug& bug, const Style& style) {
  const std::string detail = bug.replay_detail.empty() ? "" : ": " + bug.replay_detail;
  switch (bug.replay) {
    case Bug::Replay::Reproduced:
      return "run again in a fresh process: reproduced";
    case Bug::Replay::Different:
      return style.yellow("run again in a fresh process: it did NOT happen again") + detail;
    case Bug::Replay::Diverged:
      return style.yellow("run again in a fresh process: the schedule could NOT be followed") + detail;
    case Bug::Replay::NotTried:
      break;
  }
  return "not run again" + detail;
}

// What is known of how many preemptions it takes.
std::string preemptions_needed(const Bug& bug) {
  if (bug.preemptions == 0) return {};
  const std::string count = counted(bug.preemptions, "preemption");
  if (!bug.needs_preemptions)
    return bug.preemptions < bug.preemptions_at_first ? fmt::format("  {}: the fewest that were found\n", count)
                                                      : std::string();
  const std::string fewer =
      bug.preemptions == 1 ? "without one" : fmt::format("with at most {}", grouped(bug.preemptions - 1));
  return fmt::format("  needs {}: every schedule {} was run, or is equivalent to one that was\n", count, fewer);
}

std::string timeouts(const Bug& bug) {
  std::string result;
  for (const std::string& timeout : bug.timeouts_fired) result += fmt::format("  needs a timeout: {}\n", timeout);
  for (const std::string& slow : bug.slow_threads) result += fmt::format("  needs a slow thread: {}\n", slow);
  if (bug.timeouts_fired.empty() && bug.timeouts != 0)
    result += fmt::format("  needs {}\n", counted(bug.timeouts, "timeout"));
  if (!bug.repair.empty()) result += fmt::format("  repair: {}\n", bug.repair);
  if (!bug.only_time.empty()) result += fmt::format("  needs only time: {}\n", bug.only_time);
  if (!bug.perhaps_only_time.empty()) result += fmt::format("  may need only time: {}\n", bug.perhaps_only_time);
  return result;
}

std::string how_to_go_on(const Bug& bug) {
  if (bug.trace_path.empty()) return {};
  const std::string path = shell_quoted(bug.trace_path);
  const std::string page = shell_quoted(bug.trace_path.substr(0, bug.trace_path.rfind('.')) + ".html");
  return fmt::format("  see it:    heddle show {}\n  browser:   {}\n  repeat it: heddle replay {}\n", path, page, path);
}

// How many of the schedules differ in more than the order of independent steps; where that is all of them, nothing.
std::string distinct(const Report& report) {
  if (report.distinct == 0 || report.distinct >= report.schedules) return {};
  return fmt::format("{} {}{} of {} different up to the order of independent steps,",
                     report.schedules_given_up == 0 ? "," : "", report.distinct_is_all ? "" : "at least ",
                     grouped(report.distinct), report.schedules_given_up == 0 ? "them" : "the others");
}

// What was run before the search began anew was run, but nothing is proved by it.
std::string given_up(const Report& report) {
  if (report.schedules_given_up == 0) return {};
  if (report.schedules == 0) return ", all before the search began anew,";
  return fmt::format(", {} of them before the search began anew,", grouped(report.schedules_given_up));
}

// Schedules are timed from the end of the first one on. What came before, and behind the last, is told where it was
// most of the time.
std::string with_set_up(const Report& report) {
  if (report.seconds_in_all < 2 * report.seconds + 2) return {};
  return fmt::format(", {} with the start of the program, its first schedule, and writing reports",
                     duration(report.seconds_in_all));
}

// " of 2 causes"; nothing where each bug has one of its own.
std::string causes_of(const Report& report) {
  const std::size_t causes = by_cause(report.bugs).size();
  return causes == report.bugs.size() ? std::string() : fmt::format(" of {}", counted(causes, "cause"));
}

// "2 bugs found", "2 bugs found, 1 of them known", "no new bug found, 1 known".
std::string bugs_found(const Report& report, const Style& style) {
  const auto known = static_cast<std::size_t>(
      std::count_if(report.bugs.begin(), report.bugs.end(), [](const Bug& bug) { return bug.is_known; }));
  if (report.only_known()) return style.green("no new bug found") + fmt::format(", {} known", known);
  const std::string all = counted(report.bugs.size(), "bug") + " found";
  const std::string some_known = known == 0 ? "" : fmt::format(", {} of them known", known);
  return (report.needs_only_time() ? style.yellow(all + ", of time only") : style.red(all + causes_of(report))) +
         some_known;
}

std::string headline(const Report& report, const Style& style) {
  // The claims say why if there is no verdict, or if everything was run.
  const bool tells = report.verdict != Verdict::None && report.stop_reason != StopReason::Exhausted;
  const std::string effort = fmt::format("{}{}{} in {}{}{}", counted(report.schedules_in_all(), "schedule"),
                                         given_up(report), distinct(report), duration(report.seconds),
                                         with_set_up(report), tells ? "; " + why_stopped(report) : "");
  switch (report.verdict) {
    case Verdict::Bug:
      return bugs_found(report, style) + " (" + effort + ")";
    case Verdict::NoBugFound:
      return style.green("no bug found") + " (" + effort + ")";
    case Verdict::None:
      break;
  }
  return style.yellow("no verdict") + " (" + effort + ")";
}

// How far a search came that did not come to its end. What is to go is told at the rate that there was.
std::string to_go(const Report& report) {
  if (!report.estimate) return {};
  const Estimate& estimate = *report.estimate;
  const double rate = static_cast<double>(report.schedules_in_all()) / std::max(report.seconds, 0.001);
  const std::string whose =
      report.promise.bounds.empty()
          ? "schedules"
          : fmt::format("schedules with at most {}",
                        counted(static_cast<std::uint64_t>(report.coverage.bound_in_progress), report.promise.bounds));
  return fmt::format("There are about {} {} ({} to {}): {} more at this rate.\n", rounded(estimate.total), whose,
                     rounded(estimate.low), rounded(estimate.high),
                     duration(estimate.seconds_to_go(report.schedules_in_all(), rate)));
}

std::string busy_places(const Report& report) {
  std::string result;
  for (const BusyPlace& place : report.busy_places) {
    result += fmt::format("{}{}{} ({:.0f} %)", result.empty() ? "Most come from switching before: " : "; ", place.what,
                          place.where.empty() ? "" : ", " + place.where, 100 * place.share);
  }
  if (result.empty()) return result;
  const std::string& scope = report.busy_places.front().scope;
  result += ". Fewer threads, rounds or operations there make them fewer";
  const bool pruned_already =
      std::find(report.no_preempt.begin(), report.no_preempt.end(), scope) != report.no_preempt.end();
  const bool preempts = report.promise.switches_free;
  if (preempts && report.coverage.bound_in_progress == 0)
    result += ". These have no preemption yet: --search=random tries orders that lie further apart";
  else if (preempts && report.busy_places.front().yields)
    result += ". To switch there costs no preemption: --search=random tries orders that lie further apart";
  else if (preempts && !scope.empty() && !pruned_already)
    result += fmt::format("; if that code is not what you test, --no-preempt={} leaves its preemptions out", scope);
  return result + ".\n";
}

std::string how_to_resume(const Report& report) {
  if (report.kept_search.empty()) return {};
  return fmt::format("To go on: the same command with --resume (kept in {}).\n", report.kept_search);
}

}  // namespace

std::string bug_block(const Bug& bug, const Style& style, const std::string& baseline) {
  std::string result =
      fmt::format("{}, {}\n", style.red(fmt::format("Bug {}: {}", bug.id, name(bug.outcome.kind))), cost(bug));
  result += indented(bug.outcome.message, "  ") + "\n";
  if (!bug.site.empty()) result += fmt::format("  at {}\n", bug.site);
  if (!bug.pattern.name.empty()) result += fmt::format("  {}: {}\n", style.bold(bug.pattern.name), bug.pattern.text);
  if (bug.is_known) result += fmt::format("  known: in {}\n", baseline);
  result += preemptions_needed(bug) + timeouts(bug);
  result += fmt::format("  {}\n", replay_line(bug, style));
  return result + how_to_go_on(bug);
}

namespace {

// "  same cause: bug 3 (queue.cpp:12), bug 5 (queue.cpp:40)"
std::string others_of(const BugsOfOneCause& cause) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> named;
  for (const Bug* const bug : cause.others) {
    if (named.size() == kMostNamed) {
      named.push_back(fmt::format("{} more", cause.others.size() - kMostNamed));
      break;
    }
    named.push_back(bug->site.empty() ? fmt::format("bug {}", bug->id)
                                      : fmt::format("bug {} ({})", bug->id, bug->site));
  }
  return named.empty() ? std::string() : fmt::format("  same cause: {}\n", fmt::join(named, ", "));
}

}  // namespace

std::string claim_block(const std::string& line, const std::string& meaning, const Style& style, std::size_t width) {
  const std::size_t word = line.find(':') + 1;
  constexpr const char* kMargin = "  ";
  return style.bold(line.substr(0, word)) + line.substr(word) + "\n" +
         (meaning.empty() ? "" : paragraph(meaning, width, kMargin, kMargin));
}

std::string summary(const Report& report, const Style& style, bool brief, std::optional<std::size_t> explain_in) {
  std::string result;
  for (const BugsOfOneCause& cause : by_cause(report.bugs))
    result += bug_block(*cause.first, style, report.baseline) + others_of(cause) + "\n";
  result += fmt::format("heddle: {}\n", headline(report, style));
  if (!brief) result += to_go(report) + busy_places(report) + how_to_resume(report);
  bool any = false;
  for (const Claim& claim : claims(report)) {
    const bool asked_for = claim.line.starts_with("Weaker: ");  // by --relax
    if (brief && any && !asked_for) continue;
    any = true;
    result += claim_block(claim.line, explain_in ? claim.meaning : "", style, explain_in.value_or(0));
  }
  return result;
}

}  // namespace heddle
