// Builds the page that explains one execution (`heddle show`, bug-N.txt): what went wrong, the steps that led there,
// where every thread stands at the end, and how to run it again. Written for somebody who sees Heddle for the first
// time.
//
// To add a section: a function in page.cpp that fills its blocks, and a line in kSections. No writer has to know it.
#pragma once

#include <string>
#include <vector>

#include "analysis/names.h"
#include "analysis/outcome.h"
#include "analysis/source_text.h"
#include "report/document.h"
#include "trace/moment.h"

namespace heddle {

struct PageInput {
  std::vector<std::string> command;
  OutcomeKind kind = OutcomeKind::Ok;
  std::string message;     // the outcome's, with names
  std::string trace_path;  // empty: there is no trace
  std::vector<std::string> notes;
  bool stacks = false;  // the call stack of every step, too
  Moment moment = {};
  Detail detail = Detail::Full;
  std::string repair = {};  // which memory orders to strengthen; empty: none is known
};

Document make_page(const PageInput& input, const Execution& execution, Names& names, SourceText& sources);

}  // namespace heddle
