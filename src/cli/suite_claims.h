// --explain of a suite: what was proved of its tests, not checked and assumed, each sentence once.
#pragma once

#include <string>
#include <vector>

#include "cli/suite_results.h"
#include "report/wording.h"

namespace heddle::cli {

// The lines of all tests that mean the same stand together, each with the tests that it is about; what they mean
// follows, in at most `width` columns.
std::string explained_claims(const std::vector<TestResult>& results, const Style& style, std::size_t width);

}  // namespace heddle::cli
