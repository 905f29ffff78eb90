// What a bug comes from, in words that stay the same when lines of the source move: by it the bugs of one run are
// grouped, and those of two runs are compared.
#pragma once

#include <string>
#include <vector>

#include "analysis/names.h"
#include "analysis/outcome.h"
#include "trace/trace_file.h"

namespace heddle::cli {

// One line: "data race on pool.count", "deadlock in take() at `lock(b);` and in give() at `lock(a);`", "assertion in
// check() at `assert(sum == 2);`". Of a race it is the memory where that has a name: all accesses to it have one cause.
// Where memory is given back before the thread is joined that uses it, it is the place where this one was created.
// `places`: those of the bug (bug_places.h). `arguments`: of the program; where nothing else tells two tests of it
// apart, they do.
std::string cause_of(const Outcome& outcome, const Execution& execution, const std::vector<SourceLine>& places,
                     Names& names, const std::vector<std::string>& arguments);

// A short word for a cause: "data-race-1f3c9a2b". Equal causes have equal keys.
std::string key_of(const Outcome& outcome, const std::string& cause);

}  // namespace heddle::cli
