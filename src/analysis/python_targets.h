// What lines of Python assign to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// What a line assigns to: "first", "second" of "first, second = Lock(), Lock()"; "Queue.lock" of "self.lock = Lock()"
// in `function` Queue.__init__. Empty where it is no plain assignment of an
// object that a class makes there.
std::vector<std::string> python_targets(std::string_view line, std::string_view function);

}  // namespace heddle
