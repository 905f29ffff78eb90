// Progress and the keeping of bugs; see run_observer.h.
#include "cli/run_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/names.h"
#include "analysis/placed_deltas.h"
#include "analysis/script_view.h"
#include "analysis/source_text.h"
#include "analysis/symbolizer.h"
#include "cli/bug_cause.h"
#include "cli/bug_places.h"
#include "cli/from_trace.h"
#include "cli/repair.h"
#include "driver/target/program_name.h"
#include "report/explain.h"
#include "report/page.h"
#include "report/patterns/patterns.h"
#include "trace/printable.h"
#include "trace/trace_file.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kPageFileWidth = 100;

}  // namespace

RunObserver::RunObserver(const Target& target, const Settings& settings, Terminal& terminal)
    : target_(target),
      settings_(settings),
      terminal_(terminal),
      folder_(settings.run.output_directory, program_name(target.arguments), settings.output_root) {}

void RunObserver::on_progress(const Progress& progress) {
  const bool bounded = !find_strategy(settings_.run.search)->promise.bounds.empty();
  terminal_.progress().show({bounded ? std::optional<int>(progress.coverage.bound_in_progress) : std::nullopt,
                             settings_.run.search, progress.schedules, progress.estimate, progress.schedules_per_second,
                             progress.bugs, progress.seconds, progress.seconds_left, progress.coverage.pending,
                             progress.coverage.pruned});
}

void RunObserver::on_note(const std::string& note) {
  if (!settings_.quiet) terminal_.message(note);
}

void RunObserver::on_output(std::string_view output) { terminal_.program_output(output); }

void RunObserver::on_bug(const Discovery& discovery) {
  Bug& bug = discovery.bug;
  Symbolizer symbolizer(discovery.modules);
  const ScriptView view(bug.execution);
  const Execution& execution = view.execution();
  Names names(execution, symbolizer, current_folder());
  bug.outcome.message = explained_message(bug.outcome, execution, names);
  bug.site = place_of(bug.outcome, execution, names).text;
  for (const Prose& slow : slow_threads(bug.outcome.kind, execution, names)) bug.slow_threads.push_back(slow.text());
  for (const Prose& timeout : timeouts_fired(bug.outcome.kind, execution, names))
    bug.timeouts_fired.push_back(timeout.text());
  bug.details = details_of(bug.outcome, execution, bug.moment, bug.tried, names);
  const std::vector<SourceLine> places = places_of(bug.outcome, execution, names);
  const std::vector<std::string>& command = settings_.run.command;
  const std::vector<std::string> arguments(command.empty() ? command.end() : command.begin() + 1, command.end());
  bug.cause = cause_of(bug.outcome, execution, places, names, arguments);
  bug.key = key_of(bug.outcome, bug.cause);
  bug.weak = weak_places(execution, names);
  if (const auto pattern = recognize_pattern(bug.outcome.kind, execution, names))
    bug.pattern = {pattern->name, pattern->text.text()};
  const bool is_reported = std::any_of(known_.begin(), known_.end(), [&](const auto& known) {
    const auto& [key, message] = known;
    return key == bug.key && (!places.empty() || same_but_for_values(message, bug.outcome.message));
  });
  bug.is_known = settings_.known_keys.contains(bug.key);
  bug.id = is_reported ? 0 : bug.id + first_number_;
  if (bug.id == 0) return;
  const std::string problem = keep(discovery, places, names);
  if (problem.empty()) return;
  keeping_problem_ = problem;
  unsaved_pages_.push_back(page(bug, names, write_text, Detail::Full));
}

void RunObserver::come_behind(const std::vector<Bug>& reported) {
  for (const Bug& bug : reported) known_.emplace_back(bug.key, bug.outcome.message);
  first_number_ = reported.empty() ? 0 : reported.back().id;
}

std::vector<Bug> left_out_erased(std::vector<Bug> bugs) {
  std::erase_if(bugs, [](const Bug& bug) { return bug.id == 0; });
  return bugs;
}

std::string RunObserver::keep(const Discovery& discovery, const std::vector<SourceLine>& places, Names& names) {
  Bug& bug = discovery.bug;
  const bool is_new = !folder_.made();
  if (std::string error = folder_.make(); !error.empty()) return error;
  if (is_new && folder_.is_another())
    on_note(fmt::format("{} is not empty: bugs are kept in {}", settings_.run.output_directory, folder_.path()));
  const std::string base = fmt::format("bug-{}", bug.id);
  Trace trace = make_trace(discovery, target_, settings_, point_lines_);
  trace.header.outcome_places = places;
  trace.header.outcome_cause = bug.cause;
  trace.header.outcome_key = bug.key;
  if (bug.execution.steps.size() <= kMostPlacedSteps)
    trace.header.placed_deltas = deltas_by_place(bug.execution, heddle::place(bug.execution, names),
                                                 steps_needed(bug.outcome.kind, bug.execution));
  if (std::string error = folder_.write(base + ".trace", format_trace(trace)); !error.empty()) return error;
  bug.trace_path = folder_.file(base + ".trace");
  if (std::string error = keep_pages(bug, names); !error.empty()) return error;
  return bug.execution.output.empty() ? std::string() : folder_.write(base + ".output", bug.execution.output);
}

std::string RunObserver::keep_pages(const Bug& bug, Names& names) const {
  const std::string base = fmt::format("bug-{}", bug.id);
  if (std::string error = folder_.write(base + ".txt", page(bug, names, write_text, Detail::Brief)); !error.empty())
    return error;
  return folder_.write(base + ".html", page(bug, names, write_html, Detail::Full));
}

void RunObserver::keep_repair(const Bug& bug) {
  if (bug.trace_path.empty() || bug.repair.empty()) return;
  ReadTrace read = read_trace(bug.trace_path);
  if (!read.trace) return;
  read.trace->header.outcome_repair = bug.repair;
  Symbolizer symbolizer(read.trace->modules);
  const ScriptView view(bug.execution);
  Names names(view.execution(), symbolizer, current_folder());
  std::string problem = folder_.write(fmt::format("bug-{}.trace", bug.id), format_trace(*read.trace));
  if (problem.empty()) problem = keep_pages(bug, names);
  if (!problem.empty()) keeping_problem_ = problem;
}

std::string RunObserver::page(const Bug& bug, Names& names, Writer write, Detail detail) const {
  SourceText sources;
  const PageInput input{settings_.run.command,
                        bug.outcome.kind,
                        bug.outcome.message,
                        bug.trace_path,
                        {},
                        false,
                        bug.moment,
                        detail,
                        bug.repair};
  return printable(write(make_page(input, names.execution(), names, sources), {kPageFileWidth}));
}

}  // namespace heddle::cli
