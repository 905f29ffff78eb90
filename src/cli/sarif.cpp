// See sarif.h.
#include "cli/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/outcome_kind.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using Read = nlohmann::json;

struct Rule {
  OutcomeKind kind;
  const char* says;
};
constexpr Rule kRules[] = {
    {OutcomeKind::Assertion, "An assertion or a check of a test fails in a schedule of the threads."},
    {OutcomeKind::Crash, "A signal ends the program in a schedule of the threads."},
    {OutcomeKind::Exception, "An exception is not caught in a schedule of the threads."},
    {OutcomeKind::Exit, "The program ends with a status that says that it failed."},
    {OutcomeKind::Deadlock, "No thread can ever go on."},
    {OutcomeKind::Livelock, "The threads go round for ever."},
    {OutcomeKind::GoodSamaritan, "A thread goes round without yielding, while others that could go on wait."},
    {OutcomeKind::Misuse, "A lock, thread or the like is used in a way that pthreads does not allow."},
    {OutcomeKind::Race, "Two threads access the same memory, at least one writes, and nothing orders the two."},
    {OutcomeKind::UseAfterFree, "Memory is used after it was freed, or after the thread has ended whose stack it is."},
};

// "data-race"
std::string rule_id(std::string kind) {
  std::replace(kind.begin(), kind.end(), ' ', '-');
  return kind;
}

Json text_json(const std::string& text) { return {{"text", text}}; }

Json rules_json() {
  Json result = Json::array();
  for (const Rule& rule : kRules)
    result.push_back({{"id", rule_id(name(rule.kind))},
                      {"shortDescription", text_json(name(rule.kind))},
                      {"fullDescription", text_json(rule.says)},
                      {"defaultConfiguration", {{"level", "error"}}},
                      {"properties", {{"tags", {"concurrency", "correctness"}}}}});
  return result;
}

// As a part of a URI.
std::string escaped_path(std::string_view path) {
  constexpr std::string_view kPlain = "-._~/+@$&=";
  std::string result;
  for (const char c : path) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += is_word || kPlain.find(c) != kPlain.npos ? std::string(1, c)
                                                       : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

class ResultBuilder {
 public:
  ResultBuilder(const ReportedBug& bug, const SarifInput& input) : bug_(bug), input_(input) {}
  Json build() const;

 private:
  Json file_json(const std::string& file) const;
  // Null: the place is not known.
  Json physical(const Read& place) const;
  Json location(const Read& place, const std::string& message) const;
  std::string thread_name(const Read& thread) const;
  Json locations() const;
  Json related_locations() const;
  Json code_flow() const;
  Json stack_json(const Read& frames, const Read& thread) const;
  Json stacks() const;
  std::string words_of(const Read& access) const;
  const Read& list(const char* field) const;

  const ReportedBug& bug_;
  const SarifInput& input_;
};

const Read& ResultBuilder::list(const char* field) const {
  static const Read kNone = Read::array();
  const auto found = bug_.bug.find(field);
  return found != bug_.bug.end() && found->is_array() ? *found : kNone;
}

Json ResultBuilder::file_json(const std::string& file) const {
  const std::string below = below_root(file, input_.root);
  if (!below.empty() && below.front() == '/') return {{"uri", "file://" + escaped_path(below)}};
  return {{"uri", escaped_path(below)}, {"uriBaseId", "SRCROOT"}};
}

Json ResultBuilder::physical(const Read& place) const {
  if (!place.is_object() || !place["file"].is_string()) return nullptr;
  Json result{{"artifactLocation", file_json(place["file"].get<std::string>())}};
  if (place["line"].is_number()) result["region"] = {{"startLine", place["line"].get<int>()}};
  return result;
}

Json ResultBuilder::location(const Read& place, const std::string& message) const {
  Json result;
  if (Json where = physical(place); !where.is_null()) result["physicalLocation"] = std::move(where);
  if (place.is_object() && place["function"].is_string())
    result["logicalLocations"] =
        Json::array({Json{{"name", place["function"].get<std::string>()}, {"kind", "function"}}});
  if (!message.empty()) result["message"] = text_json(message);
  return result;
}

std::string ResultBuilder::thread_name(const Read& thread) const {
  for (const Read& one : list("threads"))
    if (one["number"] == thread) return one["name"].get<std::string>();
  return fmt::format("thread {}", thread.get<unsigned>());
}

// Code scanning takes no result without a place: the program stands for one that is not known.
Json ResultBuilder::locations() const {
  if (!list("places").empty()) return Json::array({location(list("places").front(), {})});
  const Json physical{{"artifactLocation", file_json(bug_.program)}, {"region", {{"startLine", 1}}}};
  return Json::array({Json{{"physicalLocation", physical}}});
}

std::string ResultBuilder::words_of(const Read& access) const {
  std::string locks;
  for (const Read& lock : access["locks"]) locks += (locks.empty() ? "" : ", ") + lock.get<std::string>();
  const std::string verb =
      access["does"].get<std::string>() == "end"
          ? "has ended"
          : (access["atomic"].get<bool>() ? "atomically " : "") + access["does"].get<std::string>() + "s";
  return fmt::format("{} {}{}", thread_name(access["thread"]), verb,
                     locks.empty() ? ", holding no lock" : ", holding " + locks);
}

Json ResultBuilder::related_locations() const {
  Json result = Json::array();
  const auto add = [&](const Read& place, const std::string& message) {
    Json one = location(place, message);
    if (!one.contains("physicalLocation")) return;
    one["id"] = result.size() + 1;
    result.push_back(std::move(one));
  };
  if (const Read& accesses = list("accesses"); !accesses.empty())
    add(accesses.front()["place"], "the other access: " + words_of(accesses.front()));
  for (const Read& lock : list("locks")) {
    const std::string of = lock["name"].get<std::string>();
    for (const Read& at : lock["holders"])
      add(at["place"], fmt::format("{} took {} here", thread_name(at["thread"]), of));
    for (const Read& at : lock["waiters"])
      add(at["place"], fmt::format("{} waits for {} here", thread_name(at["thread"]), of));
  }
  return result;
}

// The steps that pages show, and the accesses of a race between them, as far as their places are known.
Json ResultBuilder::code_flow() const {
  struct Row {
    std::size_t order;
    const Read* entry;
    std::string message;
    bool is_preemption;
  };
  std::vector<Row> rows;
  for (const Read& step : list("steps"))
    rows.push_back({2 * step["number"].get<std::size_t>() + 1, &step,
                    fmt::format("step {}: {}", step["number"].get<std::size_t>(), step["does"].get<std::string>()),
                    step["preemption"].get<bool>()});
  for (const Read& access : list("accesses"))
    rows.push_back({2 * access["after_steps"].get<std::size_t>(), &access, words_of(access) + ": the race", true});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& one, const Row& other) { return one.order < other.order; });
  std::vector<std::pair<unsigned, Json>> flows;  // by thread, in the order in which they come
  int order = 0;
  for (const Row& row : rows) {
    Json where = location((*row.entry)["place"], row.message);
    if (!where.contains("physicalLocation")) continue;
    const auto thread = (*row.entry)["thread"].get<unsigned>();
    auto flow = std::find_if(flows.begin(), flows.end(), [&](const auto& one) { return one.first == thread; });
    if (flow == flows.end()) flow = flows.insert(flow, {thread, Json::array()});
    flow->second.push_back({{"location", std::move(where)},
                            {"executionOrder", ++order},
                            {"importance", row.is_preemption ? "essential" : "important"}});
  }
  Json thread_flows = Json::array();
  for (auto& [thread, steps] : flows)
    thread_flows.push_back(
        {{"id", std::to_string(thread)}, {"message", text_json(thread_name(thread))}, {"locations", std::move(steps)}});
  return thread_flows.empty() ? Json() : Json{{"threadFlows", std::move(thread_flows)}};
}

Json ResultBuilder::stack_json(const Read& frames, const Read& thread) const {
  Json result{{"message", text_json("call stack of " + thread_name(thread))}, {"frames", Json::array()}};
  for (const Read& frame : frames)  // of code without symbols nothing is known
    if (Json where = location(frame, {}); !where.is_null())
      result["frames"].push_back({{"location", std::move(where)}});
  return result;
}

Json ResultBuilder::stacks() const {
  Json result = Json::array();
  for (const Read& stack : list("stacks")) result.push_back(stack_json(stack["frames"], stack["thread"]));
  for (const Read& access : list("accesses"))
    if (!access["stack"].empty()) result.push_back(stack_json(access["stack"], access["thread"]));
  return result;
}

Json ResultBuilder::build() const {
  const std::string id = rule_id(bug_.text("kind"));
  const auto* const rule = std::find_if(std::begin(kRules), std::end(kRules),
                                        [&](const Rule& one) { return rule_id(name(one.kind)) == id; });
  Json result{{"ruleId", id}};
  if (rule != std::end(kRules)) result["ruleIndex"] = rule - std::begin(kRules);
  result["level"] = bug_.fails ? "error" : "warning";
  result["message"] = text_json(bug_.title() + ": " + bug_.text("message"));
  result["locations"] = locations();
  const auto add = [&](const char* field, Json value) {
    if (!value.empty()) result[field] = std::move(value);
  };
  add("relatedLocations", related_locations());
  if (Json flow = code_flow(); !flow.is_null()) result["codeFlows"] = Json::array({std::move(flow)});
  add("stacks", stacks());
  result["partialFingerprints"] = {{"heddle/key", bug_.text("key")}};
  if (input_.has_baseline) result["baselineState"] = bug_.bug.value("known", false) ? "unchanged" : "new";
  Json properties{{"cause", bug_.text("cause")}};
  if (!bug_.test.empty()) properties["test"] = bug_.test;
  if (const std::string trace = bug_.text("trace"); !trace.empty()) properties["trace"] = trace;
  result["properties"] = std::move(properties);
  return result;
}

}  // namespace

std::string sarif(const std::vector<ReportedBug>& bugs, const SarifInput& input) {
  Json results = Json::array();
  for (const ReportedBug& bug : bugs) results.push_back(ResultBuilder(bug, input).build());
  const std::string slash = input.root.empty() || input.root.back() != '/' ? "/" : "";
  const Json run{{"tool", {{"driver", {{"name", "Heddle"}, {"version", kHeddleVersion}, {"rules", rules_json()}}}}},
                 {"automationDetails", {{"id", "heddle/" + input.program + "/"}}},
                 {"originalUriBaseIds", {{"SRCROOT", {{"uri", "file://" + escaped_path(input.root) + slash}}}}},
                 {"columnKind", "utf16CodeUnits"},
                 {"results", std::move(results)}};
  const Json log{
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::cli
