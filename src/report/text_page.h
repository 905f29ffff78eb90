// The page that explains one execution (`heddle show`, bug-N.txt): what went wrong, how it came to that with one column
// per thread, where every thread stands at the end, and how to run it again. Written for somebody who sees Heddle for
// the first time.
#pragma once

#include <string>
#include <vector>

#include "analysis/names.h"
#include "analysis/outcome.h"
#include "report/source_text.h"
#include "report/wording.h"

namespace heddle {

struct PageInput {
  std::vector<std::string> command;
  OutcomeKind kind = OutcomeKind::Ok;
  std::string message;     // the outcome's, with names
  std::string trace_path;  // empty: there is no trace
  std::vector<std::string> notes;
  std::size_t width = 100;
  Style style;
  bool stacks = false;  // the call stack of every step, too
};

std::string text_page(const PageInput& input, const Execution& execution, Names& names, SourceText& sources);

}  // namespace heddle
