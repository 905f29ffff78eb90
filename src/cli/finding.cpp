// See finding.h.
#include "cli/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/columns.h"

namespace heddle::cli {
namespace {

const char* word_for(Judgement judgement) {
  switch (judgement) {
    case Judgement::Ok:
      return "ok";
    case Judgement::Slow:
      return "slow";
    case Judgement::Missing:
      return "missing";
    case Judgement::Note:
      return "note";
  }
  return "";
}

}  // namespace

bool any_missing(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.judgement == Judgement::Missing; });
}

std::string text_of(const std::string& heading, const Findings& findings, std::size_t width) {
  constexpr std::size_t kWord = 9;
  const std::string margin(kWord, ' ');
  std::string result = heading + "\n";
  for (const Finding& finding : findings)
    result += paragraph(finding.text, width, padded(word_for(finding.judgement), kWord), margin);
  return result;
}

}  // namespace heddle::cli
