// The writing half of the trace format; trace_reader.cpp is its mirror image. One function per kind of line.
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "trace/module_names.h"
#include "trace/trace_file.h"
#include "trace/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestPeriod = 64;  // of repetitions that are looked for
constexpr std::size_t kMinRepetitions = 4;  // fewer are written out
const std::vector<Site> kNoStack;

// JSON holds Unicode only; other bytes (a path may hold any) are kept as {"hex": "…"}.
Json text(const std::string& value) {
  try {
    (void)Json(value).dump();
    return value;
  } catch (const Json::type_error&) {
    std::string hex;
    for (const char byte : value) {
      static constexpr char kDigits[] = "0123456789abcdef";
      hex += kDigits[static_cast<unsigned char>(byte) >> 4];
      hex += kDigits[static_cast<unsigned char>(byte) & 15];
    }
    return Json{{"hex", hex}};
  }
}

Json texts(const std::vector<std::string>& values) {
  Json result = Json::array();
  for (const auto& value : values) result.push_back(text(value));
  return result;
}

Json named(const std::vector<NamedText>& values) {
  Json result = Json::object();
  for (const auto& [name, value] : values) result[name] = text(value);
  return result;
}

// "costs preemption wrote".
template <std::size_t kCount>
std::string flag_words(const Word<std::uint8_t> (&words)[kCount], std::uint8_t flags) {
  std::string result;
  for (const auto& word : words)
    if ((flags & word.value) != 0) result += (result.empty() ? "" : " ") + std::string(word.text);
  return result;
}

Json variant_json(Variant variant) {
  if (variant >= kFirstSpecial) return word_for(kVariantWords, variant);
  return variant;
}

bool continues(const Delta& before, const Delta& after) {
  return after.step == before.step + 1 && after.choice == before.choice;
}

Json lines(const std::vector<SourceLine>& lines) {
  Json result = Json::array();
  for (const SourceLine& line : lines)
    result.push_back({{"file", text(line.file)},
                      {"function", text(line.function)},
                      {"text", text(line.text)},
                      {"line", line.line},
                      {"access", line.access},
                      {"accesses", line.accesses}});
  return result;
}

Json placed(const std::vector<PlacedDelta>& deltas) {
  Json result = Json::array();
  for (const PlacedDelta& delta : deltas) result.push_back(json_of(delta));
  return result;
}

std::string number(std::uint64_t value) { return fmt::format("{:#x}", value); }

Json spins_of(const std::vector<SpinLoop>& spins, const ModuleMap& modules) {
  Json result = Json::array();
  for (const auto& [place, period] : spins)
    result.push_back({{"place", text(text_of(place, modules))}, {"period", period}});
  return result;
}

class Writer {
 public:
  explicit Writer(const Trace& trace) : trace_(trace), execution_(trace.execution), names_(trace.modules) {}

  std::string write() {
    line(header());
    write_body();
    for (std::size_t i = 0; i < execution_.races.size(); ++i) race(execution_.races[i]);
    for (std::size_t i = 0; i < execution_.pending.size(); ++i) line(pending(i));
    line(end());
    return std::move(out_);
  }

 private:
  void line(const Json& json) {
    // What text() has not seen (the name of an environment variable) loses bytes here, rather than the bug its trace.
    out_ += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    out_ += '\n';
    ++lines_;
  }

  Json site(Site address) const { return text(names_.text(address)); }

  // The number of a call stack, whose line is written at its first use; nothing when there is none.
  std::optional<std::size_t> stack_number(const std::vector<std::vector<Site>>& stacks, std::size_t index) {
    if (index >= stacks.size() || stacks[index].empty()) return {};
    const auto [entry, fresh] = stacks_.try_emplace(stacks[index], stacks_.size() + 1);
    if (fresh) {
      Json sites = Json::array();
      for (const Site frame : stacks[index]) sites.push_back(site(frame));
      line(Json{{"stack", entry->second}, {"sites", sites}});
    }
    return entry->second;
  }

  // The innermost frame of a call stack is the site itself.
  void add_place(Json& json, Site at, const std::vector<std::vector<Site>>& stacks, std::size_t index) {
    const auto number = stack_number(stacks, index);
    if (!number || stacks[index].front() != at) json["site"] = site(at);
    if (number) json["stack"] = *number;
  }

  Json plan() const {
    Json deltas = Json::array();
    const Deltas& all = trace_.plan.deltas;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      while (end < all.size() && continues(all[end - 1], all[end])) ++end;
      Json json{{"step", all[i].step}, {"task", all[i].choice.task}};
      if (all[i].choice.variant != 0) json["variant"] = variant_json(all[i].choice.variant);
      if (end - i > 1) json["count"] = end - i;
      deltas.push_back(json);
      i = end;
    }
    return Json{
        {"id", trace_.plan.id},
        {"policy", word_for(kPolicyWords, trace_.plan.policy)},
        {"for_policy", std::vector<std::uint64_t>(trace_.plan.for_policy.begin(), trace_.plan.for_policy.end())},
        {"deltas", deltas}};
  }

  Json modules() const {
    Json result = Json::array();
    for (std::size_t i = 0; i < trace_.modules.entries().size(); ++i) {
      const ModuleMap::Entry& module = trace_.modules.entries()[i];
      Json json{{"name", text(names_.name(i))},
                {"path", text(module.path)},
                {"base", number(module.base)},
                {"begin", number(module.begin)},
                {"end", number(module.end)}};
      if (module.instrumented) json["instrumented"] = true;
      if (i < trace_.module_build_ids.size()) json["build_id"] = trace_.module_build_ids[i];
      result.push_back(json);
    }
    return result;
  }

  Json points() const {
    Json result = Json::array();
    for (const CodePlace& point : trace_.header.points) result.push_back(text(text_of(point, trace_.modules)));
    return result;
  }

  Json moment() const {
    const Moment& moment = trace_.header.moment;
    Json curve = Json::array();
    for (const Moment::Point& point : moment.curve) curve.push_back({point.steps, point.runs, point.failed});
    Json result{{"curve", std::move(curve)}};
    if (moment.passing) result["passing"] = {{"step", moment.passing->step}, {"task", moment.passing->task}};
    return result;
  }

  Json settings() const {
    const TraceHeader& header = trace_.header;
    return Json{{"carrier", word_for(kCarrierWords, header.carrier)},
                {"isolation", word_for(kIsolationWords, header.isolation)},
                {"clock", word_for(kClockWords, header.clock)},
                {"realtime_start", header.realtime_start},
                {"monotonic_start", header.monotonic_start},
                {"input_seed", header.input_seed},
                {"processors", header.processors},
                {"max_steps", header.max_steps},
                {"timeouts", word_for(kTimeoutsWords, header.timeouts)},
                {"fair", header.fair},
                {"slow_threads", header.slow_threads},
                {"spurious_wakeups", header.spurious_wakeups},
                {"memory", word_for(kMemoryModelWords, header.memory)},
                {"max_stale", header.max_stale},
                {"fill", word_for(kFillWords, header.fill)},
                {"patch", header.patch},
                {"start_at", text(header.start_at)},
                {"target", text(header.target)},
                {"python", word_for(kPythonWords, header.python)},
                {"follow_fork", header.follow_fork},
                {"own_folder", header.own_folder},
                {"made_files", texts(header.made_files)},
                {"ok_exit", header.ok_exit}};
  }

  Json header() const {
    const TraceHeader& header = trace_.header;
    Json all{{"heddle_trace", kTraceFormat},
             {"heddle_version", header.heddle_version},
             {"program", text(header.program)},
             {"invoked_as", text(header.invoked_as)},
             {"build_id", header.build_id},
             {"arguments", texts(header.arguments)},
             {"directory", text(header.directory)},
             {"environment", named(header.environment)},
             {"settings", settings()},
             {"search", named(header.search)},
             {"schedule", header.schedule},
             {"preemptions", header.preemptions},
             {"point_set_version", header.point_set_version},
             {"points", points()},
             {"point_lines", lines(header.point_lines)},
             {"spins", spins_of(header.spins, trace_.modules)},
             {"spin_lines", lines(header.spin_lines)},
             {"plan", plan()},
             {"outcome",
              {{"kind", header.outcome_kind},
               {"message", text(header.outcome_message)},
               {"cause", text(header.outcome_cause)},
               {"key", text(header.outcome_key)},
               {"repair", text(header.outcome_repair)},
               {"places", lines(header.outcome_places)}}},
             {"modules", modules()}};
    if (!header.moment.curve.empty()) all["moment"] = moment();
    if (header.descriptors) all["descriptors"] = *header.descriptors;
    if (header.placed_deltas) all["placed_deltas"] = placed(*header.placed_deltas);
    return all;
  }

  // Tasks, objects and messages stand before the step that made them known, as far as that can be told.
  void write_body() {
    for (const TaskRecord& task : execution_.tasks) line(this->task(task));
    for (const ObjectRecord& object : execution_.objects) line(this->object(object));
    std::size_t message = 0;
    for (std::size_t i = 0; i < execution_.steps.size();) {
      for (; message < execution_.messages.size() && execution_.messages[message].step <= i; ++message)
        line(this->message(execution_.messages[message]));
      const std::size_t limit = message < execution_.messages.size() ? execution_.messages[message].step : SIZE_MAX;
      const std::size_t repeated = write_repetition(i, std::min(limit, execution_.steps.size()));
      if (repeated == 0) line(step(i));
      i += std::max<std::size_t>(repeated, 1);
    }
    for (; message < execution_.messages.size(); ++message) line(this->message(execution_.messages[message]));
  }

  // Writes that the last few steps are repeated from `index` on, before `limit`; returns how many steps that stands
  // for.
  std::size_t write_repetition(std::size_t index, std::size_t limit) {
    for (std::size_t period = 1; period <= std::min(index, kLongestPeriod); ++period) {
      std::size_t end = index;
      while (end < limit && same_step(end - period, end)) ++end;
      const std::size_t times = (end - index) / period;
      if (times < kMinRepetitions) continue;
      line(Json{{"repeat", period}, {"times", times}});
      return times * period;
    }
    return 0;
  }

  bool same_step(std::size_t a, std::size_t b) const {
    if (std::memcmp(&execution_.steps[a], &execution_.steps[b], sizeof(StepRecord)) != 0) return false;
    const auto& stacks = execution_.stacks;
    return (a < stacks.size() ? stacks[a] : kNoStack) == (b < stacks.size() ? stacks[b] : kNoStack);
  }

  Json task(const TaskRecord& record) const {
    Json json{{"task", record.task}};
    if (record.parent != kNoTask) json["parent"] = record.parent;
    if (record.object != kNoObject) json["object"] = record.object;
    if (record.entry != 0) json["entry"] = site(record.entry);
    if (record.created_at != 0) json["created_at"] = site(record.created_at);
    return json;
  }

  Json object(const ObjectRecord& record) const {
    Json json{{"object", record.object},
              {"kind", name(record.object_kind)},
              {"sequence", record.sequence},
              {"created_by", record.task},
              {"address", site(record.address)}};
    if (record.created_at != 0) json["created_at"] = site(record.created_at);
    return json;
  }

  Json message(const ExecutionMessage& record) const {
    Json json{{"message", word_for(kMessageWords, record.kind)}, {"at_step", record.step}};
    if (record.task != kNoTask) json["task"] = record.task;
    json["text"] = text(record.text);
    return json;
  }

  // Only where another part of the piece of memory is meant than the one that gave the object its address.
  void add_offset(Json& json, ObjectId id, std::uint8_t offset) const {
    const ObjectRecord* object = execution_.object(id);
    if (object != nullptr && object->address % kMemoryPiece != offset) json["offset"] = offset;
  }

  void add_memory(Json& json, const StepRecord& record) const {
    add_offset(json, record.object, offset_of(record));
    if (const unsigned order = record.marks >> StepMarks::kOrderShift; order != 0) json["order"] = order;
  }

  Json step(std::size_t index) {
    const StepRecord& record = execution_.steps[index];
    Json json{{"step", index}, {"task", record.task}, {"operation", name(record.operation)}};
    if (record.variant != 0 || record.variants != 1) json["variant"] = variant_json(record.variant);
    if (record.variants != 1) json["variants"] = record.variants;
    if (record.object != kNoObject) json["object"] = record.object;
    if (record.object2 != kNoObject) json["object2"] = record.object2;
    if (record.result != 0) json["result"] = record.result;
    if (object_kind(record.operation) == ObjectKind::Memory)
      add_memory(json, record);
    else if (record.signal != 0)
      json["signal"] = record.signal;
    add_place(json, record.site, execution_.stacks, index);
    json["eligible"] = record.eligible;
    if (record.flags != 0) json["flags"] = flag_words(kStepFlagWords, record.flags);
    return json;
  }

  Json pending(std::size_t index) {
    const PendingRecord& record = execution_.pending[index];
    Json json{{"pending", record.task}, {"operation", name(record.operation)}};
    if (record.object != kNoObject) json["object"] = record.object;
    if (record.object2 != kNoObject) json["object2"] = record.object2;
    if (object_kind(record.operation) == ObjectKind::Memory) add_offset(json, record.object, offset_of(record));
    if (record.held_by != kNoTask) json["held_by"] = record.held_by;
    if (record.held_since != 0) json["held_since"] = site(record.held_since);
    add_place(json, record.site, execution_.pending_stacks, index);
    json["state"] = flag_words(kTaskStateWords, record.state);
    return json;
  }

  void race(const ExecutionRace& race) {
    Json json{{"race", race.later.size}, {"address", site(race.later.address)}};
    Json earlier = racing_access(race.earlier, race.earlier_stack);
    json["earlier"] = std::move(earlier);
    json["later"] = racing_access(race.later, race.later_stack);
    line(json);
  }

  Json racing_access(const RaceRecord& record, const std::vector<Site>& stack) {
    Json json{{"task", record.task}, {"at_step", record.step}};
    add_place(json, record.site, {stack}, 0);
    json["flags"] = flag_words(kRaceFlagWords, record.flags);
    return json;
  }

  Json end() const {
    const EndRecord& record = execution_.end;
    Json json{{"end", word_for(kEndWords, record.end)}, {"status", record.status}};
    if (record.task != kNoTask) json["task"] = record.task;
    json["steps"] = record.steps;
    json["tasks"] = record.tasks;
    json["preemptions"] = record.preemptions;
    json["virtual_time"] = record.virtual_time;
    if (record.loop_from != 0) json["loop_from"] = record.loop_from;
    json["lines"] = lines_ + 1;
    return json;
  }

  const Trace& trace_;
  const Execution& execution_;
  ModuleNames names_;
  std::map<std::vector<Site>, std::size_t> stacks_;  // those written, with their numbers
  std::string out_;
  std::size_t lines_ = 0;
};

}  // namespace

std::string format_trace(const Trace& trace) { return Writer(trace).write(); }

}  // namespace heddle
