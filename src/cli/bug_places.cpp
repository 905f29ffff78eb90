// See bug_places.h.
#include "cli/bug_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/source_text.h"
#include "analysis/symbolizer.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

std::vector<Location> locations_of(const Outcome& outcome, const Execution& execution, Names& names) {
  std::vector<Location> result;
  const auto add_access = [&](const RaceRecord& access, const std::vector<Site>& stack) {
    result.push_back(names.places().of_access(access, stack));
  };
  if (is_of_accesses(outcome.kind) && !execution.races.empty()) {
    const ExecutionRace& race = execution.races.front();
    add_access(race.earlier, race.earlier_stack);
    add_access(race.later, race.later_stack);
  } else if (outcome.kind == OutcomeKind::Deadlock) {
    for (std::size_t i = 0; i < execution.pending.size(); ++i)
      if (execution.pending[i].site != 0) result.push_back(names.places().of_pending(i));
  } else if (!outcome.stack.empty()) {
    result.push_back(names.places().of_stack(outcome.stack));
  } else if (outcome.site != 0) {
    result.push_back(names.places().of_site(outcome.site));
  }
  return result;
}

auto order_of(const SourceLine& place) { return std::tie(place.function, place.text, place.line); }

bool is_same(const std::string& one, const std::string& other) { return one.empty() || other.empty() || one == other; }

// "src/queue.cpp:33" -> "queue.cpp", "0x7f00" -> "0x"; other words stay as they are.
std::string without_place(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789", kHexDigits = "0123456789abcdef";
  if (const auto colon = word.find(':'); colon != word.npos && word.find('.') < colon) {
    const auto end = word.find_first_not_of(kDigits, colon + 1);
    const std::string_view file = file_name(word.substr(0, colon));
    if (end != colon + 1) return std::string(file) + std::string(end == word.npos ? "" : word.substr(end));
  }
  const auto address = word.find("0x");
  if (address == word.npos) return std::string(word);
  const auto end = word.find_first_not_of(kHexDigits, address + 2);
  return std::string(word.substr(0, address + 2)) + std::string(end == word.npos ? "" : word.substr(end));
}

}  // namespace

std::vector<SourceLine> places_of(const Outcome& outcome, const Execution& execution, Names& names) {
  SourceText sources;
  std::vector<SourceLine> result;
  for (const Location& location : locations_of(outcome, execution, names)) {
    const Frame& frame = location.frame;
    if (!is_user_code(frame) || is_of_heddle(frame)) return {};
    result.push_back(
        {std::string(file_name(frame.file)), frame.function, sources.line(frame.file, frame.line), frame.line});
  }
  std::sort(result.begin(), result.end(),
            [](const SourceLine& one, const SourceLine& other) { return order_of(one) < order_of(other); });
  return result;
}

bool same_places(const std::vector<SourceLine>& one, const std::vector<SourceLine>& other) {
  if (one.empty() || other.empty()) return true;
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const SourceLine& a, const SourceLine& b) {
    return is_same(a.function, b.function) && is_same(a.text, b.text);
  });
}

bool same_texts(const std::vector<SourceLine>& one, const std::vector<SourceLine>& other) {
  const auto texts_of = [](const std::vector<SourceLine>& places) {
    std::vector<std::string> texts;
    texts.reserve(places.size());
    for (const SourceLine& place : places) texts.push_back(place.text);
    std::sort(texts.begin(), texts.end());
    return texts;
  };
  const std::vector<std::string> texts = texts_of(one);
  return !texts.empty() && !texts.front().empty() && texts == texts_of(other);
}

std::string words_of(const std::vector<SourceLine>& places) {
  std::vector<std::string> result;
  for (const SourceLine& place : places) {
    const std::string text = place.text.empty() ? std::string() : ": " + place.text;
    result.push_back(place.file.empty() ? place.function
                                        : fmt::format("{} ({}:{}{})", place.function, place.file, place.line, text));
  }
  return fmt::format("{}", fmt::join(result, " and "));
}

bool same_but_for_values(const std::string& one, const std::string& other) {
  const auto stripped = [](const std::string& text) {
    std::string result = without_places(text);
    std::erase_if(result, [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == ' '; });
    return result;
  };
  return stripped(one) == stripped(other);
}

std::string without_places(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(" \n"), text.size());
    result += without_place(text.substr(0, end));
    if (end == text.size()) break;
    result += text[end];
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace heddle::cli
