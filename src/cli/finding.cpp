// See finding.h.
#include "cli/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/columns.h"

namespace heddle::cli {
namespace {

const char* word_for(FindingKind judgement) {
  switch (judgement) {
    case FindingKind::Ok:
      return "ok";
    case FindingKind::Slow:
      return "slow";
    case FindingKind::Missing:
      return "missing";
    case FindingKind::Note:
      return "note";
  }
  return "";
}

}  // namespace

bool any_missing(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.judgement == FindingKind::Missing; });
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
