// Classification of executions; see outcome.h. What the runtime saw comes first, what the program printed second.
#include "analysis/outcome.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>

#include "analysis/printed.h"
#include "analysis/test_frameworks.h"
#include "analysis/waiting.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

// How far back the steps of a livelock are looked at: its loop is in there many times.
constexpr std::size_t kLivelockSteps = 2000;

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

// A text in the place of a site: the failure has no address, but the same text means the same failure.
Site site_of_text(const std::string& text) { return std::hash<std::string>{}(text); }

Site running_site(const Execution& execution) {
  const PendingRecord* pending = pending_of(execution, execution.end.task);
  return pending == nullptr ? 0 : pending->site;
}

// The place of abort() and that of a crash in a library's function are the same for many failures.
Outcome with_stack(const Execution& execution, Outcome outcome) {
  const PendingRecord* pending = pending_of(execution, execution.end.task);
  if (pending == nullptr) return outcome;
  const auto index = static_cast<std::size_t>(pending - execution.pending.data());
  if (index < execution.pending_stacks.size()) outcome.stack = execution.pending_stacks[index];
  return outcome;
}

Outcome at_running_task(const Execution& execution, OutcomeKind kind, std::string message,
                        const std::string& identity) {
  Outcome outcome{kind, std::move(message), running_site(execution), {}, {}};
  outcome.final_sites.push_back(outcome.site != 0 ? outcome.site : site_of_text(identity));
  return outcome;
}

// What was printed says more precisely than the place of abort() or exit() which failure it is.
Outcome from_printed(const Execution& execution, const Printed& printed) {
  Outcome outcome{printed.kind, printed.message, running_site(execution), {}, {}, printed.place};
  outcome.final_sites.push_back(site_of_text(printed.identity));
  return outcome;
}

Outcome deadlock(const Execution& execution) {
  PlainNames names(execution);
  // A thread that waits for ever by reading in a loop does not block: it runs, and nothing comes of it.
  const bool spins = std::any_of(execution.pending.begin(), execution.pending.end(), [](const PendingRecord& pending) {
    return is_blocked(pending) && object_kind(pending.operation) == ObjectKind::Memory;
  });
  const OutcomeKind kind = spins ? OutcomeKind::Livelock : OutcomeKind::Deadlock;
  Outcome outcome{kind, deadlock_sentence(execution, names).text(), 0, {}, {}};
  for (const std::size_t index : core_of_deadlock(execution))
    outcome.final_sites.push_back(execution.pending[index].site);
  if (const auto telling = telling_blocked(execution)) outcome.site = execution.pending[*telling].site;
  return outcome;
}

Outcome livelock(const Execution& execution) {
  const std::size_t count = execution.steps.size();
  const Loop loop = loop_of(execution);
  Outcome outcome;
  outcome.kind = execution.end.end == EndKind::GoodSamaritan ? OutcomeKind::GoodSamaritan : OutcomeKind::Livelock;
  outcome.message =
      fmt::format("the program goes round for ever: after {} steps all is as it was after {}", count, loop.first);
  for (std::size_t i = loop.first; i < count; ++i) outcome.final_sites.push_back(execution.steps[i].site);
  if (count > 0) outcome.site = execution.steps.back().site;
  return outcome;
}

// Does anybody in the loop let others go first?
bool yields(const Execution& execution, const Loop& loop) {
  return std::any_of(execution.steps.begin() + static_cast<std::ptrdiff_t>(loop.first), execution.steps.end(),
                     [](const StepRecord& step) {
                       return (traits(step.operation) & OperationTraits::Yield) != 0 || ends_by_timeout(step);
                     });
}

// It may be endless, or long: that is not known. That others were kept waiting all the time is, for who wants to know.
Outcome cut_off(const Execution& execution) {
  const std::size_t count = execution.steps.size();
  const Loop loop = loop_of(execution);
  const bool spins = !kept_waiting(execution, loop).empty() && !yields(execution, loop);
  Outcome outcome;
  outcome.kind = spins ? OutcomeKind::GoodSamaritan : OutcomeKind::NoVerdict;
  outcome.message = fmt::format("the program did not end within {} steps (possibly it never would)", count);
  for (std::size_t i = loop.first; spins && i < count; ++i) outcome.final_sites.push_back(execution.steps[i].site);
  if (count > 0) outcome.site = execution.steps.back().site;
  return outcome;
}

Outcome misuse(const Execution& execution) {
  const ExecutionMessage* message = execution.message(MessageKind::Misuse);
  const std::string text = message == nullptr ? "an operation that pthreads does not allow" : message->text;
  PlainNames names(execution);
  const bool known = execution.end.task < execution.tasks.size();
  const char* const kind = is_use_after_free(execution) ? "use after free: " : "";
  return at_running_task(execution, OutcomeKind::Misuse,
                         known ? fmt::format("{}{} {}", kind, names.task(execution.end.task).text, text) : text, text);
}

Outcome failed_assertion(const Execution& execution, const std::string& text) {
  const auto fields = fields_of(text);
  const std::string place = fmt::format("{}:{}", fields[1], fields[2]);
  const std::string function = fields[3].empty() ? "" : fields[3] + ": ";
  Outcome outcome = at_running_task(execution, OutcomeKind::Assertion,
                                    fmt::format("{}: {}Assertion `{}' failed", place, function, fields[0]), place);
  // What it says of itself, and not where it was called from: compilers make one call of several assertions.
  outcome.final_sites = {site_of_text(outcome.message)};
  return outcome;
}

Outcome aborted(const Execution& execution) {
  const std::string& output = execution.output;
  if (const auto printed = printed_sanitizer(output)) return from_printed(execution, *printed);
  if (const auto printed = printed_test_abort(output)) return from_printed(execution, *printed);
  if (const auto printed = printed_exception(output)) return with_stack(execution, from_printed(execution, *printed));
  for (const auto find : {printed_assertion, printed_corruption})
    if (const auto printed = find(output)) return from_printed(execution, *printed);
  const std::string line = last_line(output);
  const std::string message =
      line.empty() ? "abort() was called" : fmt::format("abort() was called; last line printed: {}", line);
  return with_stack(execution, at_running_task(execution, OutcomeKind::Assertion, message, "abort"));
}

// What the runtime said of a fatal signal.
struct FatalSignal {
  explicit FatalSignal(const ExecutionMessage& message) {
    const auto fields = fields_of(message.text);
    number = std::atoi(fields[0].c_str());
    code = std::atoi(fields[1].c_str());
    address = std::strtoull(fields[2].c_str(), nullptr, 0);
    from_outside = fields[3] == SignalText::kOutside;
    stack_overflow = fields[4] == SignalText::kStackOverflow;
  }
  int number = 0, code = 0;
  std::uint64_t address = 0;
  bool from_outside = false, stack_overflow = false;
};

// Of accesses to what no memory can be at (the upper bits are not all alike), the kernel tells no address.
std::string address_of(const FatalSignal& signal) {
  if (signal.code == SI_KERNEL) return ": the address is not known (one that no memory can have, or misaligned)";
  return fmt::format(" at address {:#x}", signal.address);
}

// The kernel's own codes are positive.
std::string cause_of(const FatalSignal& signal) {
  if (signal.code == SI_TIMER) return ", from a timer of the program's";
  if (signal.code <= 0) return signal.from_outside ? ", sent by another process" : ", sent by the program itself";
  const bool has_address = signal.number == SIGSEGV || signal.number == SIGBUS;
  if (!has_address) return "";
  return address_of(signal) + (signal.stack_overflow ? ": stack overflow" : "");
}

Outcome crashed(const Execution& execution, int signal) {
  if (const auto printed = printed_sanitizer(execution.output)) return from_printed(execution, *printed);
  std::string text = signal_name(signal);
  const ExecutionMessage* message = execution.message(MessageKind::Signal);
  if (message != nullptr) text += cause_of(FatalSignal(*message));
  return with_stack(execution, at_running_task(execution, OutcomeKind::Crash, text, text));
}

// Such are the signals that users and their tools end programs by.
bool ends_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
}

bool ended_by_stranger(const Execution& execution, int signal) {
  const ExecutionMessage* message = execution.message(MessageKind::Signal);
  return ends_from_outside(signal) && (message == nullptr || FatalSignal(*message).from_outside);
}

Outcome signalled(const Execution& execution, int signal) {
  const ExecutionMessage* assertion = execution.message(MessageKind::AssertionFailed);
  if (assertion != nullptr) return failed_assertion(execution, assertion->text);
  if (signal == SIGABRT) return aborted(execution);
  if (ended_by_stranger(execution, signal))
    return {OutcomeKind::NoVerdict,
            fmt::format("the program was ended from outside by {}", signal_name(signal)),
            0,
            {},
            {}};
  return crashed(execution, signal);
}

Outcome exited(const Execution& execution, int status, const std::vector<int>& ok_exit) {
  if (status == 0 || std::find(ok_exit.begin(), ok_exit.end(), status) != ok_exit.end()) return {};
  for (const auto find : {printed_sanitizer, printed_test_failure, printed_traceback, printed_panic})
    if (const auto printed = find(execution.output)) return from_printed(execution, *printed);
  const std::string line = last_line(execution.output);
  std::string message = fmt::format("the program ended with exit status {}", status);
  if (!line.empty()) message += fmt::format("; last line printed: {}", line);
  const std::string identity = fmt::format("exit {}", status);
  Outcome outcome = at_running_task(execution, OutcomeKind::Exit, message, identity);
  if (outcome.site != 0) outcome.final_sites.push_back(site_of_text(identity));  // main() returns at one place
  return outcome;
}

Outcome ended(const Execution& execution, const std::vector<int>& ok_exit) {
  const int status = execution.end.status;
  return WIFSIGNALED(status) ? signalled(execution, WTERMSIG(status)) : exited(execution, WEXITSTATUS(status), ok_exit);
}

Outcome crash_record(const Execution& execution) {
  const ExecutionMessage* message = execution.message(MessageKind::Signal);
  const int from_message = message == nullptr ? 0 : std::atoi(message->text.c_str());
  const int status = execution.end.status;
  return signalled(execution, from_message != 0 ? from_message : WTERMSIG(status));
}

Outcome diverged(const Execution& execution) {
  const ExecutionMessage* message = execution.message(MessageKind::Divergence);
  const std::string why = message == nullptr ? "" : ": " + message->text;
  return {OutcomeKind::Diverged,
          fmt::format("the schedule could not be followed at step {}{}", execution.end.steps, why),
          0,
          {},
          {}};
}

Outcome judged(const Execution& execution, const std::vector<int>& ok_exit) {
  switch (execution.end.end) {
    case EndKind::Exited:
      return ended(execution, ok_exit);
    case EndKind::Crashed:
      return crash_record(execution);
    case EndKind::Deadlock:
      return deadlock(execution);
    case EndKind::StepLimit:
      return cut_off(execution);
    case EndKind::Livelock:
    case EndKind::GoodSamaritan:
      return livelock(execution);
    case EndKind::Misuse:
      return misuse(execution);
    case EndKind::Diverged:
      return diverged(execution);
    case EndKind::Asleep:
      return {OutcomeKind::Ok, "", 0, {}, {}};  // what would have come has been seen
    case EndKind::Killed:
    case EndKind::Effect:
    case EndKind::None:
      break;
  }
  return {OutcomeKind::NoVerdict, "the execution was ended from outside or took too long", 0, {}, {}};
}

}  // namespace

std::vector<std::string> fields_of(const std::string& text) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == '\0')
      fields.emplace_back();
    else
      fields.back() += c;
  }
  fields.resize(std::max<std::size_t>(fields.size(), 5));
  return fields;
}

Outcome race_outcome(const ExecutionRace& race) {
  const auto does = [](const RaceRecord& access) -> std::string {
    if ((access.flags & RaceFlags::Freed) != 0) return "free";
    if ((access.flags & RaceFlags::Used) != 0) return "use";
    return fmt::format("{}{}", (access.flags & RaceFlags::Atomic) != 0 ? "atomic " : "",
                       (access.flags & RaceFlags::Write) != 0 ? "write" : "read");
  };
  const bool ordered = (race.later.flags & RaceFlags::Ordered) != 0;
  const bool ended = (race.earlier.flags & RaceFlags::Ended) != 0;
  Outcome outcome{ordered ? OutcomeKind::UseAfterFree : OutcomeKind::Race,
                  ordered ? fmt::format("a {} of {}", does(race.later),
                                        ended ? "the stack of a thread that has ended" : "memory that was freed before")
                          : fmt::format("a {} and a {} of the same memory, which nothing orders", does(race.later),
                                        does(race.earlier)),
                  race.later.site,
                  {race.earlier.site, race.later.site},
                  {}};
  std::sort(outcome.final_sites.begin(), outcome.final_sites.end());
  return outcome;
}

bool is_use_after_free(const Execution& execution) {
  const ExecutionMessage* const message = execution.message(MessageKind::Misuse);
  return message != nullptr && message->text.find("after its memory was freed") != std::string::npos;
}

std::size_t steps_needed(OutcomeKind kind, const Execution& execution) {
  const std::size_t all = execution.steps.size();
  if (!is_of_accesses(kind) || execution.races.empty()) return all;
  return std::min<std::size_t>(all, execution.races.front().later.step);
}

std::size_t steps_before_ticks(OutcomeKind kind, const Execution& execution) {
  const std::size_t needed = steps_needed(kind, execution);
  const bool ticks = execution.end.end == EndKind::Deadlock && execution.end.loop_from != 0;
  return ticks ? std::min<std::size_t>(needed, execution.end.loop_from) : needed;
}

bool ended_by_stranger(const Execution& execution) {
  const EndRecord& end = execution.end;
  const bool by_signal = (end.end == EndKind::Crashed || end.end == EndKind::Exited) && WIFSIGNALED(end.status);
  return by_signal && ended_by_stranger(execution, WTERMSIG(end.status));
}

const ExecutionRace* same_race(const Execution& execution, const ModuleMap& modules, const ExecutionRace& race,
                               const ModuleMap& others) {
  const ModuleNames here(modules), there(others);
  const std::string earlier = there.text(race.earlier.site), later = there.text(race.later.site);
  const auto same = [&](const ExecutionRace& other) {
    const std::string first = here.text(other.earlier.site), second = here.text(other.later.site);
    return (first == earlier && second == later) || (first == later && second == earlier);
  };
  const auto found = std::find_if(execution.races.begin(), execution.races.end(), same);
  return found != execution.races.end() ? &*found : nullptr;
}

Loop loop_of(const Execution& execution) {
  const std::size_t count = execution.steps.size();
  if (execution.end.loop_from != 0 && execution.end.loop_from < count) return {execution.end.loop_from, true};
  return {count - std::min(count, kLivelockSteps), false};
}

std::vector<TaskId> kept_waiting(const Execution& execution, const Loop& loop) {
  std::vector<TaskId> result;
  StateCursor cursor(execution);
  std::vector<bool> out(execution.tasks.size(), false);       // took a step
  std::vector<std::size_t> could(execution.tasks.size(), 0);  // at how many decisions it could go on
  for (std::size_t i = loop.first; i < execution.steps.size(); ++i) {
    cursor.advance_to(static_cast<std::uint32_t>(i));
    for (std::size_t task = 0; task < out.size(); ++task)
      could[task] += (cursor.state(static_cast<TaskId>(task)) & TaskState::Enabled) != 0 ? 1 : 0;
    if (execution.steps[i].task < out.size()) out[execution.steps[i].task] = true;
  }
  // What comes again for ever comes often enough if it comes once.
  const std::size_t enough = loop.proved ? 1 : execution.steps.size() - loop.first;
  if (loop.first == execution.steps.size()) return result;
  // A trace says only at the end who could go on.
  if (execution.changes.empty())
    for (const PendingRecord& pending : execution.pending)
      if (pending.task < could.size() && (pending.state & TaskState::Enabled) != 0) could[pending.task] = enough;
  for (std::size_t task = 0; task < out.size(); ++task)
    if (!out[task] && could[task] >= enough) result.push_back(static_cast<TaskId>(task));
  return result;
}

Outcome classify(const Execution& execution, const std::vector<int>& ok_exit) {
  Outcome outcome = judged(execution, ok_exit);
  auto& sites = outcome.final_sites;
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  if (!is_bug(outcome.kind)) return outcome;
  if (const std::string test = failed_google_test(execution.output); !test.empty())
    outcome.message = fmt::format("in the test {}:\n{}", test, outcome.message);
  return outcome;
}

}  // namespace heddle
