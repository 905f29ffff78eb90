// `heddle farm run`, `test`, `attach` and `status`.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "cli/choose_races.h"
#include "cli/choose_tests.h"
#include "cli/command.h"
#include "cli/farm_access.h"
#include "cli/farm_coordinator.h"
#include "cli/farm_files.h"
#include "cli/farm_shard.h"
#include "cli/farm_status.h"
#include "cli/options.h"
#include "cli/suite.h"
#include "cli/unfit_memory.h"
#include "driver/process/cpu.h"
#include "driver/process/interrupt.h"
#include "driver/target/target.h"
#include "report/wording.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

using namespace std::chrono_literals;

constexpr double kFresh_s = 10;         // a coordinator that wrote its status since then may run
constexpr double kLook_s = 3;           // by then one that runs has written its status anew
constexpr std::size_t kPiecesEach = 4;  // shards for each worker that are to wait at least

// What the coordinator says last on the server; null: nothing, or it makes no sense.
nlohmann::json last_status(farm::Broker& broker, std::string& error) {
  const auto bytes = broker.state("status", error);
  if (!bytes) return nullptr;
  nlohmann::json status = nlohmann::json::parse(*bytes, nullptr, false);
  return is_status(status) ? status : nullptr;
}

bool is_open(const nlohmann::json& status) { return status.is_object() && status["stop_reason"].is_null(); }

bool is_fresh(const nlohmann::json& status) {
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return is_open(status) && std::abs(now - status.value("written_at", 0.0)) < kFresh_s;
}

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
  FarmFiles program = program_files(target.path), data = data_files(settings.farm.with_files);
  for (const FarmFiles* files : {&program, &data})
    if (const auto* error = std::get_if<std::string>(files)) return *error;
  job.program = std::get<std::vector<farm::FarmFile>>(std::move(program));
  job.data = std::get<std::vector<farm::FarmFile>>(std::move(data));
  job.sources = source_files_of(job.program);
  job.command[0] = job.program[0].path;
  job.processors = usable_processors();
  job.keep_going = settings.run.keep_going;
  job.pieces = std::max<std::uint64_t>(16, kPiecesEach * worker_count(settings));
  job.shard_s = settings.farm.shard_s;
  job.hunts = searches_of_hunts(settings.run);
  job.hunts_waiting = job.pieces / kPiecesEach;  // one for each worker that is expected, and 4 at least
  return {};
}

// What the first schedule is here. Empty, or why there is none.
std::string probe(farm::Job& job) {
  ShardProcess process;
  if (std::string error = process.start(job, probe_shard(), {}); !error.empty()) return error;
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

// Of the first test that has one; some create no thread, and some fail at once.
std::string probe_tests(farm::Job& job) {
  constexpr std::uint64_t kMostTried = 20;
  for (job.probe_test = 0; job.probe_test < std::min<std::uint64_t>(kMostTried, job.tests.size()); ++job.probe_test) {
    if (probe(job).empty()) return {};
    if (interrupted()) return "interrupted";
  }
  job.probe_test = job.tests.size();
  return {};
}

bool starts_server(const Settings& settings) { return settings.farm.url == "local" && farm_variable() == nullptr; }

// Starts the server of --farm=local, or goes to the one that is named. Empty, or why not.
std::string join(const Settings& settings, FarmServer& server, farm::Broker& broker, bool keep) {
  farm::Access access = farm_access(settings);
  if (starts_server(settings)) {
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
  // Clocks of machines differ: what shows that it runs is that its status changes.
  const std::chrono::duration<double> most(is_fresh(first) ? kFresh_s : kLook_s);
  const auto late = std::chrono::steady_clock::now() + most;
  for (; is_open(status) && status == first && std::chrono::steady_clock::now() < late && !interrupted();
       status = last_status(broker, error))
    std::this_thread::sleep_for(200ms);
  return is_open(status) && status != first ? farm_is_running(settings.farm.name) : std::string();
}

// Until the files are on the server, the job that workers see is over already. Who looks sees that a farm is there.
std::string claim(const Settings& settings, farm::Broker& broker, const FarmWork& work, farm::Job job) {
  job.over = true;
  FarmMoment moment;
  moment.name = settings.farm.name;
  nlohmann::json status = work.status(moment);
  status["shards_waiting"] = 0;  // nobody can get them now
  std::string error = broker.put_state("job", to_bytes(job));
  return error.empty() ? broker.put_state("status", json_text(status)) : error;
}

std::unique_ptr<FarmWork> work_of(const Settings& settings, Terminal& terminal, farm::Broker& broker,
                                  const farm::Job& job) {
  return job.tests.empty() ? search_work(settings, terminal, broker, job) : suite_work(settings, terminal, broker, job);
}

// With a job that nobody has begun. Until its probe has ended well, nothing of an earlier farm is touched.
ExitStatus start(const Settings& settings, Terminal& terminal, farm::Job& job) {
  FarmServer server(farm_folder(settings));
  farm::Broker broker;
  std::string error = starts_server(settings) ? std::string() : join(settings, server, broker, false);
  if (!error.empty()) return wrong_use(terminal, error);
  error = job.tests.empty() ? probe(job) : probe_tests(job);
  if (!error.empty()) {
    terminal.message(error);
    return interrupted() ? ExitStatus::Interrupted : ExitStatus::NoVerdict;
  }
  error = taken_by_another(settings);
  if (error.empty() && starts_server(settings)) error = join(settings, server, broker, false);
  if (!error.empty()) return wrong_use(terminal, error);
  const auto work = work_of(settings, terminal, broker, job);
  work->hear(worker_count(settings));
  error = work->begin(false);
  if (error.empty()) error = broker.make_streams();
  if (error.empty()) error = claim(settings, broker, *work, job);
  if (error.empty()) error = send_files(job, broker);
  if (error.empty() && is_displaced(broker, job)) error = kDisplaced;
  if (error.empty()) error = broker.put_state("job", to_bytes(job));
  LocalWorkers workers;
  if (error.empty()) error = start_workers(settings, server, workers);
  if (!error.empty()) return wrong_use(terminal, error);
  if (!settings.quiet && server.url().empty())
    terminal.message(fmt::format("workers can come: heddle worker --farm={} --farm-name={}",
                                 shown_url(farm_access(settings).url), settings.farm.name));
  return Coordinator(settings, terminal, server, workers, broker, job, *work, 0).run();
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
  farm::Job job;
  if (std::string error = make_job(settings, std::get<Target>(target), job); !error.empty())
    return wrong_use(terminal, error);
  job.options = options_for_workers(settings);
  return start(settings, terminal, job);
}

ExitStatus farm_test(Settings& settings, Terminal& terminal) {
  const InterruptGuard guard;
  if (settings.run.command.empty())
    return wrong_use(terminal, "no program was given: heddle farm test [options] [--] PROGRAM [ARGS…]");
  if (std::string error = unfit_access(settings.farm); !error.empty()) return wrong_use(terminal, error);
  const auto chosen = choose_tests(settings, terminal);
  if (const auto* status = std::get_if<ExitStatus>(&chosen)) return *status;
  const auto& [target, list] = std::get<ChosenTests>(chosen);
  if (std::string error = unfit_for_memory(settings.run); !error.empty()) return wrong_use(terminal, error);
  if (std::string error = unfit_for_build(target, settings.run); !error.empty()) return wrong_use(terminal, error);
  for (const std::string* file : {&settings.baseline, &settings.run.suppressions})  // each test reads them
    if (!file->empty()) settings.farm.with_files += (settings.farm.with_files.empty() ? "" : ",") + *file;
  farm::Job job;
  if (std::string error = make_job(settings, target, job); !error.empty()) return wrong_use(terminal, error);
  job.options = options_for_tests(settings);
  job.framework = list.framework;
  for (const ListedTest& test : list.tests) job.tests.push_back({test.name, test.words});
  if (const std::size_t bytes = to_bytes(job).size(); bytes > farm::kMostBytes)
    return wrong_use(terminal,
                     fmt::format("the names of {} take {} bytes, and a message takes {}: choose some, and run the "
                                 "others in another farm",
                                 counted(list.tests.size(), "test"), bytes, farm::kMostBytes));
  return start(settings, terminal, job);
}

// As the farm was started, where nothing else is given now. Empty, or what is wrong.
std::string take_over_settings(const farm::Job& job, Settings& settings) {
  const auto is_given = [&](std::string_view option) {
    return std::find(settings.given.begin(), settings.given.end(), option) != settings.given.end();
  };
  if (job.tests.empty()) {
    for (const char* const option : {"--junit", "--sarif", "--explain"})
      if (is_given(option)) return fmt::format("{} is for a farm of tests, and this one searches one program", option);
    return {};
  }
  for (const auto& [name, value] : job.options) {
    const Option* option = option_named(name);
    if (option == nullptr || !is_for_tests(*option))  // whoever writes to the server is not to write our files
      return fmt::format("the farm's job has the option {}, which no test of a suite is given", name);
    if (is_given(name)) continue;
    if (std::string error = option->set(settings, value); !error.empty()) return fmt::format("{}: {}", name, error);
  }
  if (!is_given("--time")) settings.run.time_s = kTimeOfSuite_s;
  settings.run.command = job.command;
  return {};
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
  if (std::string problem = take_over_settings(job, settings); !problem.empty()) return wrong_use(terminal, problem);
  const nlohmann::json before = last_status(broker, error);
  const double seconds_before = before.is_object() ? before.value("seconds", 0.0) : 0.0;
  const auto work = work_of(settings, terminal, broker, job);
  constexpr double kMostWorkers = 1e6;
  work->hear(static_cast<std::size_t>(
      std::clamp(before.is_object() ? before.value("workers", 1.0) : worker_count(settings), 1.0, kMostWorkers)));
  error = work->begin(true);
  for (const auto queue : {farm::Broker::Queue::Work, farm::Broker::Queue::Hunts})
    if (error.empty()) error = broker.drop_shards(queue);  // those that are still wanted are published anew
  if (error.empty()) error = broker.put_state("job", to_bytes(job));
  LocalWorkers workers;
  if (error.empty()) error = start_workers(settings, server, workers);
  if (!error.empty()) return wrong_use(terminal, error);
  return Coordinator(settings, terminal, server, workers, broker, job, *work, seconds_before).run();
}

ExitStatus farm_status(Settings& settings, Terminal& terminal) {
  if (std::string error = unfit_access(settings.farm); !error.empty()) return wrong_use(terminal, error);
  const farm::Access access = farm_access(settings);
  if (access.url.empty()) return wrong_use(terminal, "no farm was started in this folder; --farm=URL names a server");
  farm::Broker broker;
  std::string error = broker.connect(access, settings.farm.name);
  if (!error.empty())
    return wrong_use(terminal, fmt::format("the server {} can't be used: {}{}", shown_url(access.url), error,
                                           starts_server(settings)
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
const Command kFarmTestCommand = {"farm-test",
                                  "[options] [--] PROGRAM [ARGS…]",
                                  "explore each test of a program with many workers, also on other machines",
                                  For::FarmTest,
                                  true,
                                  farm_test};
const Command kFarmAttachCommand = {"farm-attach",   "[options]", "go on with a farm whose coordinator has ended",
                                    For::FarmAttach, false,       farm_attach};
const Command kFarmStatusCommand = {"farm-status",   "[options]", "what a farm has come to",
                                    For::FarmStatus, false,       farm_status};

}  // namespace heddle::cli
