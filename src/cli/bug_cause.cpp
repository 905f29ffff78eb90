// See bug_cause.h.
#include "cli/bug_cause.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // header only
#include <xxhash.h>

#include <algorithm>
#include <set>

#include "analysis/source_text.h"
#include "analysis/symbolizer.h"
#include "analysis/test_frameworks.h"
#include "analysis/waiting.h"
#include "cli/bug_places.h"
#include "report/bug_details.h"
#include "report/patterns/patterns.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

// "accounts[].balance" of "accounts[3].balance", "table" of "table+0x18": all elements are one cause.
std::string without_indices(std::string_view name) {
  std::string result;
  for (const char c : name.substr(0, name.find("+0x"))) {
    const bool in_brackets = !result.empty() && result.back() == '[';
    if (!in_brackets || c < '0' || c > '9') result += c;
  }
  return result;
}

// Where the bug is made: of a deadlock only those who wait for each other, or for nobody; of a loop all that it does.
std::vector<Location> locations_of_cause(const Outcome& outcome, const Execution& execution, Names& names) {
  std::vector<Location> result;
  if (outcome.kind == OutcomeKind::Deadlock && execution.end.end == EndKind::Deadlock) {
    for (const std::size_t i : core_of_deadlock(execution))
      if (execution.pending[i].site != 0) result.push_back(names.places().of_pending(i));
  } else if (const Loop loop = loop_of(execution); loop.proved) {
    for (std::size_t i = loop.first; i < execution.steps.size(); ++i) result.push_back(names.places().of_step(i));
  }
  return result;
}

std::vector<SourceLine> lines_at(const std::vector<Location>& locations, SourceText& sources) {
  std::vector<SourceLine> result;
  for (const Location& location : locations) {
    const Frame& frame = location.frame;
    if (is_user_code(frame) && !is_of_heddle(frame))
      result.push_back(
          {std::string(file_name(frame.file)), frame.function, sources.line(frame.file, frame.line), frame.line});
  }
  return result;
}

// "in take() at `lock(b);` and in give() at `lock(a);`", sorted, each place once, those of known lines only.
std::string words_of_places(const std::vector<SourceLine>& places) {
  std::set<std::string> result;
  for (const SourceLine& place : places)
    if (!place.text.empty()) result.insert(fmt::format("in {} at `{}`", place.function, place.text));
  return fmt::format("{}", fmt::join(result, " and "));
}

// What a test framework has printed as its place: "queue.cpp:9". Empty: the line can't be read.
std::string printed_line(const std::string& place, SourceText& sources) {
  const SourcePosition position = printed_position(place);
  return position.file.empty() ? std::string() : sources.line(position.file, position.line);
}

// "in adds at `sum == 2`": what assert() tells of itself. Empty: it was none.
std::string words_of_assertion(const Outcome& outcome, const Execution& execution) {
  const ExecutionMessage* const message = execution.message(MessageKind::AssertionFailed);
  if (outcome.kind != OutcomeKind::Assertion || message == nullptr) return {};
  const std::vector<std::string> fields = fields_of(message->text);  // the expression, the file, the line, the function
  return fmt::format("in {} at `{}`", fields[3], fields[0]);
}

// On one line, with "#" for each number: values differ from run to run.
std::string without_values(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      if (result.empty() || result.back() != '#') result += '#';
    } else {
      result += c == '\n' ? ' ' : c;
    }
  }
  return result;
}

// Where no line is known: what happened, without what differs from run to run.
std::string words_of_outcome(const Outcome& outcome, const Execution& execution, Names& names) {
  if (outcome.kind == OutcomeKind::Exit) return fmt::format("with status {:#x}", execution.end.status);
  if (const ExecutionMessage* misuse = execution.message(MessageKind::Misuse);
      outcome.kind == OutcomeKind::Misuse && misuse != nullptr)
    return misuse->text;
  constexpr std::size_t kMost = 300;
  std::string words =
      without_values(without_places(outcome.message.substr(0, std::min(outcome.message.find("; "), kMost))));
  if (outcome.site == 0 || is_of_heddle(names.places().of_site(outcome.site).frame)) return words;
  return words + " at " + without_places(names.places().full_name(names.places().of_site(outcome.site)).text);
}

// "in Service::Start at `worker = std::thread(work);`": where the thread was created that is not joined before its
// memory is given back. Empty: that is not what is wrong, or the line can't be read.
std::string words_of_missing_join(const Outcome& outcome, const Execution& execution, SourceText& sources,
                                  Names& names) {
  const auto thread = thread_not_joined(outcome.kind, execution);
  if (!thread) return {};
  const ObjectId object = execution.tasks[*thread].object;
  for (std::size_t i = 0; i < execution.steps.size(); ++i)
    if (execution.steps[i].operation == OperationKind::ThreadCreated && execution.steps[i].object == object)
      return words_of_places(lines_at({names.places().of_step(i)}, sources));
  return {};
}

}  // namespace

std::string cause_of(const Outcome& outcome, const Execution& execution, const std::vector<SourceLine>& places,
                     Names& names, const std::vector<std::string>& arguments) {
  const auto cause = [&](const std::string& words) { return fmt::format("{} {}", name(outcome.kind), words); };
  SourceText sources;
  if (const std::string words = words_of_missing_join(outcome, execution, sources, names); !words.empty())
    return cause("with a thread that is not joined, created " + words);
  if (outcome.kind == OutcomeKind::Race && !execution.races.empty())
    if (const std::string variable = names.variable(execution.races.front()); !variable.empty())
      return cause("on " + without_indices(variable));
  const std::vector<SourceLine> own = lines_at(locations_of_cause(outcome, execution, names), sources);
  if (const std::string words = words_of_places(own.empty() ? places : own); !words.empty()) return cause(words);
  if (const std::string words = words_of_assertion(outcome, execution); !words.empty()) return cause(words);
  if (const std::string line = printed_line(outcome.printed_place, sources); !line.empty()) {
    const std::string_view file = std::string_view(outcome.printed_place).substr(0, outcome.printed_place.rfind(':'));
    // Checks of different tests may read alike.
    const std::string test = google_test_at_failure(execution.output);
    return cause(fmt::format("{}at `{}` in {}", test.empty() ? "" : "in " + test + " ", line, file_name(file)));
  }
  std::string words = words_of_outcome(outcome, execution, names);
  std::set<std::string> functions;  // whose lines can't be read
  for (const SourceLine& place : places)
    if (!place.function.empty()) functions.insert(place.function);
  if (!functions.empty()) return cause(fmt::format("{} in {}", words, fmt::join(functions, " and ")));
  if (!arguments.empty()) words += fmt::format(" (with {})", fmt::join(arguments, " "));
  return cause(words);
}

std::string key_of(const Outcome& outcome, const std::string& cause) {
  std::string kind = name(outcome.kind);
  std::replace(kind.begin(), kind.end(), ' ', '-');
  return fmt::format("{}-{:08x}", kind, static_cast<std::uint32_t>(XXH3_64bits(cause.data(), cause.size())));
}

}  // namespace heddle::cli
