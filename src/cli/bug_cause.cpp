// See bug_cause.h.
#include "cli/bug_cause.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // header only
#include <xxhash.h>

#include <algorithm>

#include "cli/bug_places.h"

namespace heddle::cli {
namespace {

// "pool.count" of "pool.count", "accounts[].balance" of "accounts[3].balance": all elements are one cause.
std::string without_indices(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool in_brackets = result.find_last_of('[') != result.npos && result.find_last_of('[') + 1 == result.size();
    if (!in_brackets || c < '0' || c > '9') result += c;
  }
  return result;
}

// "in take() at `lock(b);` and in give() at `lock(a);`"; each place once.
std::string words_of_places(const std::vector<SourceLine>& places) {
  std::vector<std::string> result;
  for (const SourceLine& place : places) {
    std::string words = place.function.empty() ? "in " + place.file : fmt::format("in {}", place.function);
    if (!place.text.empty()) words += fmt::format(" at `{}`", place.text);
    if (std::find(result.begin(), result.end(), words) == result.end()) result.push_back(std::move(words));
  }
  return fmt::format("{}", fmt::join(result, " and "));
}

}  // namespace

std::string cause_of(const Outcome& outcome, const Execution& execution, const std::vector<SourceLine>& places,
                     Names& names) {
  if (outcome.kind == OutcomeKind::Race && !execution.races.empty())
    if (const std::string variable = names.variable(execution.races.front()); !variable.empty())
      return fmt::format("{} on {}", name(outcome.kind), without_indices(variable));
  if (!places.empty()) return fmt::format("{} {}", name(outcome.kind), words_of_places(places));
  const std::string& message = outcome.message;
  return fmt::format("{}: {}", name(outcome.kind), without_places(message.substr(0, message.find('\n'))));
}

std::string key_of(const Outcome& outcome, const std::string& cause) {
  std::string kind = name(outcome.kind);
  std::replace(kind.begin(), kind.end(), ' ', '-');
  return fmt::format("{}-{:08x}", kind, static_cast<std::uint32_t>(XXH3_64bits(cause.data(), cause.size())));
}

}  // namespace heddle::cli
