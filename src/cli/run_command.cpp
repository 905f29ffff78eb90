// `heddle run`: explores the schedules of a program and reports what it found.
#include <fmt/format.h>

#include <filesystem>

#include "analysis/suppressions.h"
#include "cli/annotations.h"
#include "cli/baseline.h"
#include "cli/choose_races.h"
#include "cli/command.h"
#include "cli/from_trace.h"
#include "cli/options.h"
#include "cli/regressions.h"
#include "cli/repair.h"
#include "cli/resume.h"
#include "cli/run_observer.h"
#include "cli/sarif.h"
#include "cli/several_tests.h"
#include "cli/timing.h"
#include "cli/trust.h"
#include "cli/unfit_memory.h"
#include "cli/weaker_orders.h"
#include "driver/execute/ended_early.h"
#include "driver/explore/order_keeper.h"
#include "driver/process/interrupt.h"
#include "driver/target/program_name.h"
#include "report/json.h"
#include "report/orders_file.h"
#include "report/summary.h"
#include "search/priority.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMaxOutputShown_bytes = 16'384;

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

// The end of what a failing program printed, where that was asked for.
void show_output(const Report& report, const Settings& settings, Terminal& terminal) {
  if (settings.run.output != OutputMode::Failing) return;
  for (const Bug& bug : report.bugs) {
    std::string_view output = bug.execution.output;
    if (output.empty()) continue;
    std::string text = fmt::format("Output of the program in bug {}:\n", bug.id);
    if (output.size() > kMaxOutputShown_bytes) {
      output.remove_prefix(output.size() - kMaxOutputShown_bytes);
      text += "  …\n";
    }
    terminal.result(text + indented(output, "  ") + "\n\n");
  }
}

// The command that finds the same again, for when no trace could be kept.
std::string command_again(const Settings& settings) {
  std::string result = "heddle run";
  for (const auto& [name, value] : search_to_repeat(settings)) {
    const Option* option = option_named(name);
    const char* const between = name.starts_with("--") ? "=" : "";
    result += " " + name + (option != nullptr && *option->value == '\0' ? "" : between + shell_quoted(value));
  }
  result += " --";
  for (const std::string& word : settings.run.command) result += " " + shell_quoted(word);
  return result;
}

// What programs read.
struct Files {
  std::string json, sarif, annotations;
};

Files make_files(const Report& report, const Settings& settings) {
  Files files{json(report), {}, {}};
  if (settings.sarif.empty() && !is_github_step()) return files;
  const nlohmann::json parsed = nlohmann::json::parse(files.json);
  const std::vector<ReportedBug> bugs = bugs_of({{{}, parsed}}, settings.timing_bugs);
  const std::string program = program_name(settings.run.command);
  files.sarif = sarif(bugs, {program, source_root(), !settings.baseline.empty()});
  if (is_github_step()) files.annotations = annotations(bugs, source_root());
  return files;
}

// False: the user asked for a file that could not be written.
bool keep_report(const Settings& settings, const Files& files, const RunObserver& observer, Report& report,
                 Terminal& terminal) {
  if (observer.folder().made()) {
    report.output_directory = observer.folder().path();
    const std::string error = observer.folder().write(kReportFile, files.json);
    if (!error.empty()) terminal.message(error);
  }
  bool kept = true;
  for (const auto& [path, text] : {std::pair(&settings.json, &files.json), std::pair(&settings.sarif, &files.sarif)}) {
    if (path->empty()) continue;
    const std::string error = *path == "-" ? terminal.json(*text) : write_file(*path, *text);
    if (error.empty()) continue;
    terminal.message(error);
    kept = false;
  }
  return kept;
}

void tell_about_unsaved(const Settings& settings, const RunObserver& observer, Terminal& terminal) {
  if (observer.keeping_problem().empty()) return;
  for (const std::string& page : observer.unsaved_pages()) terminal.result(page + "\n");
  terminal.message(fmt::format("{}. What was found is printed above; to find it again: {}", observer.keeping_problem(),
                               command_again(settings)));
}

ExitStatus exit_status(const Report& report, const Settings& settings) {
  const bool passes = report.needs_only_time() && settings.timing_bugs == TimingBugs::Pass;
  if (report.any_new() && !passes) return ExitStatus::Bug;
  if (passes && settings.run.require_bound) return ExitStatus::NoVerdict;  // what was proved, in order or not, is less
  if (report.stop_reason == StopReason::Interrupted) return ExitStatus::Interrupted;
  if (report.only_known() && !report.no_verdict_reason.empty()) return ExitStatus::NoVerdict;
  if (report.verdict != Verdict::None) return ExitStatus::NoBug;
  const bool skipped = settings.skip_status && is_without_threads(report.no_verdict_reason);
  return skipped ? static_cast<ExitStatus>(*settings.skip_status) : ExitStatus::NoVerdict;
}

void tell_about_kept(const Settings& settings, const SavedSearch& saved, Terminal& terminal) {
  std::error_code ignored;
  if (settings.run.resume || settings.quiet || !std::filesystem::exists(saved.path(), ignored) || saved.is_in_use())
    return;
  terminal.message(
      fmt::format("a search of this program that did not come to its end is kept in {}; --resume would go on with "
                  "it, and this run will replace it (-o DIR keeps them apart)",
                  saved.path()));
}

// Behind what the regression store has.
Report search(const Target& target, const Settings& settings, Regressions& regressions, RunObserver& observer,
              SavedSearch& saved) {
  constexpr double kLeast_s = 0.001;
  RunOptions options = settings.run;
  options.time_s = std::max(settings.seconds_left(), kLeast_s);
  if (options.relax) options.time_s /= 2;  // the other half is for search_for_weaker_orders()
  options.frontier_file = saved.frontier_path();
  Report report = heddle::run(target, options, observer, &saved);
  regressions.add_to(report);
  return report;
}

ExitStatus explore(const Target& target, Settings& settings, Terminal& terminal) {
  const InterruptGuard guard;  // also while the report is written
  RunObserver observer(target, settings, terminal);
  SavedSearch saved(state_path(settings, target), search_identity(settings, target));
  if (settings.run.resume)
    if (const std::string error = saved.load(); !error.empty()) return wrong_use(terminal, error);
  std::error_code ignored;
  if (const std::string& folder = saved.header().output_folder; std::filesystem::is_directory(folder, ignored))
    observer.take_over_folder(folder);
  Regressions regressions(target, settings, observer, terminal);
  regressions.run();
  const bool ends = regressions.end_run();
  if (!ends) tell_about_kept(settings, saved, terminal);
  Report report = ends ? regressions.report() : search(target, settings, regressions, observer, saved);
  report.baseline = settings.baseline;
  for (Bug& bug : report.bugs) bug.is_known = settings.known_keys.contains(bug.key);  // with --resume, of another one
  search_in_order(target, settings, observer, report, terminal);
  search_for_repairs(target, settings.run, settings.seconds_left(), report);
  search_for_weaker_orders(target, settings.run, settings.seconds_left(), report);
  for (const Bug& bug : report.bugs) observer.keep_repair(bug);
  terminal.progress().clear();
  const Files files = make_files(report, settings);
  const bool kept = keep_report(settings, files, observer, report, terminal);
  tell_about_unsaved(settings, observer, terminal);
  show_output(report, settings, terminal);
  if (!settings.quiet) {
    const std::string_view output = report.bugs.empty() ? report.program_output : report.bugs[0].execution.output;
    terminal.result(several_tests_note(target.path, settings.run.command, output));
  }
  const auto explain_in = settings.explain ? std::optional(terminal.width()) : std::nullopt;
  terminal.result(summary(report, terminal.style(), settings.quiet, explain_in) + files.annotations);
  saved.remove_if_ended();
  const ExitStatus status = exit_status(report, settings);
  return kept || status != ExitStatus::NoBug ? status : ExitStatus::WrongUse;
}

// Our own files stay where the user called us, wherever the program runs.
void make_absolute(std::string& path) {
  std::error_code error;
  if (!path.empty() && path != "-") path = std::filesystem::absolute(path, error).string();
}

// False: it was said why not.
bool enter_environment_of(Settings& settings, Terminal& terminal) {
  const ReadTrace read = read_trace(settings.like);
  if (!read.trace) terminal.message(read.error);
  if (!read.trace || !may_run(*read.trace, settings.like, settings, terminal)) return false;
  std::error_code error;
  if (std::filesystem::current_path(error).string() != read.trace->header.directory)
    for (std::string* path :
         {&settings.json, &settings.sarif, &settings.baseline, &settings.run.output_directory, &settings.output_root})
      make_absolute(*path);
  for (const std::string& note : enter_environment(read.trace->header)) terminal.message(note);
  return true;
}

// "bounded", "bounded and dpor"
std::string strategies_that_know(std::string_view option) {
  std::string result;
  for (const StrategyEntry& entry : strategies())
    if (entry.knows(option)) result.append(result.empty() ? "" : " and ").append(entry.name);
  return result;
}

// Options that the search would ignore; empty: none.
std::string unfit_for_search(const Settings& settings, const StrategyEntry& entry) {
  const Settings defaults;
  const auto is_set = [&](const Option& option) { return option.get(settings) != option.get(defaults); };
  for (const auto& [name, why] : entry.unfit)
    if (is_set(*option_named(name))) return why;
  for (const Option& option : options()) {
    const StrategyEntry* owner = strategy_with_option(option.name);
    if (owner != nullptr && !entry.knows(option.name) && is_set(option))
      return fmt::format("{} is for --search={} only: use --search={}, or leave it out", option.name,
                         strategies_that_know(option.name), owner->name);
  }
  return {};
}

// The default search knows no options of others. Where one of them is given, it names the search that knows them all.
void choose_search(Settings& settings) {
  if (settings.run.search != strategies().front().name) return;
  for (const StrategyEntry& entry : strategies()) {
    if (!unfit_for_search(settings, entry).empty()) continue;
    settings.run.search = entry.name;
    return;
  }
}

// A bound that lies behind the one at which the search ends; empty: it does not.
std::string unfit_for_bound(const RunOptions& options) {
  const StrategyEntry& entry = *find_strategy(options.search);
  const auto last = entry.number(options.search_options, entry.limit);
  if (!last || !options.require_bound || *options.require_bound <= *last) return {};
  return fmt::format("--require-bound={} can't be proved with {}={}", *options.require_bound, entry.limit, *last);
}

// Names without a priority that looks for them, or such a priority without names: the search would ignore it. Empty:
// each has what it needs.
std::string unfit_names(const RunOptions& options) {
  const auto given = [&](const char* option) {
    const auto found = options.search_options.find(option);
    return found != options.search_options.end() ? std::string_view(found->second) : std::string_view();
  };
  for (const auto& [option, priority] : {std::pair("--method", "method"), std::pair("--var", "var")}) {
    const bool named = !given(option).empty(), looked_for = lists_priority(given("--priority"), priority);
    if (named && !looked_for)
      return fmt::format("{} is for --priority={} only: give that, too, or leave it out", option, priority);
    if (looked_for && !named) return fmt::format("--priority={} needs names: give {}=NAMES, too", priority, option);
  }
  return {};
}

// Empty, or that there is nothing that --context could be about.
std::string unfit_context(const RunOptions& options) {
  if (options.context == RunOptions().context || uses_orders(options)) return {};
  return "--context is about orders of statements: give --orders=FILE, --guide=hapset, or --priority=hapset or "
         "./FILE.so; or leave it out";
}

// Statements of another context have other names. Empty: they are of this one.
std::string unfit_context(const RunOptions& options, const OrdersFile& orders) {
  if (orders.empty() || orders.context() == options.context) return {};
  return fmt::format("{} was written with --context={}, so its statements are others: give that, or another file",
                     options.orders_file, orders.context());
}

// Empty, or what is wrong with a file that is to be read, or written when all is done.
std::string unfit_files(Settings& settings) {
  if (!settings.run.orders_file.empty()) {
    OrdersFile orders;
    std::string error = orders.read(settings.run.orders_file);
    if (error.empty()) error = unfit_context(settings.run, orders);
    if (error.empty()) error = why_not_writable(settings.run.orders_file);
    if (!error.empty()) return "--orders: " + error;
  }
  if (const std::string error = read_suppressions(settings.run.suppressions).error; !error.empty())
    return "--suppressions: " + error;
  if (!settings.baseline.empty()) {
    Baseline baseline = read_baseline(settings.baseline);
    if (!baseline.error.empty()) return "--baseline: " + baseline.error;
    settings.known_keys = std::move(baseline.keys);
    settings.run.has_baseline = true;
  }
  if (const std::string& wanted = settings.run.output_directory; !wanted.empty() && !settings.run.resume)
    if (const std::string error = OutputFolder::check(wanted); !error.empty()) return "-o: " + error;
  if (settings.json == "-" && settings.sarif == "-")
    return "--json and --sarif can't both write to standard output: give one a file";
  for (const auto& [option, file] : {std::pair("--json", &settings.json), std::pair("--sarif", &settings.sarif),
                                     std::pair("--execution-log", &settings.run.execution_log)})
    if (!file->empty() && *file != "-")
      if (const std::string error = why_not_writable(*file); !error.empty())
        return fmt::format("{}: {}", option, error);
  return {};
}

ExitStatus run(Settings& settings, Terminal& terminal) {
  if (settings.run.command.empty())
    return wrong_use(terminal, "no program was given: heddle run [options] [--] PROGRAM [ARGS…]");
  if (!settings.like.empty() && !enter_environment_of(settings, terminal)) return ExitStatus::WrongUse;
  choose_search(settings);
  if (const std::string error = unfit_for_search(settings, *find_strategy(settings.run.search)); !error.empty())
    return wrong_use(terminal, error);
  if (const std::string error = unfit_for_bound(settings.run); !error.empty()) return wrong_use(terminal, error);
  if (const std::string error = unfit_for_memory(settings.run); !error.empty()) return wrong_use(terminal, error);
  if (const std::string error = unfit_names(settings.run); !error.empty()) return wrong_use(terminal, error);
  if (const std::string error = unfit_context(settings.run); !error.empty()) return wrong_use(terminal, error);
  if (const std::string error = unfit_files(settings); !error.empty()) return wrong_use(terminal, error);
  auto inspected = inspect_target(settings.run);
  if (const auto* error = std::get_if<TargetError>(&inspected)) return wrong_use(terminal, error->message);
  Target& target = std::get<Target>(inspected);
  if (const std::string error = unfit_for_build(target, settings.run); !error.empty())
    return wrong_use(terminal, error);
  if (std::string note = choose_races(target, settings.run); !note.empty()) target.notes.push_back(std::move(note));
  return explore(target, settings, terminal);
}

// The suite's own folder stays the latest.
ExitStatus run_test(Settings& settings, Terminal& terminal) {
  settings.output_root.clear();
  return run(settings, terminal);
}

}  // namespace

const Command kRunCommand = {
    "run", "[options] [--] PROGRAM [ARGS…]", "explore the schedules of a program and report its bugs", For::Run, true,
    run};
const Command kRunTestCommand = {kRunTest, "", "what heddle test starts for each test", For::Run, true, run_test};

}  // namespace heddle::cli
