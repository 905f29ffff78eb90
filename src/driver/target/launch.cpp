// See launch.h.
#include "driver/target/launch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "driver/process/cpu.h"
#include "driver/target/declared_services.h"
#include "driver/target/loaded_files.h"
#include "trace/words.h"

namespace heddle {
namespace {

constexpr const char* kOutputRoot = "heddle-out";  // of the command line; other runs may make it at the same time

void copy_text(char (&to)[kPathCapacity], const std::string& from) {
  const std::size_t size = std::min(from.size(), sizeof to - 1);
  std::memcpy(to, from.data(), size);
  to[size] = '\0';
}

// Adds `value` to a variable that may be there already; in front, or behind.
void add_to(std::vector<std::string>& environment, const std::string& name, const std::string& value, bool in_front) {
  const auto found = std::find_if(environment.begin(), environment.end(),
                                  [&](const std::string& entry) { return entry.starts_with(name + "="); });
  if (found == environment.end()) {
    environment.push_back(name + "=" + value);
  } else if (const std::string present = found->substr(name.size() + 1); present.empty()) {
    *found = name + "=" + value;
  } else {
    *found = name + "=" + (in_front ? value + ":" + present : present + ":" + value);
  }
}

bool asks_for_leaks(const std::vector<std::string>& environment) {
  return std::any_of(environment.begin(), environment.end(), [](const std::string& entry) {
    return entry.starts_with("ASAN_OPTIONS=") && entry.find("detect_leaks=") != std::string::npos;
  });
}

Nanoseconds kernel_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// Does a path that the user gave name this file of the present folder, or one below it?
bool is_in(const std::string& path, const std::string& name) {
  if (path.empty()) return false;
  std::error_code unknown;
  const std::filesystem::path wanted = std::filesystem::weakly_canonical(path, unknown);
  const std::filesystem::path here = std::filesystem::weakly_canonical(name, unknown);
  return std::mismatch(here.begin(), here.end(), wanted.begin(), wanted.end()).first == here.end();
}

std::set<std::string> written_by_heddle(const LaunchOptions& options) {
  std::set<std::string> names;
  if (!options.scratch) return names;
  for (const std::string& name : options.target.folder)
    if (is_written_by_heddle(options.run, name)) names.insert(name);
  return names;
}

}  // namespace

namespace {

// What Python is to load when it starts: src/python/sitecustomize.py, which takes both out again.
void add_python(std::vector<std::string>& environment, const Target& target) {
  if (target.python == PythonPoints::No) return;
  add_to(environment, "PYTHONPATH", target.library.substr(0, target.library.rfind('/')) + "/python", true);
  environment.push_back(std::string("HEDDLE_PYTHON=") + std::string(word_for(kPythonWords, target.python)));
}

}  // namespace

std::vector<std::string> target_environment(const char* const* environment, const Target& target, int control) {
  std::vector<std::string> result;
  const std::string control_name = std::string(kControlVariable) + "=";
  for (; *environment != nullptr; ++environment)
    if (!std::string_view(*environment).starts_with(control_name)) result.emplace_back(*environment);
  add_to(result, "LD_PRELOAD", target.library, true);
  // Otherwise every execution would resolve the functions it calls anew: a third of the time of a short test.
  const auto binds = [](const std::string& entry) { return entry.starts_with("LD_BIND_NOW="); };
  if (std::none_of(result.begin(), result.end(), binds)) result.push_back(std::string("LD_BIND_NOW=") + kBindNowValue);
  const auto spins = [](const std::string& entry) {
    return entry.starts_with("OMP_WAIT_POLICY=") || entry.starts_with(std::string(kSpinVariable) + "=");
  };
  if (std::none_of(result.begin(), result.end(), spins))
    result.push_back(std::string(kSpinVariable) + "=" + kSpinValue);
  if (target.address_sanitizer) {
    add_to(result, "ASAN_OPTIONS", "verify_asan_link_order=0", false);
    // The search for leaks stops all threads from a process that it makes by clone(), and waits for that in a loop.
    if (!asks_for_leaks(result)) add_to(result, "ASAN_OPTIONS", "detect_leaks=0", false);
  }
  add_python(result, target);
  // With where else it is to be found: who starts the program in turn may close what it does not know.
  const std::string number = std::to_string(control);
  result.push_back(control_name + number + ":/proc/" + std::to_string(getpid()) + "/fd/" + number);
  return result;
}

bool is_written_by_heddle(const RunOptions& options, const std::string& name) {
  return name == kOutputRoot || is_in(options.execution_log, name) || is_in(options.output_directory, name);
}

Launcher::Launcher(const LaunchOptions& options)
    : options_(options), scratch_(options.target.folder, written_by_heddle(options)) {
  check_input();
}

// A regular file can be read again by every execution; anything else (a terminal, a pipe) only once, so the program
// gets /dev/null instead.
void Launcher::check_input() {
  struct stat input {
  }, null{};
  if (fstat(STDIN_FILENO, &input) != 0) return;
  file_input_ = S_ISREG(input.st_mode);
  const bool is_null = stat("/dev/null", &null) == 0 && S_ISCHR(input.st_mode) && input.st_rdev == null.st_rdev;
  if (file_input_ || is_null || isatty(STDIN_FILENO) != 0) return;
  notes_.emplace_back(
      "standard input is a pipe or socket, which can be read only once: the program reads from /dev/null instead; "
      "redirect a file if it needs input");
}

// Opened afresh, so that the position in the file is the process's own.
Descriptor Launcher::open_input() const {
  if (!file_input_) return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor input(open("/proc/self/fd/0", O_RDONLY | O_CLOEXEC));
  lseek(input.get(), std::max<off_t>(lseek(STDIN_FILENO, 0, SEEK_CUR), 0), SEEK_SET);
  return input;
}

PointSet point_set(const std::vector<CodePlace>& places) {
  PointSet set;
  for (const CodePlace& place : places)
    if (set.count < kMaxPoints)
      set.points[set.count++] = {place.named() ? file_key(place.file.c_str()) : 0, place.offset};
  return set;
}

namespace {

SpinSet spin_set(const std::vector<SpinLoop>& loops) {
  SpinSet set;
  for (const auto& [place, period] : without_names(loops))
    if (set.count < kMaxSpins)
      set.spins[set.count++] = {place.named() ? file_key(place.file.c_str()) : 0, place.offset, period};
  return set;
}

ChangedOrders changed_orders(const std::vector<ChangedOrder>& places) {
  ChangedOrders set;
  for (const auto& [place, to, of_failure] : places)
    if (set.count < kMaxChangedOrders)
      set.places[set.count++] = {place.named() ? file_key(place.file.c_str()) : 0, place.offset, to,
                                 of_failure ? 1u : 0u};
  return set;
}

// For tests and measurements, on machines that are not like the ones where it matters.
ThreadPointerChoice thread_pointer_choice() {
  const char* const value = getenv("HEDDLE_THREAD_POINTERS");
  const std::string_view chosen = value != nullptr ? value : "";
  if (chosen == "call") return ThreadPointerChoice::Call;
  if (chosen == "put-back") return ThreadPointerChoice::Restored;
  return chosen == "lost" ? ThreadPointerChoice::Lost : ThreadPointerChoice::Auto;
}

}  // namespace

Config Launcher::config() const {
  const RunOptions& run = options_.run;
  Config config;
  config.carrier = run.carrier;
  config.isolation = options_.isolation;
  config.clock = run.clock;
  const bool automatic = run.isolation == IsolationChoice::Auto;
  config.checkpoints = run.checkpoints;
  config.thread_pointers = thread_pointer_choice();
  config.perform_effects = automatic ? 0 : 1;
  config.watch_effects = automatic && options_.isolation == IsolationKind::Fork ? 1 : 0;
  config.memory_bytes = run.memory_bytes;
  config.monitors = run.monitors | (run.races != RaceMode::Ignore ? set_of(MonitorKind::Races) : 0);
  config.note_blocks = run.note_blocks;
  config.timeouts = run.timeouts;
  config.fair = run.fair ? 1 : 0;
  const bool may_be_slow = run.timeouts == Timeouts::Early && run.clock == ClockKind::Virtual;
  config.slow_threads = may_be_slow && run.slow_threads ? 1 : 0;
  config.spurious_wakeups = run.spurious_wakeups;
  config.memory = run.memory;
  config.max_stale = find_strategy(run.search)->any_stale ? UINT32_MAX : run.max_stale;
  config.fill = run.fill;
  config.patch = run.patch ? 1 : 0;
  config.max_steps = run.max_steps;
  config.own_processors = usable_processors();
  config.processors = run.processors != 0 ? run.processors : config.own_processors;
  config.pin_to_cpu = options_.pin_to_cpu;
  const bool real = run.clock == ClockKind::Real;
  config.realtime_start = real ? kernel_clock(CLOCK_REALTIME) : run.realtime_start;
  config.monotonic_start = real ? kernel_clock(CLOCK_MONOTONIC) : run.monotonic_start;
  config.line_buffered = 1;
  config.input_seed = run.input_seed;
  config.follow_fork = run.follow_fork ? 1 : 0;
  // A program may start others, or itself, before its first thread: they are not what is to be tested.
  const bool any = options_.target.script || !run.target.empty() || run.follow_fork;
  config.debugger = options_.debugger ? 1 : 0;
  config.started_by = any ? 0 : options_.debugger ? getppid() : getpid();
  copy_text(config.target, run.target);
  copy_text(config.start_at, run.start_at);
  config.start_at_offset = options_.target.start_at_offset;
  return config;
}

// Empty: all files are the ones that they were.
std::string Launcher::replaced() const {
  std::string path = is_replaced(options_.target) ? options_.target.path : std::string();
  if (path.empty() && options_.files != nullptr) path = options_.files->replaced();
  if (path.empty()) return path;
  return path +
         " is not the file any more that it was when the search began: was it built anew? What was found before is of "
         "the old one; run it again";
}

// Empty, or why the program can't be started.
std::string Launcher::prepare(SharedRegion& region, const OutputCapture& output, ProcessRequest& request) {
  if (std::string problem = replaced(); !problem.empty()) return problem;
  region.config() = config();
  region.set_places(point_set(options_.run.points), spin_set(options_.run.spins),
                    changed_orders(options_.run.changed_orders));
  if (struct stat status{}; fstat(output.descriptor(), &status) == 0) {
    region.config().output_device = status.st_dev;
    region.config().output_inode = status.st_ino;
  }
  request.path = options_.target.path;
  request.arguments = options_.target.arguments;
  request.environment = target_environment(environ, options_.target, region.descriptor());
  request.output = output.descriptor();
  request.inherited = region.descriptor();
  if (options_.scratch) {
    if (std::string error = scratch_.renew(); !error.empty()) return error;
    request.directory = scratch_.path();
  }
  return {};
}

std::string Launcher::become(SharedRegion& region, const OutputCapture& output) {
  ProcessRequest request;
  if (std::string error = prepare(region, output, request); !error.empty()) return error;
  const Descriptor input = open_input();
  request.input = input.get();
  return heddle::become(request);
}

std::string Launcher::start(Process& process, SharedRegion& region, const OutputCapture& output) {
  ProcessRequest request;
  std::string error = prepare(region, output, request);
  if (!error.empty()) return error;
  const Descriptor input = open_input();
  request.input = input.get();
  const bool known = randomized_;
  error = process.start(request, randomized_);
  if (randomized_ && !known)
    notes_.emplace_back(
        "address randomization could not be switched off (the container forbids personality()): a program whose "
        "behaviour "
        "depends on addresses may differ between runs");
  return error;
}

}  // namespace heddle
