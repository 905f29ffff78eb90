// Settings to traces and back; see from_trace.h.
#include "cli/from_trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/options.h"
#include "cli/point_lines.h"
#include "driver/process/passed_on.h"
#include "driver/target/declared_services.h"
#include "trace/build_id.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

void take_config(const Config& config, const Plan& plan, TraceHeader& header) {
  header.carrier = config.carrier;
  header.isolation = config.isolation;
  header.clock = config.clock;
  header.realtime_start = config.realtime_start;
  header.monotonic_start = config.monotonic_start;
  header.input_seed = config.input_seed;
  header.processors = config.processors;
  header.max_steps = std::max(config.max_steps, plan.max_steps);
  header.timeouts = config.timeouts;
  header.fair = config.fair != 0 && plan.fair;
  header.slow_threads = config.slow_threads != 0 && plan.slow_threads;
  header.spurious_wakeups = config.spurious_wakeups;
  header.memory = config.memory;
  header.max_stale = config.max_stale;
  header.fill = config.fill;
  header.patch = config.patch != 0;
}

TraceHeader make_header(const Discovery& discovery, const Target& target, const Settings& settings, PointLines& lines) {
  TraceHeader header;
  take_config(discovery.config, discovery.plan, header);
  header.heddle_version = kHeddleVersion;
  header.program = absolute_path(target.path);
  header.invoked_as = settings.run.command.empty() ? header.program : settings.run.command[0];
  header.build_id = build_id_of(target.path);
  if (!settings.run.command.empty())
    header.arguments.assign(settings.run.command.begin() + 1, settings.run.command.end());
  header.directory = current_folder();
  header.environment = environment_that_matters(environ);
  header.descriptors = passed_on_descriptors();
  header.points = discovery.points;
  header.point_lines = lines.of(discovery.points, discovery.modules);
  header.spins = without_names(discovery.spins);
  std::vector<CodePlace> loops;
  for (const SpinLoop& loop : header.spins) loops.push_back(loop.place);
  header.spin_lines = lines.of(loops, discovery.modules);
  header.point_set_version = static_cast<std::uint32_t>(discovery.points.size());
  header.start_at = settings.run.start_at;
  header.target = settings.run.target;
  header.python = target.python;
  header.follow_fork = settings.run.follow_fork;
  header.own_folder = discovery.own_folder;
  header.made_files = discovery.made_files;
  header.ok_exit = settings.run.ok_exit;
  header.search = search_to_repeat(settings);
  header.schedule = discovery.bug.schedule;
  header.preemptions = discovery.bug.preemptions;
  header.moment = discovery.bug.moment;
  header.outcome_kind = name(discovery.bug.outcome.kind);
  header.outcome_message = discovery.bug.outcome.message;
  return header;
}

// As the user wrote it where that still leads there, so that the program sees the same argv[0].
std::vector<std::string> command_of(const TraceHeader& header) {
  const fs::path written = fs::path(header.directory) / header.invoked_as;
  const bool leads_there =
      header.invoked_as.find('/') != std::string::npos && written.lexically_normal().string() == header.program;
  std::vector<std::string> command{leads_there ? header.invoked_as : header.program};
  command.insert(command.end(), header.arguments.begin(), header.arguments.end());
  return command;
}

void set_environment(const std::vector<NamedText>& wanted, std::vector<std::string>& notes) {
  const std::vector<NamedText> present = environment_that_matters(environ);
  const auto has = [](const std::vector<NamedText>& list, const NamedText& entry) {
    return std::find(list.begin(), list.end(), entry) != list.end();
  };
  for (const NamedText& entry : present) {
    if (has(wanted, entry)) continue;
    unsetenv(entry.first.c_str());
    notes.push_back(fmt::format("{}={} is not used: the trace was made without it", entry.first, entry.second));
  }
  for (const NamedText& entry : wanted) {
    if (has(present, entry)) continue;
    setenv(entry.first.c_str(), entry.second.c_str(), 1);
    notes.push_back(fmt::format("{}={} is set, as in the trace", entry.first, entry.second));
  }
}

// A descriptor that the program opens gets the lowest number that is free.
void pass_on(const std::vector<int>& wanted, std::vector<std::string>& notes) {
  const std::vector<int>& changing = passed_on_descriptors();  // by keep_back()
  const std::vector<int> present(changing.begin(), changing.end());
  for (const int number : present) {
    if (std::find(wanted.begin(), wanted.end(), number) != wanted.end()) continue;
    keep_back(number);
    notes.push_back(fmt::format("descriptor {} is not passed on: the trace was made without it", number));
  }
  for (const int number : wanted) {
    if (std::find(present.begin(), present.end(), number) != present.end()) continue;
    const bool passed = pass_on_empty_file(number);
    notes.push_back(passed ? fmt::format("descriptor {} is /dev/null: one was open when the trace was made", number)
                           : fmt::format("descriptor {} was open when the trace was made, and can't be now", number));
  }
}

}  // namespace

std::string current_folder() {
  std::error_code error;
  return fs::current_path(error).string();
}

Trace make_trace(const Discovery& discovery, const Target& target, const Settings& settings, PointLines& lines) {
  Trace trace;
  trace.header = make_header(discovery, target, settings, lines);
  trace.plan = discovery.plan;
  trace.modules = discovery.modules;
  for (const auto& module : trace.modules.entries()) trace.module_build_ids.push_back(build_id_of(module.path));
  trace.execution = discovery.bug.execution;
  return trace;
}

std::string take_search_of(const std::string& path, Settings& settings) {
  const ReadTrace read = read_trace(path);
  if (!read.trace) return read.error;
  const std::string error = apply_search(read.trace->header.search, settings);
  if (!error.empty()) return fmt::format("{}: {}", path, error);
  settings.run.command = command_of(read.trace->header);
  settings.like = path;
  return {};
}

RunOptions options_of(const TraceHeader& header) {
  RunOptions options;
  options.command = command_of(header);
  options.carrier = header.carrier;
  options.clock = header.clock;
  options.realtime_start = header.realtime_start;
  options.monotonic_start = header.monotonic_start;
  options.input_seed = header.input_seed;
  options.processors = header.processors;
  options.max_steps = header.max_steps;
  options.timeouts = header.timeouts;
  options.fair = header.fair;
  options.slow_threads = header.slow_threads;
  options.spurious_wakeups = header.spurious_wakeups;
  options.memory = header.memory;
  options.max_stale = header.max_stale;
  options.fill = header.fill;
  options.patch = header.patch;
  options.points = header.points;
  options.spins = header.spins;
  options.start_at = header.start_at;
  options.target = header.target;
  options.python = header.python;
  options.follow_fork = header.follow_fork;
  options.ok_exit = header.ok_exit;
  return options;
}

std::vector<std::string> enter_environment(const TraceHeader& header) {
  std::vector<std::string> notes;
  if (header.descriptors) pass_on(*header.descriptors, notes);
  if (current_folder() != header.directory) {
    const bool moved = chdir(header.directory.c_str()) == 0;
    notes.push_back(
        moved ? fmt::format("running in {}, as the trace did", header.directory)
              : fmt::format("the trace was made in {}, which can't be entered; running here", header.directory));
  }
  set_environment(header.environment, notes);
  return notes;
}

}  // namespace heddle::cli
