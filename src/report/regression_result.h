// What came of a bug of the regression store (cli/regression_store.h) that was tried before the search.
#pragma once

#include <cstdint>
#include <string>

#include "report/wording.h"

namespace heddle {

struct RegressionResult {
  enum class Kind : std::uint8_t {
    FailsAgain,
    Fixed,            // its schedule and those around it end well
    NoLongerApplies,  // what its schedule does is not in the program any more
    FailsOtherwise,   // another bug came
    NotRun,           // nothing is known
  };
  Kind kind = Kind::NotRun;
  std::string key, cause;
  std::string evidence;      // or the reason
  std::string message = {};  // of the bug as it was kept, where the cause alone does not tell it from others
};

// As in JSON: "fails_again".
const char* name(RegressionResult::Kind kind);
// "Regression deadlock-0b2c51d7: fixed (deadlock in …): its schedule ended well, …".
std::string line_of(const RegressionResult& result, const Style& style);

}  // namespace heddle
