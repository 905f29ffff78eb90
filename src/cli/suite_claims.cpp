// See suite_claims.h.
#include "cli/suite_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/summary.h"
#include "trace/printable.h"

namespace heddle::cli {
namespace {

struct Line {
  std::string text;
  std::vector<std::string> tests;
};

struct Meaning {
  std::string text;
  std::vector<Line> lines;
};

// The element with this text; it is added where there is none.
template <typename Item>
Item& with_text(std::vector<Item>& items, const std::string& text) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.text == text; });
  if (found != items.end()) return *found;
  items.emplace_back().text = text;
  return items.back();
}

std::string tests_of(const Line& line, std::size_t all) {
  constexpr std::size_t kMostNamed = 5;
  if (line.tests.size() == all && all > 1) return fmt::format("all {} tests", all);
  const auto named = static_cast<std::ptrdiff_t>(std::min(line.tests.size(), kMostNamed));
  std::string result = fmt::format("{}", fmt::join(line.tests.begin(), line.tests.begin() + named, ", "));
  if (line.tests.size() > kMostNamed) result += fmt::format(" and {} more", line.tests.size() - kMostNamed);
  return result;
}

}  // namespace

std::string explained_claims(const std::vector<TestResult>& results, const Style& style, std::size_t width) {
  std::vector<Meaning> meanings;
  std::size_t tests = 0;
  for (const TestResult& result : results) {
    if (result.report.is_null() || result.verdict == TestVerdict::NoThreads) continue;
    ++tests;
    for (const nlohmann::json& claim : result.report["claims"])
      with_text(with_text(meanings, claim.value("meaning", "")).lines, claim.value("line", ""))
          .tests.push_back(result.test.name);
  }
  std::string text;
  for (const Meaning& meaning : meanings) {
    text += "\n";
    for (const Line& line : meaning.lines) {
      const bool is_last = &line == &meaning.lines.back();
      const std::string shown = printable(fmt::format("{} [{}]", line.text, tests_of(line, tests)));
      text += claim_block(shown, is_last ? meaning.text : "", style, width);
    }
  }
  return text;
}

}  // namespace heddle::cli
