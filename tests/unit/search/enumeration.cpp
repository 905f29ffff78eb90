// See enumeration.h.
#include "search/enumeration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "analysis/happens_before.h"
#include "protocol/dependence.h"

namespace heddle::test {
namespace {

Plan plan_of(const Schedule& schedule) {
  Plan plan;
  for (std::size_t i = 0; i < schedule.size(); ++i) plan.deltas.push_back({static_cast<std::uint32_t>(i), schedule[i]});
  return plan;
}

// What can follow a schedule. Nothing: it has come to its end.
std::vector<Choice> choices_behind(const Program& program, const Schedule& schedule) {
  Run run(program);
  for (const Choice choice : schedule) {
    run.decide();
    if (run.step(choice).misuse != nullptr) return {};
  }
  if (run.is_over() || run.decide().status == model::Decision::Status::Deadlock) return {};
  return run.choices();
}

using Visit = std::function<bool(const Execution& execution)>;

// False: `visit` has had enough.
bool each_behind(const Program& program, Schedule& schedule, const Visit& visit) {
  const std::vector<Choice> choices = choices_behind(program, schedule);
  if (choices.empty()) return visit(execute(program, plan_of(schedule)));
  return std::all_of(choices.begin(), choices.end(), [&](Choice choice) {
    schedule.push_back(choice);
    const bool goes_on = each_behind(program, schedule, visit);
    schedule.pop_back();
    return goes_on;
  });
}

struct Sleeping {
  Choice choice;
  Access access;  // as it is when it is taken where it fell asleep
};

Access access_of(const Program& program, const Execution& execution, std::size_t step) {
  const StepRecord& made = execution.steps[step];
  const bool wrote = (made.flags & StepFlags::Wrote) != 0 && !is_failed_try(made.operation, made.result);
  Access access = heddle::access_of(made.operation, made.object, made.object2, wrote);
  access.everything = access.everything || (made.flags & StepFlags::Refused) != 0;
  return with_time(access, made.variant == kTimeout, program.limits.early_timeouts());
}

// The step that the last choice of a schedule has made.
Sleeping last_step(const Program& program, const Schedule& schedule) {
  const Execution execution = execute(program, plan_of(schedule));
  return {schedule.back(), access_of(program, execution, schedule.size() - 1)};
}

void enumerate_awake(const Program& program, Schedule& schedule, std::vector<Sleeping> sleep,
                     Enumeration& enumeration) {
  const std::vector<Choice> choices = choices_behind(program, schedule);
  if (choices.empty()) return note(execute(program, plan_of(schedule)), enumeration);
  for (const Choice choice : choices) {
    if (std::any_of(sleep.begin(), sleep.end(), [&](const Sleeping& one) { return one.choice == choice; })) continue;
    schedule.push_back(choice);
    const Sleeping made = last_step(program, schedule);
    std::vector<Sleeping> still;
    for (const Sleeping& one : sleep)
      if (one.choice.task != choice.task && !dependent(one.access, made.access)) still.push_back(one);
    enumerate_awake(program, schedule, still, enumeration);
    schedule.pop_back();
    sleep.push_back(made);
  }
}

}  // namespace

std::string order_of(const Program& program, const Execution& execution) {
  std::vector<std::string> names;
  std::vector<Access> accesses;
  std::vector<unsigned> taken(program.tasks.size(), 0);
  std::map<std::string, std::string> lines;
  for (std::size_t step = 0; step < execution.steps.size(); ++step) {
    const StepRecord& made = execution.steps[step];
    names.push_back(std::to_string(made.task) + "." + std::to_string(taken[made.task]++));
    accesses.push_back(access_of(program, execution, step));
    const Variant variant = made.variant == kTimeout ? Variant{0} : made.variant;
    std::string line = text({{made.task, variant}}) + "behind";
    for (std::size_t earlier = 0; earlier < step; ++earlier)
      if (execution.steps[earlier].task == made.task || dependent(accesses[earlier], accesses[step]))
        line += " " + names[earlier];
    lines[names.back()] = line;
  }
  std::string result;
  for (const auto& [name, line] : lines) result.append(name).append(" ").append(line).append("\n");
  return result;
}

Class class_of(const Execution& execution) {
  const auto hash = HappensBefore().hash(execution);
  EXPECT_TRUE(hash.has_value());
  return {hash->a, hash->b, execution.end.end};
}

void note(const Execution& execution, Enumeration& enumeration) {
  ++enumeration.executions;
  const std::string schedule = text(schedule_of(execution));
  const auto [known, fresh] =
      enumeration.classes.insert({class_of(execution), {execution.end.preemptions, schedule, execution.output}});
  Found& found = known->second;
  found.preemptions = std::min(found.preemptions, unsigned{execution.end.preemptions});
  if (found.state != execution.output && enumeration.contradiction.empty())
    enumeration.contradiction =
        found.schedule + "came to " + found.state + ", and " + schedule + "came to " + execution.output;
}

std::map<Class, Found> Enumeration::deadlocks() const {
  std::map<Class, Found> result = classes;
  std::erase_if(result, [](const auto& entry) { return std::get<EndKind>(entry.first) != EndKind::Deadlock; });
  return result;
}

std::optional<Enumeration> brute_force(const Program& program, std::size_t most) {
  Enumeration enumeration;
  const auto note_it = [&](const Execution& execution) { note(execution, enumeration); };
  if (!each_execution(program, most, note_it)) return {};
  return enumeration;
}

bool each_execution(const Program& program, std::size_t most, const std::function<void(const Execution&)>& visit) {
  std::size_t left = most;
  Schedule schedule;
  return each_behind(program, schedule, [&](const Execution& execution) {
    if (left == 0) return false;
    --left;
    visit(execution);
    return true;
  });
}

Enumeration with_sleep_sets(const Program& program) {
  Enumeration enumeration;
  Schedule schedule;
  enumerate_awake(program, schedule, {}, enumeration);
  return enumeration;
}

}  // namespace heddle::test
