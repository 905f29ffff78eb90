// See samples.h.
#include "driver/explore/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "analysis/happens_before.h"
#include "analysis/symbolizer.h"
#include "driver/execute/plan_ids.h"
#include "protocol/services.h"
#include "trace/assert.h"

namespace heddle {
namespace {

constexpr std::uint64_t kGrowth = 4, kLargestGap = 4096;  // the more have been looked at, the more seldom

constexpr const char* kCause =
    "threads learn of each other by something that is not looked at (atomics, racing accesses, clocks, addresses of "
    "the "
    "heap)";

bool same_end(const EndRecord& one, const EndRecord& other) {
  return one.end == other.end && one.status == other.status;
}

std::uint64_t word_at(const Variables& variables, std::uint64_t address) {
  const auto found = variables.words.find(address);
  return found != variables.words.end() ? found->second : 0;
}

// The first word that differs in both pairs; 0: there is none. `again` should be as `expected`. What is random in every
// process (the C library mangles what setjmp() saves) looks like an address now and then, and may do so in two of
// three.
std::uint64_t first_difference(const Variables& expected, const Variables& other, const Variables& again) {
  const std::uint64_t end = std::min({expected.end, other.end, again.end});
  const auto differs = [&](std::uint64_t address) {
    const std::uint64_t value = word_at(expected, address);
    return address < end && value != kSomeAddress && word_at(other, address) != kSomeAddress &&
           value != word_at(other, address) && value == word_at(again, address);
  };
  std::uint64_t first = 0;
  for (const auto* variables : {&expected, &other})
    for (const auto& [address, word] : variables->words)
      if ((first == 0 || address < first) && differs(address)) first = address;
  return first;
}

// The variable; what it held, unless it is more than one small number.
std::string describe(std::uint64_t address, std::uint64_t one, std::uint64_t other, const ModuleMap& modules) {
  constexpr unsigned kHalf = 32;
  if (static_cast<std::uint32_t>(one) == static_cast<std::uint32_t>(other)) {
    address += kHalf / 8;
    one >>= kHalf;
    other >>= kHalf;
  } else if (one >> kHalf == other >> kHalf) {
    one = static_cast<std::uint32_t>(one);
    other = static_cast<std::uint32_t>(other);
  }
  Symbolizer symbolizer(modules);
  std::string variable = symbolizer.variable(address);
  if (variable.empty()) variable = "what lies at " + symbolizer.raw(address);
  constexpr std::uint64_t kSmall = 1'000'000;
  if (one > kSmall || other > kSmall) return variable + " had two different values at the end";
  return fmt::format("{} was {} or {} at the end", variable, one, other);
}

}  // namespace

Variables take_variables(Execution& execution) {
  std::string text;
  for (const ExecutionMessage& message : execution.messages)
    if (message.kind == MessageKind::Memory) text += message.text;
  std::erase_if(execution.messages, [](const ExecutionMessage& one) { return one.kind == MessageKind::Memory; });
  Variables variables;
  MemoryRun run;
  for (std::size_t at = 0; at + sizeof run <= text.size();) {
    std::memcpy(static_cast<void*>(&run), text.data() + at, sizeof run);
    at += sizeof run;
    if (run.words == 0) variables.end = run.address;
    for (std::uint64_t word = 0; run.words != 0 && at + sizeof word <= text.size(); --run.words) {
      std::memcpy(&word, text.data() + at, sizeof word);
      at += sizeof word;
      variables.words[run.address] = word;
      run.address += sizeof word;
    }
  }
  return variables;
}

void SameAddresses::enter(const ModuleMap& modules) {
  moved_.clear();
  for (const ModuleMap::Entry& entry : modules.entries()) {
    const auto& known = first_.entries();
    const auto same = [&](const ModuleMap::Entry& one) { return one.path == entry.path; };
    const auto found = std::find_if(known.begin(), known.end(), same);
    if (found == known.end())
      first_.add(entry);
    else if (found->base != entry.base)
      moved_.push_back({entry.begin, entry.end, found->base - entry.base});
  }
}

std::uint64_t SameAddresses::of(std::uint64_t address) const {
  for (const Moved& moved : moved_)
    if (address >= moved.begin && address < moved.end) return address + moved.by;
  return address;
}

Variables SameAddresses::of(const Variables& variables) const {
  Variables result;
  for (const auto& [address, word] : variables.words) result.words[of(address)] = of(word);
  if (variables.end != 0) result.end = of(variables.end - 1) + 1;  // it may be the file's end
  return result;
}

bool Samples::wants(std::uint64_t number) {
  if (number < next_) return false;
  next_ = number + 1 + std::min(number / kGrowth, kLargestGap);
  return true;
}

// Nothing: it was ended from outside, or what it got from there decided what it did.
std::optional<Samples::Outcome> Samples::outcome_of(Execution& execution, const ModuleMap& modules) {
  addresses_.enter(modules);
  Outcome outcome{{}, execution.end, addresses_.of(take_variables(execution))};
  const EndKind end = execution.end.end;
  if ((end != EndKind::Exited && end != EndKind::Deadlock) || ended_in_loop(execution.end)) return std::nullopt;
  if (execution.message(MessageKind::Input) != nullptr) return std::nullopt;
  const auto graph = HappensBefore(HappensBefore::Relation::Careful).hash(execution);
  if (!graph) return std::nullopt;
  outcome.graph = *graph;
  return outcome;
}

std::optional<Plan> Samples::begin(const Plan& of, Execution& execution, const ModuleMap& modules) {
  auto outcome = outcome_of(execution, modules);
  if (!outcome) return std::nullopt;
  const auto way = taken_ % 2 == 0 ? Reordering::Way::Reversed : Reordering::Way::InTurn;
  const std::vector<Choice> other = reordering_.of(execution, way);
  if (other.empty()) return std::nullopt;
  ++taken_;
  Sample sample{{}, std::move(*outcome), std::nullopt, of.fair, of.slow_threads};
  for (const StepRecord& step : execution.steps) sample.choices.push_back({step.task, step.variant});
  Plan plan = plan_of(other, sample);
  samples_.emplace(plan.id, std::move(sample));
  return plan;
}

Plan Samples::plan_of(const std::vector<Choice>& choices, const Sample& sample) {
  Plan plan;
  plan.fair = sample.fair;
  plan.slow_threads = sample.slow_threads;
  plan.id = kSampleFlag | ++plans_;
  plan.memory = true;
  plan.deltas.reserve(choices.size());
  std::uint32_t step = 0;
  for (const Choice choice : choices) plan.deltas.push_back({step++, choice});
  return plan;
}

void Samples::lose(PlanId plan) {
  HEDDLE_ASSERT(out_ != 0, "a sample that is lost was handed out");
  --out_;
  samples_.erase(plan);
}

Samples::Finding Samples::learn(Execution& execution, const ModuleMap& modules) {
  Finding finding;
  if (out_ != 0) --out_;
  auto outcome = outcome_of(execution, modules);
  const auto found = samples_.find(execution.plan);
  if (found == samples_.end()) return finding;
  Sample sample = std::move(found->second);
  samples_.erase(found);
  // On the way, where the graph has not come to its end.
  const EndKind end = execution.end.end;
  if (end == EndKind::Crashed || end == EndKind::Misuse) outcome = Outcome{sample.expected.graph, execution.end, {}};
  if (!outcome || !(outcome->graph == sample.expected.graph)) return finding;
  if (!sample.other) {
    const bool same = same_end(outcome->end, sample.expected.end) &&
                      first_difference(sample.expected.variables, outcome->variables, sample.expected.variables) == 0;
    if (same) return finding;
    sample.other = std::move(outcome);
    finding.next = plan_of(sample.choices, sample);
    samples_.emplace(finding.next->id, std::move(sample));
    return finding;
  }
  if (!same_end(outcome->end, sample.expected.end)) return finding;
  const std::uint64_t address =
      first_difference(sample.expected.variables, sample.other->variables, outcome->variables);
  if (!same_end(sample.other->end, sample.expected.end))
    finding.differs = "ended differently";
  else if (address != 0)
    finding.differs =
        "left different memory: " + describe(address, word_at(sample.expected.variables, address),
                                             word_at(sample.other->variables, address), addresses_.first());
  if (!finding.differs.empty())
    finding.differs =
        fmt::format("two schedules that differ only in the order of independent steps {}; {}", finding.differs, kCause);
  return finding;
}

}  // namespace heddle
