// `heddle show`: explains a bug from its trace; the program is not run.
#include <fmt/format.h>

#include "analysis/names.h"
#include "analysis/script_view.h"
#include "analysis/source_text.h"
#include "analysis/symbolizer.h"
#include "cli/command.h"
#include "cli/find_trace.h"
#include "cli/options.h"
#include "cli/rebuilt.h"
#include "report/page.h"
#include "trace/build_id.h"
#include "trace/trace_file.h"

namespace heddle::cli {
namespace {

OutcomeKind kind_named(const std::string& text) {
  for (unsigned i = 0; i <= static_cast<unsigned>(OutcomeKind::NoVerdict); ++i)
    if (text == name(static_cast<OutcomeKind>(i))) return static_cast<OutcomeKind>(i);
  return OutcomeKind::NoVerdict;
}

std::vector<std::string> notes_on(const Trace& trace) {
  if (build_id_of(trace.header.program).empty())
    return {fmt::format("{} is not there any more; places are given as far as they can be told", trace.header.program)};
  const std::vector<std::string> rebuilt = rebuilt_files(trace);
  if (rebuilt.empty()) return {};
  return {were_rebuilt(trace, rebuilt) +
          " since: places and source lines may be wrong (heddle run --like=TRACE searches again)"};
}

ExitStatus show(Settings& settings, Terminal& terminal) {
  const FoundTrace found = find_trace(settings.operands);
  const ReadTrace read = found.path.empty() ? ReadTrace{{}, found.error} : read_trace(found.path);
  if (!read.trace) {
    terminal.message(read.error);
    return ExitStatus::WrongUse;
  }
  const Trace& trace = *read.trace;
  Symbolizer symbolizer(trace.modules);
  const ScriptView view(trace.execution);
  Names names(view.execution(), symbolizer, trace.header.directory);
  SourceText sources;
  PageInput input{{trace.header.invoked_as},
                  kind_named(trace.header.outcome_kind),
                  trace.header.outcome_message,
                  found.path,
                  notes_on(trace),
                  settings.stacks,
                  trace.header.moment,
                  settings.full ? Detail::Full : settings.page_writer->detail,
                  trace.header.outcome_repair};
  input.command.insert(input.command.end(), trace.header.arguments.begin(), trace.header.arguments.end());
  const PageLayout layout{settings.width == 0 ? terminal.width() : settings.width, terminal.style()};
  terminal.result(settings.page_writer->write(make_page(input, view.execution(), names, sources), layout));
  return ExitStatus::NoBug;
}

}  // namespace

const Command kShowCommand = {"show",
                              "[options] [TRACE | FOLDER | BUG-NUMBER]",
                              "explain a bug: what every thread did, and what went wrong (default: the latest)",
                              For::Show,
                              false,
                              show};

}  // namespace heddle::cli
