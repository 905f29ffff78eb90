// See regression_result.h.
#include "report/regression_result.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

const char* name(RegressionResult::Kind kind) {
  switch (kind) {
    case RegressionResult::Kind::FailsAgain:
      return "fails_again";
    case RegressionResult::Kind::Fixed:
      return "fixed";
    case RegressionResult::Kind::NoLongerApplies:
      return "no_longer_applies";
    case RegressionResult::Kind::FailsOtherwise:
      return "fails_otherwise";
    case RegressionResult::Kind::NotRun:
      break;
  }
  return "not_run";
}

std::string line_of(const RegressionResult& result, const Style& style) {
  using Kind = RegressionResult::Kind;
  std::string words = name(result.kind);
  std::replace(words.begin(), words.end(), '_', ' ');
  const bool fails = result.kind == Kind::FailsAgain || result.kind == Kind::FailsOtherwise;
  words = fails ? style.red(words) : result.kind == Kind::Fixed ? style.green(words) : style.yellow(words);
  std::string line = fmt::format("Regression {}: {} ({}): {}", result.key, words, result.cause, result.evidence);
  std::replace(line.begin(), line.end(), '\n', ' ');  // a stored file says what it likes
  return line;
}

}  // namespace heddle
