// `heddle farm run`, `attach` and `status`: the coordinator of a farm. It publishes the shards that farm::Merge wants
// to be run, and gives it the results in the order in which the server has them. So all that it knows is on the server.
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "cli/choose_races.h"
#include "cli/command.h"
#include "cli/end_workers.h"
#include "cli/farm_access.h"
#include "cli/farm_files.h"
#include "cli/farm_shard.h"
#include "cli/farm_status.h"
#include "cli/options.h"
#include "cli/output_folder.h"
#include "cli/unfit_memory.h"
#include "driver/process/cpu.h"
#include "driver/process/interrupt.h"
#include "driver/process/own_process.h"
#include "driver/process/wait_status.h"
#include "driver/target/target.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAlive = 10s;     // a worker that was heard of since then works
constexpr double kFresh_s = 10;  // a coordinator that wrote its status since then runs
constexpr unsigned kMostWorkerStarts = 100;
constexpr std::size_t kPiecesEach = 4;  // shards for each worker that are to wait at least

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string random_id() {
  std::uint64_t word = 0;
  return ::getrandom(&word, sizeof word, 0) == sizeof word ? fmt::format("{:016x}", word) : std::string();
}

// Of a job's options. Nothing: it is not given, or is no number.
std::optional<unsigned> number_of(const farm::Job& job, std::string_view option) {
  for (const auto& [name, value] : job.options) {
    unsigned number = 0;
    const char* const end = value.data() + value.size();
    if (name == option && std::from_chars(value.data(), end, number).ptr == end && !value.empty()) return number;
  }
  return {};
}

// What the coordinator says last on the server; null: nothing, or it makes no sense.
nlohmann::json last_status(farm::Broker& broker, std::string& error) {
  const auto bytes = broker.state("status", error);
  if (!bytes) return nullptr;
  nlohmann::json status = nlohmann::json::parse(*bytes, nullptr, false);
  return is_status(status) ? status : nullptr;
}

bool is_fresh(const nlohmann::json& status) {
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return status.is_object() && status["stop_reason"].is_null() && now - status.value("written_at", 0.0) < kFresh_s;
}

// The workers of --farm=local, on this machine.
class LocalWorkers {
 public:
  LocalWorkers() = default;
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;
  ~LocalWorkers() { end_workers(processes_); }

  std::string start(const Settings& settings, const std::string& url, unsigned count) {
    words_ = {own_executable(), "worker", "-q", "-j", "1", "--farm-name=" + settings.farm.name};
    environment_ = own_environment();
    environment_.push_back(std::string(kFarmVariable) + "=" + url);
    processes_.resize(count);
    return start_those_that_ended();
  }
  // Empty, or why they don't work. One that was killed is replaced.
  std::string start_those_that_ended() {
    for (Process& process : processes_) {
      if (process.running()) {
        const auto status = process.ended();
        if (!status) continue;
        if (WIFEXITED(*status) && WEXITSTATUS(*status) != 0)
          return fmt::format("a worker gave up ({}), as it says above", describe_status(*status));
      }
      if (++starts_ > processes_.size() + kMostWorkerStarts) return "the workers end again and again";
      bool randomized = false;
      if (std::string error = process.start({words_[0], words_, environment_}, randomized); !error.empty())
        return error;
    }
    return {};
  }

 private:
  std::vector<std::string> words_, environment_;
  std::vector<Process> processes_;
  std::size_t starts_ = 0;
};

class Coordinator {
 public:
  Coordinator(const Settings& settings, Terminal& terminal, FarmServer& server, LocalWorkers& workers,
              farm::Broker& broker, farm::Job job, double seconds_before = 0)
      : settings_(settings),
        terminal_(terminal),
        server_(server),
        workers_(workers),
        broker_(broker),
        job_(std::move(job)),
        seconds_before_(seconds_before),
        merge_({number_of(job_, "--max-preemptions"),
                job_.keep_going,
                job_.pieces,
                job_.shard_s,
                {job_.hunts, job_.hunts_waiting, job_.shard_s}}) {}

  ExitStatus run() {
    while (!ended()) {
      take_results();
      if (!ended()) publish();
      if (Clock::now() >= next_second_) look_around();
      for (std::string& worker : broker_.listen(50ms)) heard_[std::move(worker)] = Clock::now();
    }
    return conclude();
  }

 private:
  bool ended() {
    if (!stop_.empty()) return true;
    if (merge_.over())
      stop_ = !merge_.failed().empty()                     ? "error"
              : merge_.lost() != 0                         ? "lost"
              : !merge_.bugs().empty() && !job_.keep_going ? "bug"
              : merge_.proved().complete                   ? "exhausted"
                                                           : "bound";
    else if (interrupted())
      stop_ = "interrupted";
    else if (settings_.seconds_passed() >= settings_.run.time_s)
      stop_ = "time";
    return !stop_.empty();
  }

  void take_results() {
    std::string error;
    for (auto bytes = broker_.result(next_result_, error); bytes && !merge_.over();
         bytes = broker_.result(next_result_, error)) {
      ++next_result_;
      ++moment_.messages;
      moment_.bytes += bytes->size();
      const auto read = farm::result_from(*bytes);
      const auto* const result = std::get_if<farm::ShardResult>(&read);
      if (result == nullptr || result->job != job_.id) {
        ++moment_.refused;
        // Whoever ran that number for another farm may have taken ours from the queue.
        if (result != nullptr) publish_again(result->id);
        continue;
      }
      switch (merge_.take(*result)) {
        case farm::Taken::Ignored:
          ++moment_.doubles;
          break;
        case farm::Taken::Again:
          ++moment_.refused;
          publish_again(result->id);
          break;
        case farm::Taken::Anew:
          broker_.drop_shards();
          for (const auto& [id, hunt] : merge_.hunts().waiting()) publish_again(id);  // those are still wanted
          break;
        case farm::Taken::Counted:
          break;
      }
    }
  }

  void publish_again(farm::ShardId id) {
    if (published_.erase(id) != 0) ++attempts_[id];
  }

  // What can't be published now is the next time.
  void publish() {
    for (const auto* const shards : {&merge_.waiting(), &merge_.hunts().waiting()})
      for (const auto& [id, waiting] : *shards) {
        if (published_.contains(id)) continue;
        farm::Shard shard = waiting;
        shard.job = job_.id;
        const std::string name = fmt::format("{}-{}-{}", session_, id, attempts_[id]);
        if (!broker_.put_shard(to_bytes(shard), name).empty()) return;
        published_.insert(id);
      }
  }

  void look_around() {
    next_second_ = Clock::now() + 1s;
    std::erase_if(heard_, [](const auto& one) { return Clock::now() - one.second > kAlive; });
    std::string error = server_.restart_if_gone();
    if (error.empty()) error = workers_.start_those_that_ended();
    if (!error.empty()) {
      stop_ = "error";
      moment_.why_none = error;
    }
    const std::uint64_t now = merge_.schedules_in_all();
    rates_[Clock::now()] = now;
    while (rates_.size() > 2 && Clock::now() - rates_.begin()->first > kAlive) rates_.erase(rates_.begin());
    const double passed_s = seconds_since(rates_.begin()->first);
    moment_.rate = passed_s > 0.5 ? static_cast<double>(now - rates_.begin()->second) / passed_s : moment_.rate;
    broker_.put_state("status", json_text(status()));
  }

  nlohmann::json status() {
    moment_.name = settings_.farm.name;
    moment_.workers = heard_.size();
    moment_.max_steps = number_of(job_, "--max-steps").value_or(RunOptions().max_steps);
    moment_.seconds = seconds_before_ + seconds_since(begun_);
    moment_.stop_reason = stop_;
    if (!stop_.empty()) moment_.rate = static_cast<double>(merge_.schedules_in_all()) / std::max(moment_.seconds, 1e-3);
    if (moment_.why_none.empty()) moment_.why_none = why_none();
    moment_.verdict = !merge_.bugs().empty()     ? "bug"
                      : stop_.empty()            ? "running"
                      : moment_.why_none.empty() ? "no_bug_found"
                                                 : "none";
    return farm_json(merge_, moment_);
  }

  std::string why_none() const {
    if (!merge_.failed().empty()) return merge_.failed();
    if (stop_ == "lost")
      return fmt::format(
          "{} schedules could not be run as planned, so nothing is proved of those with {} preemptions "
          "and more: the program's behaviour depends on something that Heddle does not control",
          merge_.lost(), merge_.bound());
    if (!stop_.empty() && merge_.schedules_in_all() == 0) return "no worker has returned a shard";
    if (!stop_.empty() && merge_.all_cut_off())
      return fmt::format(
          "no schedule ended within {} steps; possibly the program never ends, and --max-steps allows more",
          moment_.max_steps);
    return {};
  }

  // The traces of bugs go into a folder as those of `heddle run` do.
  void keep_bugs(nlohmann::json& report) {
    OutputFolder folder(settings_.run.output_directory, job_.program[0].path, settings_.output_root);
    if (merge_.bugs().empty()) return;
    std::string problem = folder.make();
    std::size_t number = 0;
    for (const auto& [key, bug] : merge_.bugs()) {
      nlohmann::json& told = report["bugs"][number++];
      if (!problem.empty() || bug.trace.empty()) continue;
      std::string error;
      const auto trace = broker_.file(bug.trace, bug.trace_bytes, error);
      if (!trace) continue;
      const std::string name = fmt::format("bug-{}.trace", number);
      problem = folder.write(name, *trace);
      if (problem.empty()) told["trace"] = folder.file(name);
    }
    if (problem.empty()) problem = folder.write("report.json", json_text(report, 2) + "\n");
    if (!problem.empty()) terminal_.message(problem);
  }

  ExitStatus conclude() {
    job_.over = true;
    broker_.put_state("job", to_bytes(job_));  // workers end then
    broker_.drop_shards();
    nlohmann::json report = status();
    broker_.put_state("status", json_text(report));
    keep_bugs(report);
    if (!settings_.quiet) terminal_.result(farm_text(report));
    if (!settings_.json.empty()) {
      const std::string text = json_text(report, 2) + "\n";
      const std::string error = settings_.json == "-" ? terminal_.json(text) : write_file(settings_.json, text);
      if (!error.empty()) {
        terminal_.message(error);
        return ExitStatus::WrongUse;
      }
    }
    if (!merge_.bugs().empty()) return ExitStatus::Bug;
    if (stop_ == "interrupted") return ExitStatus::Interrupted;
    return moment_.why_none.empty() ? ExitStatus::NoBug : ExitStatus::NoVerdict;
  }

  const Settings& settings_;
  Terminal& terminal_;
  FarmServer& server_;
  LocalWorkers& workers_;
  farm::Broker& broker_;
  farm::Job job_;
  const double seconds_before_;  // that earlier coordinators have worked
  farm::Merge merge_;
  const std::string session_ = random_id();  // what an earlier coordinator has published does not stand in our way
  std::uint64_t next_result_ = 1;
  std::set<farm::ShardId> published_;
  std::map<farm::ShardId, unsigned> attempts_;
  std::map<std::string, Clock::time_point> heard_;  // workers
  std::map<Clock::time_point, std::uint64_t> rates_;
  FarmMoment moment_;
  std::string stop_;  // why it has ended; empty: it has not
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point next_second_ = Clock::now();
};

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

unsigned worker_count(const Settings& settings) {
  return settings.run.workers != 0 ? settings.run.workers : default_workers();
}

// The options by which workers search as we would. Which search it is, they know.
std::vector<std::pair<std::string, std::string>> options_for_workers(const Settings& settings) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : search_to_repeat(settings))
    if (name != "--search" && name != "--keep-going") options.emplace_back(name, value);
  return options;
}

// The samplers of the default search: each draws schedules that the others miss.
std::vector<std::string> searches_of_hunts(const RunOptions& options) {
  std::vector<std::string> names;
  for (const StrategyEntry& entry : strategies())
    if (options.search == "auto" && options.no_preempt.empty() && entry.sampler != nullptr && entry.share != 0)
      names.emplace_back(entry.name);
  return names;
}

// Empty, or why there is nothing to run.
std::string make_job(const Settings& settings, const Target& target, farm::Job& job) {
  job.id = random_id();
  job.heddle = heddle_build(target.library);
  job.command = settings.run.command;
  job.options = options_for_workers(settings);
  FarmFiles program = program_files(target.path), data = data_files(settings.farm.with_files);
  for (const FarmFiles* files : {&program, &data})
    if (const auto* error = std::get_if<std::string>(files)) return *error;
  job.program = std::get<std::vector<farm::FarmFile>>(std::move(program));
  job.data = std::get<std::vector<farm::FarmFile>>(std::move(data));
  job.command[0] = job.program[0].path;
  job.processors = usable_processors();
  job.keep_going = settings.run.keep_going;
  job.pieces = std::max<std::uint64_t>(16, kPiecesEach * worker_count(settings));
  job.shard_s = settings.farm.shard_s;
  job.hunts = searches_of_hunts(settings.run);
  job.hunts_waiting = job.pieces / kPiecesEach;  // a share of the workers, and all that have nothing else to do
  return {};
}

// What the first schedule is here. Empty, or why there is none.
std::string probe(farm::Job& job) {
  ShardProcess process;
  if (std::string error = process.start(job, probe_shard(), {}, {}); !error.empty()) return error;
  while (!process.has_ended(100ms))
    if (interrupted()) return "interrupted";
  const auto read = process.result();
  if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
  const auto& result = std::get<farm::ShardResult>(read);
  if (!result.failed.empty()) return result.failed;
  if (result.classes.hashes().empty()) return "the first schedule did not come to its end";
  job.probe_class = result.classes.hashes()[0];
  job.probe_steps = result.steps_max;
  job.probe_tasks = result.tasks_max;
  return {};
}

// Starts the server of --farm=local, or goes to the one that is named. Empty, or why not.
std::string join(const Settings& settings, FarmServer& server, farm::Broker& broker, bool keep) {
  farm::Access access = farm_access(settings);
  if (settings.farm.url == "local" && farm_variable() == nullptr) {
    if (std::string error = server.start(keep); !error.empty()) return error;
    access.url = server.url();
  }
  const std::string error = broker.connect(access, settings.farm.name);
  return error.empty() ? error : fmt::format("the server {} can't be used: {}", shown_url(access.url), error);
}

std::string start_workers(const Settings& settings, const FarmServer& server, LocalWorkers& workers) {
  if (server.url().empty()) return {};  // whoever wants to starts them
  return workers.start(settings, server.url(), worker_count(settings));
}

// Another coordinator of the same local farm may be running: its server is not to be taken away.
std::string taken_by_another(const Settings& settings) {
  farm::Broker broker;
  const farm::Access access = farm_access(settings);
  std::string error;
  if (access.url.empty() || !broker.connect(access, settings.farm.name).empty()) return {};
  const nlohmann::json first = last_status(broker, error);
  nlohmann::json status = first;
  for (; is_fresh(status) && status == first && !interrupted(); status = last_status(broker, error))
    std::this_thread::sleep_for(200ms);
  if (!is_fresh(status)) return {};
  return fmt::format("the farm {} is running; heddle farm status shows it, --farm-name=NAME starts another one",
                     settings.farm.name);
}

ExitStatus farm_run(Settings& settings, Terminal& terminal) {
  const InterruptGuard guard;
  if (settings.run.command.empty())
    return wrong_use(terminal, "no program was given: heddle farm run [options] [--] PROGRAM [ARGS…]");
  if (std::string error = unfit_access(settings.farm); !error.empty()) return wrong_use(terminal, error);
  if (settings.run.search != "auto" && settings.run.search != "bounded")
    return wrong_use(terminal,
                     fmt::format("a farm has no --search={}: auto proves bounds and draws schedules at random "
                                 "beside that, bounded proves only",
                                 settings.run.search));
  auto target = inspect_target(settings.run);
  if (const auto* error = std::get_if<TargetError>(&target)) return wrong_use(terminal, error->message);
  if (std::string error = unfit_for_memory(settings.run); !error.empty()) return wrong_use(terminal, error);
  if (std::string error = unfit_for_build(std::get<Target>(target), settings.run); !error.empty())
    return wrong_use(terminal, error);
  if (const std::string note = choose_races(std::get<Target>(target), settings.run); !note.empty())
    terminal.message(note);
  if (std::string error = taken_by_another(settings); !error.empty()) return wrong_use(terminal, error);
  FarmServer server(farm_folder(settings));
  farm::Broker broker;
  farm::Job job;
  if (std::string error = make_job(settings, std::get<Target>(target), job); !error.empty())
    return wrong_use(terminal, error);
  if (std::string error = join(settings, server, broker, false); !error.empty()) return wrong_use(terminal, error);
  if (std::string error = probe(job); !error.empty()) {
    terminal.message(error);
    return interrupted() ? ExitStatus::Interrupted : ExitStatus::NoVerdict;
  }
  std::string error = broker.make_streams();
  if (error.empty()) error = send_files(job, broker);
  if (error.empty()) error = broker.put_state("job", to_bytes(job));
  LocalWorkers workers;
  if (error.empty()) error = start_workers(settings, server, workers);
  if (!error.empty()) return wrong_use(terminal, error);
  if (!settings.quiet && server.url().empty())
    terminal.message(fmt::format("workers can come: heddle worker --farm={} --farm-name={}",
                                 shown_url(farm_access(settings).url), settings.farm.name));
  return Coordinator(settings, terminal, server, workers, broker, std::move(job)).run();
}

// The job that is on the server goes on: its results are taken once more, from the first one on.
ExitStatus farm_attach(Settings& settings, Terminal& terminal) {
  const InterruptGuard guard;
  if (std::string error = unfit_access(settings.farm); !error.empty()) return wrong_use(terminal, error);
  if (farm_access(settings).url.empty())
    return wrong_use(terminal, "no farm was started in this folder; --farm=URL names a server");
  if (std::string error = taken_by_another(settings); !error.empty()) return wrong_use(terminal, error);
  FarmServer server(farm_folder(settings));
  farm::Broker broker;
  if (std::string error = join(settings, server, broker, true); !error.empty()) return wrong_use(terminal, error);
  std::string error;
  const auto bytes = broker.state("job", error);
  if (!bytes)
    return wrong_use(terminal, fmt::format("there is no farm {} on this server{}{}", settings.farm.name,
                                           error.empty() ? "" : ": ", error));
  auto read = farm::job_from(*bytes);
  if (const auto* refused = std::get_if<farm::Refused>(&read))
    return wrong_use(terminal, "the farm's job can't be read: " + refused->why);
  auto job = std::get<farm::Job>(std::move(read));
  job.over = false;
  const nlohmann::json before = last_status(broker, error);
  const double seconds_before = before.is_object() ? before.value("seconds", 0.0) : 0.0;
  error = broker.drop_shards();  // those that are still wanted are published anew
  if (error.empty()) error = broker.put_state("job", to_bytes(job));
  LocalWorkers workers;
  if (error.empty()) error = start_workers(settings, server, workers);
  if (!error.empty()) return wrong_use(terminal, error);
  return Coordinator(settings, terminal, server, workers, broker, std::move(job), seconds_before).run();
}

ExitStatus farm_status(Settings& settings, Terminal& terminal) {
  if (std::string error = unfit_access(settings.farm); !error.empty()) return wrong_use(terminal, error);
  const farm::Access access = farm_access(settings);
  if (access.url.empty()) return wrong_use(terminal, "no farm was started in this folder; --farm=URL names a server");
  farm::Broker broker;
  std::string error = broker.connect(access, settings.farm.name);
  if (!error.empty())
    return wrong_use(terminal, fmt::format("the server {} can't be used: {}{}", shown_url(access.url), error,
                                           settings.farm.url == "local" && farm_variable() == nullptr
                                               ? "; that of --farm=local ends with the coordinator, and heddle farm "
                                                 "attach starts it again"
                                               : ""));
  const nlohmann::json status = last_status(broker, error);
  if (status.is_null())
    return wrong_use(terminal, fmt::format("there is no farm {} on this server{}{}", settings.farm.name,
                                           error.empty() ? "" : ": ", error));
  if (status["stop_reason"].is_null() && !is_fresh(status))
    terminal.message("the coordinator has said nothing for a while; heddle farm attach goes on with its work");
  const std::string text = json_text(status, 2) + "\n";
  if (settings.farm.prometheus) terminal.result(farm_prometheus(status));
  if (!settings.json.empty()) error = settings.json == "-" ? terminal.json(text) : write_file(settings.json, text);
  if (!error.empty()) return wrong_use(terminal, error);
  if (!settings.farm.prometheus && settings.json != "-") terminal.result(farm_text(status));
  return ExitStatus::NoBug;
}

}  // namespace

const Command kFarmRunCommand = {"farm-run",
                                 "[options] [--] PROGRAM [ARGS…]",
                                 "explore the schedules of a program with many workers, also on other machines",
                                 For::FarmRun,
                                 true,
                                 farm_run};
const Command kFarmAttachCommand = {"farm-attach",   "[options]", "go on with a farm whose coordinator has ended",
                                    For::FarmAttach, false,       farm_attach};
const Command kFarmStatusCommand = {"farm-status",   "[options]", "what a farm has come to",
                                    For::FarmStatus, false,       farm_status};

}  // namespace heddle::cli
