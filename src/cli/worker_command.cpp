// `heddle worker`: takes shards of a farm from its server, runs them, and returns what came of them.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/command.h"
#include "cli/end_workers.h"
#include "cli/farm_access.h"
#include "cli/farm_files.h"
#include "cli/farm_sandbox.h"
#include "cli/farm_shard.h"
#include "cli/options.h"
#include "cli/server_watch.h"
#include "driver/process/cpu.h"
#include "driver/process/interrupt.h"
#include "driver/process/own_process.h"
#include "driver/target/target.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr double kHunting = 0.25;  // of a worker's time
constexpr auto kMoment = 300ms;    // the coordinator takes so long for the next shards
constexpr auto kBeat = 2s;         // between signs of life; a fifth of farm::kPatience

std::string own_name() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  return fmt::format("{}:{}", host, ::getpid());
}

std::string cache_folder() {
  if (const char* const folder = ::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder == '/')
    return fmt::format("{}/heddle-farm", folder);
  const char* const home = ::getenv("HOME");
  return fmt::format("{}/.cache/heddle-farm", home != nullptr ? home : "/tmp");
}

class Worker {
 public:
  Worker(const Settings& settings, Terminal& terminal)
      : settings_(settings),
        terminal_(terminal),
        name_(own_name()),
        watch_(shown_url(farm_access(settings).url), settings.farm.server_wait_s) {}

  ExitStatus run() {
    if (std::string error = broker_.connect(farm_access(settings_), settings_.farm.name); !error.empty())
      return fail(fmt::format("the server {} can't be used: {}", shown_url(farm_access(settings_).url), error),
                  ExitStatus::WrongUse);
    const SandboxChoice choice = choose_sandbox(settings_);
    if (!choice.refused.empty()) return fail(choice.refused, ExitStatus::WrongUse);
    if (!choice.note.empty() && !settings_.quiet) terminal_.message(choice.note);
    const FarmSettings& farm = settings_.farm;
    room_.sandbox = choice.use;
    room_.variables = farm.sandbox_variables;
    room_.limits = {farm.worker_memory_bytes, farm.worker_processes, farm.worker_over_s};
    remove_stale_shards();
    ::unsetenv(kFarmVariable);  // it may hold a password, and the program is to see nothing of it
    while (!interrupted()) {
      if (const Found found = find_job(); found != Found::Open) {
        if ((served_ && found == Found::None) || is_lost()) break;
        std::this_thread::sleep_for(200ms);
        continue;
      }
      if (std::string error = prepare(); !error.empty()) return refuse(error);
      serve();
      if (!sick_.empty()) return refuse(sick_);
    }
    if (is_lost()) return fail(watch_.lost(), ExitStatus::NoVerdict);
    return interrupted() ? ExitStatus::Interrupted : ExitStatus::NoBug;
  }

 private:
  // Whoever waits for the farm is to know, too: by a result of the probe, which is no shard's.
  ExitStatus refuse(const std::string& why) {
    farm::ShardResult refusal;
    refusal.job = job_.id;
    refusal.id = kProbe;
    refusal.worker = name_;
    refusal.failed = why;
    if (!interrupted() && broker_.connected()) broker_.put_result(to_bytes(refusal));
    return fail(why, ExitStatus::NoVerdict);
  }

  ExitStatus fail(const std::string& why, ExitStatus status) {
    terminal_.message(why);
    return status;
  }

  // Says what is new of the server. True: it is gone, and waited for no longer.
  bool is_lost() {
    const std::string news = watch_.look(broker_.connected());
    if (!news.empty() && !settings_.quiet) terminal_.message(news);
    return !watch_.lost().empty();
  }

  enum class Found { Open, None, Unknown };  // a job that is not over; or the server can't say now
  Found find_job() {
    std::string error;
    if (!broker_.connected()) return Found::Unknown;
    const auto bytes = broker_.state("job", error);
    if (!bytes) return error.empty() ? Found::None : Found::Unknown;
    auto read = farm::job_from(*bytes);
    if (const auto* refused = std::get_if<farm::Refused>(&read)) {
      if (!settings_.quiet && refused->why != told_) terminal_.message("the farm's job is refused: " + refused->why);
      told_ = refused->why;
      return Found::None;
    }
    job_ = std::get<farm::Job>(std::move(read));
    return job_.over ? Found::None : Found::Open;
  }

  // Empty, or why this machine can't work on it.
  std::string prepare() {
    Settings settings;
    settings.run.command = job_.command;
    auto place = fetch_files(job_, broker_, cache_folder());
    if (const auto* problem = std::get_if<std::string>(&place)) return *problem;
    room_.place = std::get<FarmPlace>(std::move(place));
    job_.command[0] = settings.run.command[0] = room_.place.program;
    const auto target = inspect_target(settings.run);
    if (const auto* error = std::get_if<TargetError>(&target)) return error->message;
    room_.library = std::get<Target>(target).library;
    if (heddle_build(room_.library) != job_.heddle)
      return "this is another build of Heddle than where the farm was started: install the same one";
    return probe();
  }

  // The first schedule must be what it is where the farm was started.
  std::string probe() {
    if (job_.probe_test != 0 && job_.probe_test == job_.tests.size()) return {};  // no test has one
    ShardProcess process;
    if (std::string error = process.start(job_, probe_shard(), room_); !error.empty()) return error;
    while (!process.has_ended(100ms))
      if (interrupted()) return "interrupted";
    const auto read = process.result();
    if (const auto* problem = std::get_if<std::string>(&read)) return *problem;
    const auto& result = std::get<farm::ShardResult>(read);
    const auto& hashes = result.classes.hashes();
    if (!hashes.empty() && hashes[0] == job_.probe_class && result.steps_max == job_.probe_steps &&
        result.tasks_max == job_.probe_tasks)
      return {};
    return fmt::format(
        "the first schedule differs here from where the farm was started ({} steps and {} threads here, {} and {} "
        "there): libc, kernel, processor or environment differ; results from here would not fit, so this worker takes "
        "no shard",
        result.steps_max, result.tasks_max, job_.probe_steps, job_.probe_tasks);
  }

  void serve() {
    served_ = true;
    if (!settings_.quiet)
      terminal_.message(
          fmt::format("{} works on {} for the farm {}", name_, job_.program[0].path, settings_.farm.name));
    const std::string id = job_.id;
    while (!interrupted() && !is_lost() && sick_.empty()) {
      beat();
      std::string error;
      const auto delivery = next_shard(error);
      if (delivery != nullptr) {
        if (!work_on(*delivery)) return;
        continue;
      }
      if (!error.empty()) std::this_thread::sleep_for(200ms);
      const farm::Job mine = job_;
      if (const Found found = find_job(); found != Found::Unknown && (found == Found::None || job_.id != id)) return;
      job_ = mine;
    }
  }

  // A quarter of the time goes to hunts, and all for which nothing else is there for a moment.
  std::shared_ptr<farm::Broker::Delivery> next_shard(std::string& error) {
    using Queue = farm::Broker::Queue;
    if (job_.hunts.empty()) return broker_.take_shard(Queue::Work, 1s, error);
    const bool hunts_first = hunting_s_ < kHunting * (hunting_s_ + working_s_);
    const Queue first = hunts_first ? Queue::Hunts : Queue::Work, second = hunts_first ? Queue::Work : Queue::Hunts;
    auto delivery = broker_.take_shard(first, hunts_first ? 20ms : kMoment, error);
    return delivery != nullptr ? delivery : broker_.take_shard(second, hunts_first ? 1s : 20ms, error);
  }

  void beat() {
    is_lost();  // what is to be said of the server is said in time
    if (Clock::now() < next_beat_) return;
    next_beat_ = Clock::now() + kBeat;
    broker_.beat(name_);
  }

  // False: another job has taken the place of ours.
  bool work_on(farm::Broker::Delivery& delivery) {
    const auto read = farm::shard_from(delivery.bytes());
    const auto* const shard = std::get_if<farm::Shard>(&read);
    if (shard != nullptr && shard->job != job_.id) return put_aside(*shard, delivery);
    if (shard == nullptr)
      delivery.done();  // not the coordinator's: its job says that it is of this build
    else
      run(*shard, delivery);
    return true;
  }

  // A shard of another job. Where that has not taken the place of ours, nobody is to get it again: a coordinator whose
  // place was taken may go on for a moment.
  bool put_aside(const farm::Shard& shard, farm::Broker::Delivery& delivery) {
    const farm::Job mine = job_;
    const Found found = find_job();
    const std::string now = found == Found::Unknown ? std::string() : job_.id;
    if (found == Found::Open && now != shard.job)
      delivery.done();
    else
      delivery.again();
    if (found == Found::Open && now != mine.id) return false;
    job_ = mine;
    return found != Found::None;
  }

  void run(const farm::Shard& shard, farm::Broker::Delivery& delivery) {
    const auto begun = Clock::now();
    run_it(shard, delivery);
    double& spent = shard.search.empty() ? working_s_ : hunting_s_;
    spent += std::chrono::duration<double>(Clock::now() - begun).count();
  }

  void run_it(const farm::Shard& shard, farm::Broker::Delivery& delivery) {
    ShardProcess process;
    std::string problem = process.start(job_, shard, room_);
    while (problem.empty() && !process.has_ended(100ms)) {
      if (interrupted()) return delivery.again();
      if (Clock::now() >= next_beat_) delivery.keep();
      beat();
    }
    farm::ShardResult result;
    if (problem.empty()) {
      auto ended = process.result();
      if (auto* fine = std::get_if<farm::ShardResult>(&ended))
        result = std::move(*fine);
      else
        problem = std::get<std::string>(ended);
    }
    if (!problem.empty()) {
      if (!settings_.quiet) terminal_.message(problem);
      // Where not even the first schedule can be run any more, it is this machine's fault.
      delivery.keep();
      sick_ = probe();
      if (interrupted() || !sick_.empty()) return delivery.again();
      result.job = job_.id;
      result.id = shard.id;
      result.failed = problem;
      result.broke_down = true;
    }
    result.worker = name_;
    return send(result, process) ? delivery.done() : delivery.again();
  }

  // Until it is on the server; false: it is not. What is sent twice counts once (farm/merge.h).
  bool send(const farm::ShardResult& result, const ShardProcess& process) {
    for (const farm::FarmBug& bug : result.bugs)
      if (!bug.trace.empty() && !send_file(bug.trace, process)) return false;
    for (const farm::FarmFile& file : result.waiting_file)
      if (!send_file(file.digest, process)) return false;
    if (result.test)
      for (const farm::FarmFile& file : result.test->files)
        if (!send_file(file.digest, process)) return false;
    const std::string bytes = to_bytes(result);
    if (!until_done([&] { return broker_.put_result(bytes); })) return false;
    broker_.beat(name_);  // it has come
    return true;
  }

  bool send_file(const std::string& digest, const ShardProcess& process) {
    const std::string content = process.file(digest);
    if (farm::digest_of(content) != digest) return true;  // it is gone: a bug without its trace is one, too
    return until_done([&] { return broker_.put_file(digest, content); });
  }

  template <typename Try>
  bool until_done(Try&& attempt) {
    while (!broker_.connected() || !attempt().empty()) {
      if (is_lost() || interrupted()) return false;
      std::this_thread::sleep_for(200ms);
    }
    return true;
  }

  const Settings& settings_;
  Terminal& terminal_;
  const std::string name_;
  farm::Broker broker_;
  farm::Job job_;
  ShardRoom room_;
  bool served_ = false;
  double working_s_ = 0, hunting_s_ = 0;  // of this worker
  std::string told_, sick_;               // why this worker can't go on; empty: it can
  ServerWatch watch_;
  Clock::time_point next_beat_ = Clock::now();
};

ExitStatus run_one(const Settings& settings, Terminal& terminal) { return Worker(settings, terminal).run(); }

// Each in a process of its own.
ExitStatus run_several(const Settings& settings, Terminal& terminal) {
  std::vector<std::string> words{own_executable(), "worker", "-j", "1", "--farm-name=" + settings.farm.name};
  for (const auto& [option, value] :
       {std::pair("--credentials=", &settings.farm.credentials), std::pair("--tls-ca=", &settings.farm.ca),
        std::pair("--tls-certificate=", &settings.farm.certificate), std::pair("--tls-key=", &settings.farm.key)})
    if (!value->empty()) words.push_back(option + *value);
  if (settings.quiet) words.emplace_back("-q");
  // Whether it works is found out, and said, once.
  const SandboxChoice choice = choose_sandbox(settings);
  if (!choice.refused.empty() || (!choice.note.empty() && !settings.quiet))
    terminal.message(choice.refused + choice.note);
  if (!choice.refused.empty()) return ExitStatus::WrongUse;
  words.emplace_back(choice.use ? "--sandbox=yes" : "--sandbox=no");
  for (std::string& word : words_of_limits(settings)) words.push_back(std::move(word));
  ::setenv(kFarmVariable, farm_access(settings).url.c_str(), 1);
  std::vector<Process> processes(settings.run.workers);
  bool randomized = false;
  for (Process& process : processes)
    if (std::string error = process.start({words[0], words, own_environment()}, randomized); !error.empty()) {
      terminal.message(error);
      return ExitStatus::WrongUse;
    }
  ExitStatus worst = ExitStatus::NoBug;
  for (Process& process : processes) {
    std::optional<int> status;
    while (!(status = process.ended()) && !interrupted()) process.wait(100ms);
    if (!status) {
      end_workers(processes);
      return ExitStatus::Interrupted;
    }
    if (*status != 0) worst = ExitStatus::NoVerdict;
  }
  return worst;
}

ExitStatus worker(Settings& settings, Terminal& terminal) {
  const InterruptGuard guard;
  if (std::string error = unfit_access(settings.farm); !error.empty()) {
    terminal.message(error);
    return ExitStatus::WrongUse;
  }
  if (farm_access(settings).url.empty()) {
    terminal.message(
        fmt::format("no farm was started in this folder: give its address by --farm or {}", kFarmVariable));
    return ExitStatus::WrongUse;
  }
  if (settings.run.workers == 0) settings.run.workers = default_workers();
  return settings.run.workers > 1 ? run_several(settings, terminal) : run_one(settings, terminal);
}

}  // namespace

const Command kWorkerCommand = {
    "worker", "[--farm=nats://HOST]", "run shards for a farm until it is over", For::Worker, false, worker};

}  // namespace heddle::cli
