// The JSON form of a report; see json.h.
#include "report/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/claims.h"
#include "report/json_bug.h"
#include "trace/version.h"
#include "trace/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::Bug:
      return "bug";
    case Verdict::NoBugFound:
      return "no_bug_found";
    case Verdict::None:
      break;
  }
  return "none";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json regressions_json(const Report& report) {
  Json result = Json::array();
  for (const RegressionResult& one : report.regressions)
    result.push_back({{"key", one.key}, {"cause", one.cause}, {"result", name(one.kind)}, {"evidence", one.evidence}});
  return result;
}

double rate(const Report& report) {
  return report.seconds > 0 ? std::round(static_cast<double>(report.schedules_in_all()) / report.seconds * 10) / 10
                            : 0.0;
}

Json claims_json(const Report& report) {
  Json result = Json::array();
  for (const Claim& claim : claims(report)) result.push_back({{"line", claim.line}, {"meaning", claim.meaning}});
  return result;
}

Json estimate_json(const Report& report) {
  if (!report.estimate) return nullptr;
  return Json{{"total", report.estimate->total},
              {"low", report.estimate->low},
              {"high", report.estimate->high},
              {"bound", !report.promise.bounds.empty() ? Json(report.coverage.bound_in_progress) : Json(nullptr)}};
}

Json chance_of_new(const Report& report) {
  if (!report.new_class) return nullptr;
  const auto& [by, chance] = *report.new_class;
  return Json{{"search", by}, {"schedules", chance.draws}, {"estimate", chance.estimate}, {"at_most", chance.at_most}};
}

Json chances_of_missing(const Report& report) {
  Json result = Json::array();
  for (const double at_most : report.missed.at_most)
    result.push_back({{"depth", result.size() + 1}, {"at_most", at_most}});
  return result;
}

Json parts_json(const Report& report) {
  Json result = Json::array();
  for (const PartReport& part : report.parts)
    result.push_back({{"name", part.name}, {"schedules", part.schedules}, {"distinct_executions", part.classes}});
  return result;
}

Json busy_places_json(const Report& report) {
  Json result = Json::array();
  for (const BusyPlace& place : report.busy_places)
    result.push_back(
        {{"what", place.what}, {"where", text_or_null(place.where)}, {"share", std::round(place.share * 1000) / 1000}});
  return result;
}

// A bound is named as the option by which it was given: "max_preemptions".
std::string stop_reason_of(const Report& report) {
  if (report.stop_reason != StopReason::Bound) return words_of(report.stop_reason).name;
  std::string name = report.limit.substr(report.limit.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

std::string json(const Report& report) {
  Json bugs = Json::array();
  for (const Bug& bug : report.bugs) bugs.push_back(json_of(bug));
  Json result{
      {"format_version", kJsonFormat},
      {"heddle_version", kHeddleVersion},
      {"command", report.command},
      {"verdict", word(report.verdict)},
      {"stop_reason", stop_reason_of(report)},
      {"no_verdict_reason", text_or_null(report.no_verdict_reason)},
      {"complete", report.coverage.complete},
      {"preemption_bound_proved", nullptr},
      {"points", points_of(report)},
      {"assumptions", assumptions_of(report)},
      {"claims", claims_json(report)},
      {"deterministic", report.deterministic},
      {"lost_coverage", report.coverage.lost},
      {"schedules", report.schedules_in_all()},
      {"schedules_given_up", report.schedules_given_up},
      {"searches", parts_json(report)},
      {"schedules_before", report.schedules_before},
      {"pending", report.coverage.pending},
      {"left_out_as_equivalent", report.coverage.pruned},
      {"schedules_stopped", report.schedules_stopped},
      {"chance_of_new", chance_of_new(report)},
      {"chances_of_missing", chances_of_missing(report)},
      {"distinct_executions", report.distinct_is_all ? Json(report.distinct) : Json(nullptr)},
      {"estimate", estimate_json(report)},
      {"busy_places", busy_places_json(report)},
      {"seconds", std::round(report.seconds * 1000) / 1000},
      {"schedules_per_second", rate(report)},
      {"steps_max", report.steps_max},
      {"steps_run", report.steps_run},
      {"tasks_max", report.tasks_max},
      {"memory", word_for(kMemoryModelWords, report.memory)},
      {"max_stale", report.memory != MemoryModel::Sc && report.max_stale ? Json(*report.max_stale) : Json(nullptr)},
      {"old_values_missed", report.old_values_missed},
      {"atomics_found", report.patched ? Json(report.atomics_found) : Json(nullptr)},
      {"atomics_left", report.patched ? Json(report.atomics_left) : Json(nullptr)},
      {"carrier", report.carrier},
      {"isolation", report.isolation},
      {"workers", report.workers},
      {"hot_pages", report.dirty_pages},
      {"checkpoints", report.checkpoints},
      {"resumed_from_checkpoints", report.resumed},
      {"resumed_from_bookmarks", report.resumed_from_bookmarks},
      {"thread_pointer_faults", report.thread_pointer_faults},
      {"seed", report.seed},
      {"notes", report.notes},
      {"input_seed", report.input_seed},
      {"regressions", regressions_json(report)},
      {"bugs", bugs}};
  // That of a search that counts something else has a name of its own.
  if (report.coverage.preemption_bound >= 0) result["preemption_bound_proved"] = report.coverage.preemption_bound;
  if (report.coverage.bound_proved >= 0 && !report.promise.bounds.empty())
    result[std::string(report.promise.bounds) + "_bound_proved"] = report.coverage.bound_proved;
  return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle
