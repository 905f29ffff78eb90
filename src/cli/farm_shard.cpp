// See farm_shard.h. Worker and shard exchange files in a folder: job, shard, result, and those that belong to the
// result (sent_file()). The program can write there, too. So what is read of it may be anything.
#include "cli/farm_shard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "analysis/lines.h"
#include "analysis/source_text.h"
#include "cli/command.h"
#include "cli/farm_access.h"
#include "cli/farm_files.h"
#include "cli/farm_sandbox.h"
#include "cli/farm_tests.h"
#include "cli/options.h"
#include "cli/run_observer.h"
#include "cli/values.h"
#include "driver/explore/conclusion.h"
#include "driver/explore/explore.h"
#include "driver/explore/spin_loops.h"
#include "driver/process/descriptor.h"
#include "driver/process/interrupt.h"
#include "driver/process/own_process.h"
#include "driver/process/owned_folder.h"
#include "driver/process/remove_tree.h"
#include "driver/process/wait_status.h"
#include "farm/broker.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "heddle-shard-";
constexpr const char* kInner = "shard";
constexpr unsigned kMoreProcesses = 100;
constexpr const char* kFirstToEnd = "1000";  // where the machine has no memory left (proc(5))
constexpr std::size_t kMostLine = 1000;
constexpr std::uint64_t kShareOfFiles = 4;  // of the memory, for files in /tmp, and for those in /dev/shm

// A plain file that is not larger, through no link. Nothing: there is none.
std::optional<std::string> read_plain(const std::string& path, std::size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (static_cast<std::size_t>(status.st_size) > most) return {};
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = ::pread(file.get(), content.data(), content.size(), 0);
  content.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return content;
}

std::string last_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg()));
  std::string end(std::min(size, kMostLine), '\0');
  file.seekg(static_cast<std::streamoff>(size - end.size()));
  file.read(end.data(), static_cast<std::streamsize>(end.size()));
  const auto lines = lines_of(end);
  return lines.empty() ? std::string() : std::string(lines.back());
}

std::string python_of(const std::string& library) { return fs::path(library).replace_filename("python").string(); }

farm::FarmBug bug_of(const Bug& bug, const farm::Job& job, const std::string& folder) {
  farm::FarmBug result{bug.key, name(bug.outcome.kind), bug.outcome.message, bug.site, bug.preemptions, {}, 0};
  FileContent trace = read_file(bug.trace_path);
  if (!trace.error.empty()) return result;
  const std::string content = with_path(std::move(trace.content), job.command[0], job.program[0].path);
  const std::string digest = farm::digest_of(content);
  if (!write_file(sent_file(folder, digest), content).empty()) return result;
  result.trace = digest;
  result.trace_bytes = content.size();
  return result;
}

void search_bound(const farm::Shard& shard, RunOptions& options) {
  options.search = "bounded";
  options.search_options["--reduction"] = "none";  // what is pruned must not depend on other shards
  options.search_options["--symmetry"] = "no";
  options.search_options["--stops"] = "0";
  options.search_options["--max-preemptions"] = std::to_string(shard.bound);
  options.shard = std::make_shared<const Subtrees>(shard.subtrees);
  options.minimize_s = 0;  // bounds come in their order: each bug needs as many preemptions as it shows
}

void hunt(const farm::Shard& shard, RunOptions& options) {
  options.search = shard.search;
  options.search_options.clear();  // they say which bound is searched
  options.seed += shard.seed;
}

RunOptions options_of(const farm::Job& job, const farm::Shard& shard, Settings& settings) {
  RunOptions options = settings.run;
  if (shard.search.empty())
    search_bound(shard, options);
  else
    hunt(shard, options);
  options.points = shard.points;
  options.spins = shard.spins;
  options.processors = job.processors;
  options.keep_going = job.keep_going;
  options.max_steps_given = true;  // one limit for all shards
  options.workers = 1;
  options.save_every_s = 0;
  if (shard.id != kProbe) return options;
  options.max_schedules = 1;
  options.points.clear();
  return options;
}

// In the time that it gets. Where not even one schedule came to its end in it, with more.
Report run_in_time(const Target& target, RunOptions options, const farm::Shard& shard, Observer& observer) {
  constexpr double kMore = 4, kMost_s = 300;
  for (options.time_s = shard.budget_s;; options.time_s *= kMore) {
    Report report = heddle::run(target, options, observer);
    const bool too_short = report.schedules == 0 && report.stop_reason == StopReason::Time;
    if (!too_short || options.time_s * kMore > kMost_s || interrupted()) return report;
  }
}

class ShardObserver final : public RunObserver {
 public:
  using RunObserver::RunObserver;
  void on_schedule(const Execution& execution, const std::function<ModuleMap()>& /*modules*/) override {
    if (SpinLoops::concerns(execution.end.end)) ++cut_off_;
    ++schedules_;
  }
  std::uint64_t cut_off() const { return cut_off_; }
  std::uint64_t schedules() const { return schedules_; }

 private:
  std::uint64_t cut_off_ = 0, schedules_ = 0;
};

// That schedules were lost or cut off says something only of all shards together.
bool came_to_nothing(const Report& report, const ShardProgress& progress) {
  if (is_of_orders_missed(report.no_verdict_reason)) return true;
  if (std::any_of(progress.run.begin(), progress.run.end(), [](std::uint64_t count) { return count != 0; }))
    return false;
  return report.stop_reason == StopReason::Error || progress.lost == 0;
}

farm::ShardResult result_of(const Report& report, const ShardObserver& observer, const farm::Job& job,
                            const farm::Shard& shard, const std::string& folder) {
  farm::ShardResult result;
  result.job = job.id;
  result.id = shard.id;
  result.cut_off = observer.cut_off();
  result.progress = report.shard.progress;
  if (!shard.search.empty()) result.progress.run = {observer.schedules()};
  if (shard.id == kProbe) result.progress.waiting.clear();  // nobody goes on with it
  if (report.bugs.empty() && came_to_nothing(report, result.progress)) result.failed = report.no_verdict_reason;
  result.steps_max = report.steps_max;
  result.tasks_max = report.tasks_max;
  result.seconds = report.seconds_in_all;
  result.points = report.shard.points;
  result.spins = report.shard.spins;
  result.classes = report.shard.classes;
  for (const Bug& bug : report.bugs) result.bugs.push_back(bug_of(bug, job, folder));
  return result;
}

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

ExitStatus keep_result(farm::ShardResult result, const std::string& folder, Terminal& terminal) {
  std::string bytes = to_bytes(result);
  if (bytes.size() > farm::kMostBytes) {
    const std::string waiting = farm::subtrees_to_bytes(result.progress.waiting);
    const std::string digest = farm::digest_of(waiting);
    if (waiting.size() > farm::kMostFile_bytes)
      result.failed = "what is left of a shard takes more than 64 MB: a schedule has too many choices for a farm";
    else if (const std::string error = write_file(sent_file(folder, digest), waiting); !error.empty())
      return wrong_use(terminal, error);
    else
      result.waiting_file = {farm::FarmFile{"waiting", digest, waiting.size(), false}};
    result.progress.waiting.clear();
    bytes = to_bytes(result);
  }
  if (bytes.size() > farm::kMostBytes)
    return wrong_use(terminal, fmt::format("the result takes {} bytes, and a message takes {}: --shard-time with less "
                                           "time makes it smaller",
                                           bytes.size(), farm::kMostBytes));
  const std::string error = write_file(folder + "/result", bytes);
  return error.empty() ? ExitStatus::NoBug : wrong_use(terminal, error);
}

// The kernel's limit, for who makes processes faster than the worker sees them. Since Linux 5.14 those of other user
// namespaces don't count; before that, all of the user's would. It does not hold for root.
void limit_processes(const std::string& most) {
  utsname kernel{};
  unsigned major = 0, minor = 0;
  if (::uname(&kernel) != 0 || std::sscanf(kernel.release, "%u.%u", &major, &minor) != 2) return;
  if (major < 5 || (major == 5 && minor < 14)) return;
  const auto number = parse_number(most);
  rlimit limit{};
  if (!number || ::getrlimit(RLIMIT_NPROC, &limit) != 0) return;
  limit.rlim_max = limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, *number);
  ::setrlimit(RLIMIT_NPROC, &limit);
}

ExitStatus run_shard(Settings& settings, Terminal& terminal) {
  if (settings.operands.empty() || settings.operands.size() > 2)
    return wrong_use(terminal, "it takes a folder and, in a sandbox, the most processes");
  const std::string folder = settings.operands[0];
  if (settings.operands.size() == 2) limit_processes(settings.operands[1]);
  std::ofstream("/proc/self/oom_score_adj") << kFirstToEnd;
  SourceText::look_below(read_file(folder + "/sources").content);
  const auto job = farm::job_from(read_file(folder + "/job").content);
  const auto shard = farm::shard_from(read_file(folder + "/shard").content);
  for (const auto* refused : {std::get_if<farm::Refused>(&job), std::get_if<farm::Refused>(&shard)})
    if (refused != nullptr) return wrong_use(terminal, "what is to be run can't be read: " + refused->why);
  const auto& the_job = std::get<farm::Job>(job);
  const auto& the_shard = std::get<farm::Shard>(shard);
  const bool is_of_suite = !the_job.tests.empty();
  if (is_of_suite && the_shard.id != kProbe)
    return keep_result(run_listed_test(the_job, the_shard, folder, terminal), folder, terminal);
  if (const std::string error = apply_search(is_of_suite ? options_of_probe(the_job) : the_job.options, settings);
      !error.empty())
    return wrong_use(terminal, error);
  settings.run.command = is_of_suite ? command_of_probe(the_job) : the_job.command;
  settings.run = options_of(the_job, the_shard, settings);
  settings.run.output_directory = folder + "/bugs";
  settings.output_root.clear();
  settings.quiet = true;
  const auto target = inspect_target(settings.run);
  if (const auto* error = std::get_if<TargetError>(&target)) return wrong_use(terminal, error->message);
  const InterruptGuard guard;
  ShardObserver observer(std::get<Target>(target), settings, terminal);
  const Report report = run_in_time(std::get<Target>(target), settings.run, the_shard, observer);
  return keep_result(result_of(report, observer, the_job, the_shard, folder), folder, terminal);
}

}  // namespace

const Command kRunShardCommand = {kRunShard, "FOLDER [PROCESSES]", "what heddle worker starts for each shard", 0, false,
                                  run_shard};

farm::Shard probe_shard() {
  farm::Shard shard;
  shard.id = kProbe;
  shard.budget_s = 10;
  shard.subtrees = {Subtree()};
  return shard;
}

ShardProcess::~ShardProcess() {
  process_.kill_group();
  std::error_code ignored;
  if (!home_.empty()) remove_tree(home_, ignored);
}

// The lock lies beside the shard's folder: what is in that, the program can change.
std::string ShardProcess::make_folder() {
  std::error_code error;
  home_ = make_owned_folder(temporary_folders().front(), kPrefix, error);
  if (!error) owner_ = claim_folder(home_, error);
  folder_ = home_ + "/" + kInner;
  if (!error) fs::create_directory(folder_, error);
  if (!error) return {};
  return fmt::format("no folder can be made for a shard in {}: {}; set TMPDIR to a folder that can be written to",
                     temporary_folders().front(), error.message());
}

ProcessRequest ShardProcess::request(const farm::Job& job, const ShardRoom& room) const {
  const FarmPlace& place = room.place;
  const std::string heddle = own_executable();
  std::vector<std::string> environment = own_environment();
  if (!room.sandbox) {
    std::erase_if(environment, [&](const std::string& one) {
      return starts_with(one, kFarmVariable + std::string("=")) ||  // with a password
             (!place.libraries.empty() && starts_with(one, "LD_LIBRARY_PATH="));
    });
    if (!place.libraries.empty()) environment.push_back("LD_LIBRARY_PATH=" + place.libraries);
    return {heddle, {heddle, kRunShard, folder_}, environment, -1, -1, -1, place.work};
  }
  std::error_code error;
  Sandbox sandbox{folder_, place.files, place.work.empty() ? fs::current_path(error).string() : place.work, {}, {}, 0};
  sandbox.files.insert(sandbox.files.end(), {heddle, room.library, python_of(room.library)});
  if (!place.sources.empty()) sandbox.files.push_back(place.sources);
  for (const farm::FarmFile& file : job.data) sandbox.names.push_back(file.path);
  sandbox.libraries = place.libraries;
  sandbox.files_bytes = room.limits.memory_bytes / kShareOfFiles;
  const std::string bwrap = sandbox_program();
  std::vector<std::string> command{heddle, kRunShard, kShardFolder};
  // A few more than the worker allows: so it sees that they are too many.
  if (room.limits.processes != 0) command.push_back(std::to_string(room.limits.processes + kMoreProcesses));
  return {bwrap, sandboxed(bwrap, sandbox, command), sandbox_environment(environment, room.variables)};
}

std::string ShardProcess::start(const farm::Job& job, const farm::Shard& shard, const ShardRoom& room) {
  job_ = job.id;
  id_ = shard.id;
  std::string error = make_folder();
  if (error.empty()) error = write_file(folder_ + "/job", to_bytes(job));
  if (error.empty()) error = write_file(folder_ + "/shard", to_bytes(shard));
  if (error.empty()) error = write_file(folder_ + "/sources", room.place.sources);
  if (!error.empty()) return error;
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor log(::open((home_ + "/log").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  ProcessRequest begin = request(job, room);
  begin.input = input.get();
  begin.output = log.get();
  bool randomized = false;
  error = process_.start(begin, randomized);
  watch_ = ShardWatch(room.limits, process_.pid(), home_, shard.budget_s);
  return error;
}

bool ShardProcess::has_ended(std::chrono::milliseconds wait) {
  if (!process_.running()) return true;
  process_.wait(wait);
  const auto status = process_.ended();
  if (status) status_ = *status;
  if (status) return true;
  exceeded_ = watch_.look();
  if (exceeded_.empty()) return false;
  watch_.end();
  process_.kill_group();
  return true;
}

std::variant<farm::ShardResult, std::string> ShardProcess::result() const {
  if (!exceeded_.empty()) return exceeded_;
  const auto bytes = read_plain(folder_ + "/result", farm::kMostBytes);
  if (!bytes) {
    const std::string line = last_line(home_ + "/log");
    return fmt::format("the process of a shard ended without a result ({}){}{}", describe_status(status_),
                       line.empty() ? "" : ": ", line);
  }
  auto read = farm::result_from(*bytes);
  if (auto* refused = std::get_if<farm::Refused>(&read)) return "its result can't be read: " + refused->why;
  auto& result = std::get<farm::ShardResult>(read);
  if (result.job != job_ || result.id != id_) return std::string("its result is that of another shard");
  if (result.test && result.test->said.empty()) {
    const std::string line = last_line(home_ + "/log");
    result.test->said = starts_with(line, "heddle: ") ? line.substr(8) : line;
  }
  return std::move(result);
}

std::string ShardProcess::file(const std::string& digest) const {
  const auto content = read_plain(sent_file(folder_, digest), farm::kMostFile_bytes);
  return content && farm::digest_of(*content) == digest ? *content : std::string();
}

void remove_stale_shards() { remove_stale_folders(kPrefix, kInner); }

}  // namespace heddle::cli
