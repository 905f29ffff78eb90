// See farm_status.h.
#include "cli/farm_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "report/wording.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::json;

std::uint64_t number(const Json& status, const char* name) { return status.value(name, std::uint64_t{0}); }

std::string claim(const Json& status) {
  const auto bound = status.value("preemption_bound_proved", std::int64_t{-1});
  const std::string count = counted(number(status, "schedules_at_bound"), "schedule");
  const bool all = status.value("classes_counted_all", false);
  const std::string classes = fmt::format("{}{} different in more than the order of independent steps",
                                          all ? "" : "about ", grouped(number(status, "classes")));
  const std::string fair =
      "was run (fair ones, where threads yield)" +
      (number(status, "cut_off") != 0 ? fmt::format(" up to {}", counted(number(status, "max_steps"), "step")) : "");
  if (status.value("complete", false)) return fmt::format("every schedule {}: {}, {}", fair, count, classes);
  if (bound < 0) return "nothing so far";
  const std::string limit =
      bound == 0 ? "without a preemption" : "with at most " + counted(static_cast<std::uint64_t>(bound), "preemption");
  return fmt::format("every schedule {} {}: {}, {}", limit, fair, count, classes);
}

struct Figure {
  const char* name;
  const char* type;
  const char* help;
  const char* field;
};
// Those whose field a status has are told.
constexpr Figure kFigures[] = {
    {"heddle_farm_tests", "gauge", "Tests of the suite.", "tests"},
    {"heddle_farm_tests_done", "gauge", "Tests with a result.", "tests_done"},
    {"heddle_farm_tests_with_a_bug", "gauge", "Tests with a bug.", "tests_with_a_bug"},
    {"heddle_farm_workers", "gauge", "Workers that gave a sign of life in the last 10 seconds.", "workers"},
    {"heddle_farm_shards_waiting", "gauge", "Shards without a result.", "shards_waiting"},
    {"heddle_farm_shards_done_total", "counter", "Shards with a result.", "shards_done"},
    {"heddle_farm_schedules_total", "counter", "Schedules that were run.", "schedules_in_all"},
    {"heddle_farm_schedules_per_second", "gauge", "Schedules a second, lately.", "schedules_per_second"},
    {"heddle_farm_preemption_bound_proved", "gauge",
     "Every schedule with at most so many preemptions was run; -1: none.", "preemption_bound_proved"},
    {"heddle_farm_bugs", "gauge", "Different bugs.", "bug_count"},
    {"heddle_farm_schedules_lost_total", "counter", "Schedules that were lost.", "lost"},
    {"heddle_farm_result_bytes_total", "counter", "Bytes of results.", "result_bytes"},
    {"heddle_farm_results_refused_total", "counter", "Results that made no sense.", "results_refused"},
};

bool is_of_suite(const Json& status) { return status.contains("tests"); }

// Each is there with the type that farm_json() gives it, or with null where `or_null`.
bool has(const Json& object, const char* name, bool (Json::*is_so)() const noexcept, bool or_null = false) {
  const auto found = object.find(name);
  return found != object.end() && (((*found).*is_so)() || (or_null && found->is_null()));
}

// What is said of all farms.
Json json_of(const FarmMoment& moment) {
  using Seconds = std::chrono::duration<double>;
  return {{"format_version", 1},
          {"farm", moment.name},
          {"verdict", moment.verdict},
          {"stop_reason", moment.stop_reason.empty() ? Json() : Json(moment.stop_reason)},
          {"no_verdict_reason", moment.why_none.empty() ? Json() : Json(moment.why_none)},
          {"workers", moment.workers},
          {"seconds", moment.seconds},
          {"schedules_per_second", moment.rate},
          {"results", moment.messages},
          {"result_bytes", moment.bytes},
          {"results_refused", moment.refused},
          {"results_doubled", moment.doubles},
          {"written_at", Seconds(std::chrono::system_clock::now().time_since_epoch()).count()}};
}

// What is proved by a search, or how far a suite is.
std::string progress_of_search(const Json& status) {
  std::string text = fmt::format("Proved: {}\n", claim(status));
  if (const std::uint64_t hunted = number(status, "hunted_schedules"); hunted != 0)
    text += fmt::format("Drawn at random: {} (by {}), {} different in more than the order of independent steps\n",
                        counted(hunted, "schedule"), status.value("hunting_searches", ""),
                        grouped(number(status, "hunted_classes")));
  if (const std::string why = status.value("hunts_ended_because", ""); !why.empty())
    text += fmt::format("No more are drawn at random: {}\n", why);
  if (const std::uint64_t cut_off = number(status, "cut_off"); cut_off != 0)
    text += fmt::format(
        "Not proved: the program did not end within {} in {} (possibly it never would). What comes after that was not "
        "run\n",
        counted(number(status, "max_steps"), "step"), counted(cut_off, "schedule"));
  if (status["stop_reason"].is_null())
    text +=
        fmt::format("Running: bound {}, {} of it run, {} to be searched, {}\n", number(status, "bound_in_progress"),
                    counted(number(status, "schedules_of_bound"), "schedule"),
                    counted(number(status, "shards_waiting"), "shard"), counted(number(status, "bug_count"), "bug"));
  return text;
}
std::string progress_of_suite(const Json& status) {
  return fmt::format("{}: {} of {} done, {} with a bug{}\n", status["stop_reason"].is_null() ? "Running" : "Tests",
                     number(status, "tests_done"), counted(number(status, "tests"), "test"),
                     number(status, "tests_with_a_bug"),
                     number(status, "shards_waiting") != 0 && number(status, "tests_done") == number(status, "tests")
                         ? fmt::format("; {} of them run again, for longer", number(status, "shards_waiting"))
                         : "");
}

}  // namespace

std::string json_text(const Json& status, int indent) {
  return status.dump(indent, ' ', false, Json::error_handler_t::replace);
}

bool is_status(const Json& status) {
  if (!status.is_object()) return false;
  constexpr const char* kOfAll[] = {
      "schedules_in_all", "bug_count",    "workers",         "shards_waiting", "shards_done",
      "seconds",          "result_bytes", "results_refused", "written_at",     "schedules_per_second"};
  constexpr const char* kOfSearch[] = {
      "preemption_bound_proved", "schedules_at_bound", "cut_off", "max_steps",        "classes",
      "bound_in_progress",       "schedules_of_bound", "lost",    "hunted_schedules", "hunted_classes"};
  constexpr const char* kOfSuite[] = {"tests", "tests_done", "tests_with_a_bug"};
  const auto has_numbers = [&](const auto& names) {
    return std::all_of(std::begin(names), std::end(names),
                       [&](const char* name) { return has(status, name, &Json::is_number); });
  };
  if (!has_numbers(kOfAll) || !(is_of_suite(status) ? has_numbers(kOfSuite) : has_numbers(kOfSearch))) return false;
  for (const char* const name : {"classes_counted_all", "complete"})
    if (!is_of_suite(status) && !has(status, name, &Json::is_boolean)) return false;
  for (const char* const name : {"stop_reason", "no_verdict_reason"})
    if (!has(status, name, &Json::is_string, true)) return false;
  if (!has(status, "farm", &Json::is_string) || !has(status, "bugs", &Json::is_array)) return false;
  for (const char* const name : {"hunting_searches", "hunts_ended_because"})
    if (!is_of_suite(status) && !has(status, name, &Json::is_string)) return false;
  for (const Json& bug : status["bugs"]) {
    if (!bug.is_object() || !has(bug, "trace", &Json::is_string, true)) return false;
    for (const char* const name : {"key", "kind", "message"})
      if (!has(bug, name, &Json::is_string)) return false;
    if (is_of_suite(status) && !has(bug, "test", &Json::is_string)) return false;
  }
  return true;
}

// Those that have drawn schedules: "random, pos, pct".
std::string names_of(const farm::Hunts& hunts) {
  std::vector<std::string> names;
  for (const farm::Hunts::Search& one : hunts.searches())
    if (one.schedules != 0) names.push_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Json farm_json(const farm::Merge& merge, const FarmMoment& moment) {
  const farm::Merge::Answer& proved = merge.proved();
  Json bugs = Json::array();
  for (const auto& [key, bug] : merge.bugs())
    bugs.push_back({{"key", key},
                    {"kind", bug.kind},
                    {"message", bug.message},
                    {"site", bug.site},
                    {"preemptions", bug.preemptions},
                    {"trace", nullptr}});
  Json status = json_of(moment);
  status.update({{"preemption_bound_proved", proved.bound},
                 {"complete", proved.complete},
                 {"schedules_at_bound", proved.schedules},
                 {"cut_off", merge.cut_off()},
                 {"max_steps", moment.max_steps},
                 {"classes", proved.classes.count()},
                 {"classes_counted_all", proved.classes.exact()},
                 {"bound_in_progress", merge.bound()},
                 {"schedules_of_bound", merge.schedules()},
                 {"schedules_in_all", merge.schedules_in_all()},
                 {"lost", merge.lost()},
                 {"racing_places", merge.points().size()},
                 {"hunted_schedules", merge.hunts().schedules()},
                 {"hunted_classes", merge.hunts().classes().count()},
                 {"hunts_done", merge.hunts().done()},
                 {"hunting_searches", names_of(merge.hunts())},
                 {"hunts_ended_because", merge.hunts().ended_because()},
                 {"bugs", bugs},
                 {"bug_count", bugs.size()},
                 {"shards_waiting", merge.over() ? 0 : merge.waiting().size()},
                 {"shards_done", merge.shards_done()},
                 {"seconds_of_workers", merge.seconds_of_workers()}});
  return status;
}

Json farm_json(const std::vector<TestResult>& results, FarmShards shards, const FarmMoment& moment) {
  constexpr std::size_t kMostTold = 500, kMostText = 300;  // it is one message
  Json bugs = Json::array();
  std::size_t count = 0, done = 0, with_a_bug = 0;
  std::uint64_t schedules = 0;
  for (const TestResult& result : results) {
    done += result.verdict != TestVerdict::NotRun ? 1 : 0;
    with_a_bug += result.verdict == TestVerdict::Bug ? 1 : 0;
    schedules += result.schedules();
    if (result.report.is_null()) continue;
    for (const Json& bug : result.report["bugs"])
      if (++count <= kMostTold)
        bugs.push_back({{"test", result.test.name},
                        {"key", bug["key"]},
                        {"kind", bug["kind"]},
                        {"message", bug["message"].get<std::string>().substr(0, kMostText)},
                        {"site", bug["site"]},
                        {"trace", bug["trace"]}});
  }
  Json status = json_of(moment);
  status.update({{"tests", results.size()},
                 {"tests_done", done},
                 {"tests_with_a_bug", with_a_bug},
                 {"schedules_in_all", schedules},
                 {"bugs", bugs},
                 {"bug_count", count},
                 {"shards_waiting", shards.waiting},
                 {"shards_done", shards.done}});
  return status;
}

std::string farm_text(const Json& status) {
  std::string text;
  for (const Json& bug : status["bugs"]) {
    text += fmt::format("Bug {}{}: {}\n{}\n", bug.value("key", ""),
                        is_of_suite(status) ? " in " + bug.value("test", "") : "", bug.value("kind", ""),
                        indented(bug.value("message", ""), "  "));
    if (bug["trace"].is_string()) text += fmt::format("  see it:    heddle show {}\n", bug.value("trace", ""));
  }
  if (status.value("verdict", "") == "no_bug_found") text += "No bug was found.\n";
  text += is_of_suite(status) ? progress_of_suite(status) : progress_of_search(status);
  if (status["no_verdict_reason"].is_string())
    text += fmt::format("No verdict: {}\n", status.value("no_verdict_reason", ""));
  text += fmt::format("heddle farm {}: {} in {} by {}, {} a second, {} done{}\n", status.value("farm", ""),
                      counted(number(status, "schedules_in_all"), "schedule"), duration(status.value("seconds", 0.0)),
                      counted(number(status, "workers"), "worker"),
                      grouped(static_cast<std::uint64_t>(status.value("schedules_per_second", 0.0))),
                      counted(number(status, "shards_done"), "shard"),
                      status["stop_reason"].is_string() ? "; ended: " + status.value("stop_reason", "") : "");
  return text;
}

std::string farm_prometheus(const Json& status) {
  std::string text;
  for (const Figure& figure : kFigures)
    if (status.contains(figure.field))
      text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0}{{farm=\"{3}\"}} {4}\n", figure.name, figure.help,
                          figure.type, status.value("farm", ""), status.value(figure.field, 0.0));
  return text;
}

}  // namespace heddle::cli
