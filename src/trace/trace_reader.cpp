// The reading half of the trace format, the mirror image of trace_writer.cpp. A trace may have been cut off or edited
// by hand: every field is checked, and the first error is reported with its line; nothing is guessed.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "trace/module_names.h"
#include "trace/trace_file.h"
#include "trace/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

// More than any --max-steps: an edited count must not eat the memory.
constexpr std::size_t kMaxSteps = std::size_t{1} << 24;

// Nor may a few lines that repeat others, or name a long call stack again and again.
constexpr std::size_t kMaxBytes = std::size_t{512} << 20;

// Unwinds to parse_trace(), which adds the line.
struct Problem {
  std::string what;
};

[[noreturn]] void fail(std::string what) { throw Problem{std::move(what)}; }

const Json& field(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) fail(fmt::format("\"{}\" is missing", name));
  return *found;
}

template <typename Number>
Number as_number(const Json& json, const char* name) {
  using Limits = std::numeric_limits<Number>;
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value <= static_cast<std::uint64_t>(Limits::max())) return static_cast<Number>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    if (Limits::is_signed && value >= static_cast<std::int64_t>(Limits::min())) return static_cast<Number>(value);
  }
  fail(fmt::format("\"{}\" is not a number that fits", name));
}

template <typename Number>
Number number(const Json& json, const char* name) {
  return as_number<Number>(field(json, name), name);
}

template <typename Number>
Number number_or(const Json& json, const char* name, Number absent) {
  return json.contains(name) ? number<Number>(json, name) : absent;
}

bool truth(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_boolean()) fail(fmt::format("\"{}\" is neither true nor false", name));
  return value.get<bool>();
}

unsigned hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a') + 10;
  fail(fmt::format("'{}' is not a hexadecimal digit", digit));
}

// The reverse of text() in trace_writer.cpp.
std::string as_text(const Json& json, const char* name) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object() || !json.contains("hex") || !json["hex"].is_string())
    fail(fmt::format("\"{}\" is not a text", name));
  const auto digits = json["hex"].get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(hex_digit(digits[i]) * 16 + hex_digit(digits[i + 1]));
  return bytes;
}

std::string text(const Json& json, const char* name) { return as_text(field(json, name), name); }

const Json& list(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_array()) fail(fmt::format("\"{}\" is not a list", name));
  return value;
}

std::vector<NamedText> named(const Json& json, const char* name) {
  const Json& object = field(json, name);
  if (!object.is_object()) fail(fmt::format("\"{}\" is not an object", name));
  std::vector<NamedText> result;
  for (const auto& [key, value] : object.items()) result.emplace_back(key, as_text(value, name));
  return result;
}

template <typename Value, std::size_t kCount>
Value word(const Word<Value> (&words)[kCount], const Json& json, const char* name) {
  const std::string value = text(json, name);
  const auto found = value_of(words, value);
  if (!found) fail(fmt::format("\"{}\" is \"{}\", which this version of Heddle does not know", name, value));
  return *found;
}

template <std::size_t kCount>
std::uint8_t flags(const Word<std::uint8_t> (&words)[kCount], const Json& json, const char* name) {
  unsigned result = 0;
  std::string rest = json.contains(name) ? text(json, name) : "";
  while (!rest.empty()) {
    const auto space = std::min(rest.find(' '), rest.size());
    const auto found = value_of(words, std::string_view(rest).substr(0, space));
    if (!found) fail(fmt::format("\"{}\" holds an unknown word", name));
    result |= *found;
    rest.erase(0, space + 1);
  }
  return static_cast<std::uint8_t>(result);
}

Variant variant(const Json& json) {
  if (!json.contains("variant")) return 0;
  return json["variant"].is_string() ? word(kVariantWords, json, "variant") : number<Variant>(json, "variant");
}

OperationKind operation(const Json& json) {
  const std::string value = text(json, "operation");
  const OperationKind kind = operation_named(value.c_str());
  if (kind == OperationKind::None && value != name(OperationKind::None))
    fail(fmt::format("the operation \"{}\" is unknown", value));
  return kind;
}

ObjectKind kind_of_object(const Json& json) {
  const std::string value = text(json, "kind");
  const ObjectKind kind = object_kind_named(value.c_str());
  if (kind == ObjectKind::None && value != name(ObjectKind::None))
    fail(fmt::format("the kind of object \"{}\" is unknown", value));
  return kind;
}

std::uint64_t address_field(const Json& json, const char* name) {
  const auto value = parse_hex(text(json, name));
  if (!value) fail(fmt::format("\"{}\" is not an address", name));
  return *value;
}

// Asked before anything is kept that a short line can ask for many times.
class Budget {
 public:
  void spend(std::size_t bytes, std::size_t times = 1) {
    if (times != 0 && bytes > (kMaxBytes - spent_) / times)
      fail("read, the trace would take more than 512 MB; a smaller --max-steps makes shorter ones");
    spent_ += bytes * times;
  }

 private:
  std::size_t spent_ = 0;
};

std::size_t bytes_of(const std::vector<Site>& frames) {
  constexpr std::size_t kBlockHead = 16;  // of each block, for whoever allocates it
  return sizeof(std::vector<Site>) + (frames.empty() ? 0 : kBlockHead + frames.size() * sizeof(Site));
}

// None in a trace that is older than they are.
void take_lines(const Json& json, const char* name, std::vector<SourceLine>& lines) {
  if (!json.contains(name)) return;
  for (const Json& line : list(json, name))
    lines.push_back({text(line, "file"), text(line, "function"), text(line, "text"), number<int>(line, "line"),
                     number_or<std::uint32_t>(line, "access", 0), number_or<std::uint32_t>(line, "accesses", 0)});
}

void take_placed(const Json& json, std::vector<PlacedDelta>& deltas) {
  for (const Json& one : list(json, "placed_deltas")) {
    auto delta = placed_delta_of(one);
    if (!delta) fail("\"placed_deltas\" holds what is none");
    deltas.push_back(std::move(*delta));
  }
}

void check_format(const Json& json) {
  if (!json.contains("heddle_trace")) fail("this is no Heddle trace");
  const int format = number<int>(json, "heddle_trace");
  if (format == kTraceFormat) return;
  fail(fmt::format("the trace has format {} (written by Heddle {}), and this Heddle reads format {}", format,
                   json.contains("heddle_version") ? text(json, "heddle_version") : "unknown", kTraceFormat));
}

void take_moment(const Json& json, Moment& moment) {
  for (const Json& one : list(json, "curve")) {
    if (!one.is_array() || one.size() != 3) fail("\"curve\" holds what is no point");
    for (const Json& part : one)
      if (!part.is_number_unsigned() || part.get<std::uint64_t>() > UINT32_MAX)
        fail("\"curve\" holds what is no point");
    moment.curve.push_back({one[0].get<std::uint32_t>(), one[1].get<std::uint32_t>(), one[2].get<std::uint32_t>()});
  }
  if (!json.contains("passing")) return;
  const Json& passing = field(json, "passing");
  moment.passing = Moment::Passing{number<std::uint32_t>(passing, "step"), number<TaskId>(passing, "task")};
}

void take_settings(const Json& json, TraceHeader& header) {
  header.carrier = word(kCarrierWords, json, "carrier");
  header.isolation = word(kIsolationWords, json, "isolation");
  header.clock = word(kClockWords, json, "clock");
  header.realtime_start = number<Nanoseconds>(json, "realtime_start");
  header.monotonic_start = number<Nanoseconds>(json, "monotonic_start");
  header.input_seed = number<std::uint64_t>(json, "input_seed");
  header.processors = number<std::uint32_t>(json, "processors");
  header.max_steps = number<std::uint32_t>(json, "max_steps");
  if (json.contains("timeouts"))
    header.timeouts = word(kTimeoutsWords, json, "timeouts");
  else  // it is older
    header.timeouts = truth(json, "early_timeouts") ? Timeouts::Early : Timeouts::Late;
  header.fair = truth(json, "fair");
  if (json.contains("slow_threads")) header.slow_threads = truth(json, "slow_threads");  // else it is older
  header.spurious_wakeups = number<std::uint32_t>(json, "spurious_wakeups");
  if (json.contains("memory")) {  // else it is older
    header.memory = word(kMemoryModelWords, json, "memory");
    header.max_stale = number<std::uint32_t>(json, "max_stale");
  }
  if (json.contains("fill")) header.fill = word(kFillWords, json, "fill");  // else it is older
  if (json.contains("patch")) header.patch = truth(json, "patch");          // else it is older
  header.start_at = text(json, "start_at");
  header.target = text(json, "target");
  if (json.contains("python")) header.python = word(kPythonWords, json, "python");    // else it is older
  if (json.contains("follow_fork")) header.follow_fork = truth(json, "follow_fork");  // else it is older
  if (json.contains("made_files"))
    for (const Json& name : list(json, "made_files")) header.made_files.push_back(as_text(name, "made_files"));
  header.own_folder = json.contains("own_folder")
                          ? truth(json, "own_folder")
                          : header.isolation == IsolationKind::Exec || !header.made_files.empty();
  for (const Json& status : list(json, "ok_exit")) header.ok_exit.push_back(as_number<int>(status, "ok_exit"));
}

// Older traces have one word for a random walk, its seed.
void complete_words(Plan& plan) {
  if (plan.policy == PolicyKind::Random && plan.for_policy.size() == 1)
    plan.for_policy.resize(kWordsOf<PolicyItem<PolicyKind::Random>>);
}

class Reader {
 public:
  // Takes one line; false after the last.
  void take(const Json& json, std::size_t line_number) {
    if (ended_) fail("there is something behind the last line");
    if (line_number == 1) return take_header(json);
    if (json.contains("step")) return take_step(json);
    if (json.contains("sites")) return take_stack(json);
    if (json.contains("repeat")) return take_repetition(json);
    if (json.contains("message")) return take_message(json);
    if (json.contains("pending")) return take_pending(json);
    if (json.contains("race")) return take_race(json);
    if (json.contains("end")) return take_end(json, line_number);
    if (json.contains("kind")) return take_object(json);
    if (json.contains("task")) return take_task(json);
    fail("this is no line of a trace");
  }

  bool ended() const { return ended_; }
  Trace take_trace() { return std::move(trace_); }

 private:
  void take_descriptors(const Json& json, std::vector<int>& descriptors) {
    constexpr int kMost = 1023;
    for (const Json& one : list(json, "descriptors")) {
      if (!one.is_number_integer() || one.get<std::int64_t>() < 3 || one.get<std::int64_t>() > kMost)
        fail("\"descriptors\" holds what is no number of one that a program gets");
      descriptors.push_back(one.get<int>());
    }
  }

  void take_header(const Json& json) {
    check_format(json);
    TraceHeader& header = trace_.header;
    header.heddle_version = text(json, "heddle_version");
    header.program = text(json, "program");
    header.invoked_as = text(json, "invoked_as");
    header.build_id = text(json, "build_id");
    for (const Json& argument : list(json, "arguments")) header.arguments.push_back(as_text(argument, "arguments"));
    header.directory = text(json, "directory");
    header.environment = named(json, "environment");
    for (const NamedText& variable : header.environment)  // they will be set: no other may be
      if (!matters(variable.first)) fail(fmt::format("\"{}\" is no variable that a trace keeps", variable.first));
    if (json.contains("descriptors")) take_descriptors(json, header.descriptors.emplace());
    header.search = named(json, "search");
    header.schedule = number<std::uint64_t>(json, "schedule");
    header.preemptions = number<unsigned>(json, "preemptions");
    header.point_set_version = number<std::uint32_t>(json, "point_set_version");
    header.outcome_kind = text(field(json, "outcome"), "kind");
    header.outcome_message = text(field(json, "outcome"), "message");
    if (field(json, "outcome").contains("key")) {  // else it is older than these
      header.outcome_cause = text(field(json, "outcome"), "cause");
      header.outcome_key = text(field(json, "outcome"), "key");
    }
    if (field(json, "outcome").contains("repair")) header.outcome_repair = text(field(json, "outcome"), "repair");
    take_lines(field(json, "outcome"), "places", header.outcome_places);
    if (json.contains("placed_deltas")) take_placed(json, header.placed_deltas.emplace());
    if (json.contains("moment")) take_moment(field(json, "moment"), header.moment);
    take_settings(field(json, "settings"), header);
    take_plan(field(json, "plan"));
    take_modules(json);
    if (json.contains("spins"))  // else it is older than these
      for (const Json& spin : list(json, "spins")) {
        SpinLoop& loop = header.spins.emplace_back();
        if (!parse_place(text(spin, "place"), trace_.modules, loop.place)) fail("\"spins\" holds what is no place");
        loop.period = number<std::uint32_t>(spin, "period");
      }
    take_lines(json, "spin_lines", header.spin_lines);
    if (!json.contains("points")) return;  // older than these
    for (const Json& point : list(json, "points"))
      if (!parse_place(as_text(point, "points"), trace_.modules, header.points.emplace_back()))
        fail("\"points\" holds what is no place");
    take_lines(json, "point_lines", header.point_lines);
  }

  void take_plan(const Json& json) {
    Plan& plan = trace_.plan;
    plan.id = number<PlanId>(json, "id");
    plan.policy = word(kPolicyWords, json, "policy");
    if (json.contains("for_policy")) {
      for (const Json& word : list(json, "for_policy"))
        plan.for_policy.push_back(as_number<std::uint64_t>(word, "for_policy"));
      complete_words(plan);
      if (!are_items(plan.policy, plan.for_policy.size())) fail("the plan's policy has no such items");
    } else if (const auto seed = number<std::uint64_t>(json, "seed"); plan.policy == PolicyKind::Random) {
      plan.for_policy.push_back(seed);  // older still: one number, for the only policy that took any
      complete_words(plan);
    }
    plan.stacks = true;
    for (const Json& entry : list(json, "deltas")) {
      Delta delta{number<std::uint32_t>(entry, "step"), {number<TaskId>(entry, "task"), variant(entry)}};
      if (!plan.deltas.empty() && plan.deltas.back().step >= delta.step) fail("the plan's steps do not ascend");
      const auto count = number_or<std::uint32_t>(entry, "count", 1);
      if (count > kMaxSteps - std::min(kMaxSteps, plan.deltas.size())) fail("the plan is too long");
      budget_.spend(sizeof(Delta), count);
      for (std::uint32_t i = 0; i < count; ++i, ++delta.step) plan.deltas.push_back(delta);
    }
  }

  void take_modules(const Json& json) {
    for (const Json& entry : list(json, "modules")) {
      trace_.modules.add({text(entry, "path"), address_field(entry, "base"), address_field(entry, "begin"),
                          address_field(entry, "end"), entry.contains("instrumented") && truth(entry, "instrumented")});
      trace_.module_build_ids.push_back(entry.contains("build_id") ? text(entry, "build_id") : "");
    }
    names_.emplace(trace_.modules);
  }

  Site as_site(const Json& json, const char* name) const {
    const std::string value = as_text(json, name);
    const auto address = names_->parse(value);
    if (!address) fail(fmt::format("\"{}\" is \"{}\", which is in none of the modules", name, value));
    return *address;
  }

  Site site(const Json& json, const char* name) const { return as_site(field(json, name), name); }
  Site site_or_none(const Json& json, const char* name) const { return json.contains(name) ? site(json, name) : 0; }

  void take_stack(const Json& json) {
    if (number<std::size_t>(json, "stack") != stacks_.size() + 1) fail("the call stacks are not in order");
    std::vector<Site> sites;
    for (const Json& frame : list(json, "sites")) sites.push_back(as_site(frame, "sites"));
    if (sites.empty()) fail("a call stack is empty");
    stacks_.push_back(std::move(sites));
  }

  // The call stack that a line names; empty when it names none.
  std::vector<Site> stack(const Json& json) const {
    const auto index = number_or<std::size_t>(json, "stack", 0);
    if (index > stacks_.size()) fail(fmt::format("call stack {} has not been introduced", index));
    return index == 0 ? std::vector<Site>() : stacks_[index - 1];
  }

  // The innermost frame of the call stack, where nothing else is said.
  Site place(const Json& json, const std::vector<Site>& frames) const {
    return frames.empty() || json.contains("site") ? site(json, "site") : frames.front();
  }

  TaskId known_task(const Json& json, const char* name) const {
    const auto task = number<TaskId>(json, name);
    if (task >= trace_.execution.tasks.size()) fail(fmt::format("thread {} has not been introduced", task));
    return task;
  }

  ObjectId known_object(const Json& json, const char* name) const {
    const auto object = number_or<ObjectId>(json, name, kNoObject);
    if (object != kNoObject && known_objects_.count(object) == 0)
      fail(fmt::format("object {} has not been introduced", object));
    return object;
  }

  void take_task(const Json& json) {
    TaskRecord record;
    record.task = number<TaskId>(json, "task");
    if (record.task != trace_.execution.tasks.size()) fail("the threads are not in order");
    record.parent = number_or<TaskId>(json, "parent", kNoTask);
    record.object = number_or<ObjectId>(json, "object", kNoObject);
    record.entry = site_or_none(json, "entry");
    record.created_at = site_or_none(json, "created_at");
    known_objects_.insert(record.object);
    trace_.execution.tasks.push_back(record);
  }

  void take_object(const Json& json) {
    ObjectRecord record;
    record.object = number<ObjectId>(json, "object");
    record.object_kind = kind_of_object(json);
    record.task = number<TaskId>(json, "created_by");
    record.sequence = number<std::uint32_t>(json, "sequence");
    record.address = site(json, "address");
    record.created_at = site_or_none(json, "created_at");
    known_objects_.insert(record.object);
    trace_.execution.objects.push_back(record);
  }

  void take_message(const Json& json) {
    ExecutionMessage message;
    message.kind = word(kMessageWords, json, "message");
    message.task = number_or<TaskId>(json, "task", kNoTask);
    message.step = number<std::uint32_t>(json, "at_step");
    message.text = text(json, "text");
    trace_.execution.messages.push_back(std::move(message));
  }

  // Of an access: where it begins, and its memory order.
  std::uint8_t memory_marks(const Json& json, ObjectId id) {
    const ObjectRecord* object = trace_.execution.object(id);
    const std::uint64_t first = object == nullptr ? 0 : object->address % kMemoryPiece;
    const auto offset = number_or<std::uint8_t>(json, "offset", static_cast<std::uint8_t>(first));
    if (offset >= kMemoryPiece) fail("an access begins behind its piece of memory");
    const auto order = number_or<std::uint8_t>(json, "order", 0);
    if (order > 3) fail("there is no such memory order");
    return static_cast<std::uint8_t>(offset << StepMarks::kOffsetShift | order << StepMarks::kOrderShift);
  }

  void take_step(const Json& json) {
    Execution& execution = trace_.execution;
    if (number<std::size_t>(json, "step") != execution.steps.size()) fail("a step is missing before this one");
    StepRecord record;
    record.operation = operation(json);
    record.flags = flags(kStepFlagWords, json, "flags");
    record.task = known_task(json, "task");
    record.variant = variant(json);
    record.variants = number_or<std::uint16_t>(json, "variants", 1);
    record.object = known_object(json, "object");
    record.object2 = known_object(json, "object2");
    std::vector<Site> frames = stack(json);
    record.site = place(json, frames);
    record.result = number_or<std::int32_t>(json, "result", 0);
    if (object_kind(record.operation) == ObjectKind::Memory)
      record.marks = memory_marks(json, record.object);
    else
      record.signal = number_or<std::uint8_t>(json, "signal", 0);
    record.eligible = number<std::uint16_t>(json, "eligible");
    budget_.spend(sizeof record + bytes_of(frames));
    execution.steps.push_back(record);
    execution.stacks.push_back(std::move(frames));
  }

  void take_repetition(const Json& json) {
    Execution& execution = trace_.execution;
    const auto period = number<std::size_t>(json, "repeat");
    const auto times = number<std::size_t>(json, "times");
    const std::size_t room = kMaxSteps - std::min(kMaxSteps, execution.steps.size());
    if (period == 0 || period > execution.steps.size() || times > room / period)
      fail("there is nothing to repeat so often");
    std::size_t bytes = period * sizeof(StepRecord);
    for (std::size_t i = execution.stacks.size() - period; i < execution.stacks.size(); ++i)
      bytes += bytes_of(execution.stacks[i]);
    budget_.spend(bytes, times);
    for (std::size_t i = 0; i < period * times; ++i) {
      execution.steps.push_back(StepRecord(execution.steps[execution.steps.size() - period]));
      execution.stacks.push_back(std::vector<Site>(execution.stacks[execution.stacks.size() - period]));
    }
  }

  void take_pending(const Json& json) {
    PendingRecord record;
    record.task = known_task(json, "pending");
    record.operation = operation(json);
    record.state = flags(kTaskStateWords, json, "state");
    record.held_by = json.contains("held_by") ? known_task(json, "held_by") : kNoTask;
    record.held_since = site_or_none(json, "held_since");
    record.object = known_object(json, "object");
    record.object2 = known_object(json, "object2");
    if (object_kind(record.operation) == ObjectKind::Memory) record.marks = memory_marks(json, record.object);
    trace_.execution.pending_stacks.push_back(stack(json));
    budget_.spend(sizeof record + bytes_of(trace_.execution.pending_stacks.back()));
    record.site = place(json, trace_.execution.pending_stacks.back());
    trace_.execution.pending.push_back(record);
  }

  void take_race(const Json& json) {
    ExecutionRace race;
    const auto size = number<std::uint32_t>(json, "race");
    const std::uint64_t address = site_or_none(json, "address");
    const auto take = [&](const char* name, RaceRecord& record, std::vector<Site>& frames) {
      const Json& access = field(json, name);
      record.size = size;
      record.address = address;
      record.task = known_task(access, "task");
      record.step = number<std::uint32_t>(access, "at_step");
      record.flags = flags(kRaceFlagWords, access, "flags");
      frames = stack(access);
      record.site = place(access, frames);
    };
    take("earlier", race.earlier, race.earlier_stack);
    take("later", race.later, race.later_stack);
    budget_.spend(sizeof race + bytes_of(race.earlier_stack) + bytes_of(race.later_stack));
    trace_.execution.races.push_back(std::move(race));
  }

  void take_end(const Json& json, std::size_t line_number) {
    EndRecord& end = trace_.execution.end;
    end.end = word(kEndWords, json, "end");
    end.status = number<std::int32_t>(json, "status");
    end.task = number_or<TaskId>(json, "task", kNoTask);
    end.steps = number<std::uint32_t>(json, "steps");
    end.tasks = number<std::uint16_t>(json, "tasks");
    end.preemptions = number<std::uint16_t>(json, "preemptions");
    end.virtual_time = number<Nanoseconds>(json, "virtual_time");
    end.loop_from = trace_.plan.loop_from = number_or<std::uint32_t>(json, "loop_from", 0);
    if (end.steps != trace_.execution.steps.size() || number<std::size_t>(json, "lines") != line_number)
      fail("lines have been added or removed");
    trace_.execution.plan = trace_.plan.id;
    if (stacks_.empty()) {
      trace_.execution.stacks.clear();
      trace_.execution.pending_stacks.clear();
    }
    ended_ = true;
  }

  Trace trace_;
  std::optional<ModuleNames> names_;
  std::set<ObjectId> known_objects_;
  std::vector<std::vector<Site>> stacks_;
  Budget budget_;
  bool ended_ = false;
};

Json parse_line(std::string_view line, bool last) {
  Json json = Json::parse(line.begin(), line.end(), nullptr, false);
  if (json.is_object()) return json;
  fail(last ? "the trace is cut off here" : "this is not a JSON object");
}

Trace parse_lines(std::string_view text, std::size_t& line_number) {
  Reader reader;
  while (!text.empty()) {
    ++line_number;
    const auto newline = text.find('\n');
    reader.take(parse_line(text.substr(0, newline), newline == std::string_view::npos), line_number);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  if (line_number == 0) fail("the file is empty");
  if (!reader.ended()) fail("the trace is cut off here: its last line is missing");
  return reader.take_trace();
}

}  // namespace

ReadTrace parse_trace(std::string_view text, const std::string& path) {
  std::size_t line_number = 0;
  try {
    return {parse_lines(text, line_number), {}};
  } catch (const Problem& problem) {
    return {{},
            fmt::format("{}:{}: {}. The trace can't be used; record the bug again with `heddle run`.", path,
                        line_number, problem.what)};
  }
}

}  // namespace heddle
