// See farm_coordinator.h.
#include "cli/farm_coordinator.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/wait.h>

#include <algorithm>

#include "cli/end_workers.h"
#include "cli/farm_shard.h"
#include "cli/options.h"
#include "driver/process/interrupt.h"
#include "driver/process/own_process.h"
#include "driver/process/wait_status.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kAlive = 10s;  // a worker that was heard of since then works
constexpr unsigned kMostWorkerStarts = 100;
constexpr farm::Broker::Queue kQueues[] = {farm::Broker::Queue::Work, farm::Broker::Queue::Hunts};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

}  // namespace

std::string random_id() {
  std::uint64_t word = 0;
  return ::getrandom(&word, sizeof word, 0) == sizeof word ? fmt::format("{:016x}", word) : std::string();
}

bool is_displaced(farm::Broker& broker, const farm::Job& job) {
  std::string error;
  const auto bytes = broker.state("job", error);
  if (!bytes) return false;
  const auto read = farm::job_from(*bytes);
  const auto* const present = std::get_if<farm::Job>(&read);
  return present != nullptr && present->id != job.id;
}

LocalWorkers::~LocalWorkers() { end_workers(processes_); }

std::string LocalWorkers::start(const Settings& settings, const std::string& url, unsigned count) {
  words_ = {own_executable(), "worker", "-q", "-j", "1", "--farm-name=" + settings.farm.name};
  const bool sandbox = settings.farm.sandbox == SandboxMode::Yes;  // else the program is one's own
  words_.emplace_back(sandbox ? "--sandbox=yes" : "--sandbox=no");
  for (std::string& word : words_of_limits(settings)) words_.push_back(std::move(word));
  environment_ = own_environment();
  environment_.push_back(std::string(kFarmVariable) + "=" + url);
  processes_.resize(count);
  return start_those_that_ended();
}

std::string LocalWorkers::start_those_that_ended() {
  for (Process& process : processes_) {
    if (process.running()) {
      const auto status = process.ended();
      if (!status) continue;
      if (WIFEXITED(*status) && WEXITSTATUS(*status) != 0) {
        const std::string how = describe_status(*status);
        if (gave_up_.insert(&process).second && gave_up_.size() == processes_.size())
          return fmt::format("no worker is left: each gave up, the last one {}", how);
        if (gave_up_.size() == 1) news_ = fmt::format("a worker gave up ({}); the farm goes on with the others", how);
      }
    }
    if (gave_up_.contains(&process)) continue;
    if (++starts_ > processes_.size() + kMostWorkerStarts) return "the workers end again and again";
    bool randomized = false;
    if (std::string error = process.start({words_[0], words_, environment_}, randomized); !error.empty()) return error;
  }
  return {};
}

Coordinator::Coordinator(const Settings& settings, Terminal& terminal, FarmServer& server, LocalWorkers& workers,
                         farm::Broker& broker, farm::Job& job, FarmWork& work, double seconds_before)
    : settings_(settings),
      terminal_(terminal),
      server_(server),
      workers_(workers),
      broker_(broker),
      job_(job),
      work_(work),
      watch_(shown_url(farm_access(settings).url), settings.farm.server_wait_s),
      seconds_before_(seconds_before) {}

ExitStatus Coordinator::run() {
  take_results();  // of an earlier coordinator: they count, however little time there is
  while (!ended()) {
    if (is_there()) take_results();
    if (!ended() && !is_late_ && is_there()) publish();
    if (Clock::now() >= next_second_) look_around();
    for (std::string& worker : broker_.listen(50ms)) heard_[std::move(worker)] = Clock::now();
    work_.hear(std::max(heard_.size(), workers_.count()));
  }
  return conclude();
}

bool Coordinator::ended() {
  if (!stop_.empty()) return true;
  if (work_.over())
    stop_ = work_.stop_reason();
  else if (interrupted())
    stop_ = "interrupted";
  else if (settings_.seconds_passed() >= settings_.run.time_s + work_.grace_s())
    stop_ = "time";
  else if (settings_.seconds_passed() >= settings_.run.time_s && !is_late_) {
    is_late_ = true;
    for (const auto queue : kQueues) drop_shards(queue);  // what nobody runs yet nobody is to begin
  }
  return !stop_.empty();
}

void Coordinator::take_results() {
  std::string error;
  for (auto bytes = broker_.result(next_result_, error); bytes && !work_.over();
       bytes = broker_.result(next_result_, error)) {
    auto read = farm::result_from(*bytes, job_.id);
    auto* const result = std::get_if<farm::ShardResult>(&read);
    if (result != nullptr && result->id == kProbe) {
      ++next_result_;
      moment_.refusal = fmt::format("worker {} takes no shard: {}", result->worker, result->failed);
      if (!settings_.quiet && workers_.count() == 0) terminal_.message(moment_.refusal);  // a local one has said it
      continue;
    }
    if (result != nullptr && !work_.fetch(*result)) return;
    ++next_result_;
    ++moment_.messages;
    moment_.bytes += bytes->size();
    if (result == nullptr) {
      ++moment_.refused;
      // Whoever ran that number for another farm may have taken ours from the queue.
      if (const auto of = std::get<farm::Refused>(read).of_another) publish_again(*of);
      continue;
    }
    switch (work_.take(*result)) {
      case farm::Taken::Ignored:
        ++moment_.doubles;
        break;
      case farm::Taken::Again:
        ++moment_.refused;
        publish_again(result->id);
        break;
      case farm::Taken::Anew:
        drop_shards(farm::Broker::Queue::Work);  // hunts are still wanted
        break;
      case farm::Taken::Counted:
        break;
    }
  }
}

void Coordinator::publish_again(farm::ShardId id) {
  if (published_.erase(id) != 0) ++attempts_[id];
}

// What can't be published now is the next time.
void Coordinator::publish() {
  for (const auto& [queue, shards] : {std::pair(farm::Broker::Queue::Work, &work_.waiting()),
                                      std::pair(farm::Broker::Queue::Hunts, &work_.waiting_beside())})
    for (const auto& [id, waiting] : *shards) {
      if (published_.contains(id)) continue;
      farm::Shard shard = waiting;
      shard.job = job_.id;
      const std::string name = fmt::format("{}-{}-{}", session_, id, attempts_[id]);
      if (!broker_.put_shard(queue, to_bytes(shard), name).empty()) return;
      published_.insert(id);
    }
}

// Those of another farm are not ours.
void Coordinator::drop_shards(farm::Broker::Queue queue) {
  if (!is_displaced(broker_, job_)) broker_.drop_shards(queue);
}

void Coordinator::look_around() {
  next_second_ = Clock::now() + 1s;
  std::erase_if(heard_, [](const auto& one) { return Clock::now() - one.second > kAlive; });
  std::string error = server_.restart_if_gone();
  if (error.empty()) error = workers_.start_those_that_ended();
  if (const std::string news = workers_.news(); !news.empty()) terminal_.message(news);
  if (error.empty() && !watch_.lost().empty())
    error = watch_.lost() + "; when it is there, heddle farm attach goes on with the farm";
  if (error.empty() && is_there() && is_displaced(broker_, job_)) error = kDisplaced;
  if (!error.empty()) {
    stop_ = "error";
    moment_.why_none = error;
  }
  const std::uint64_t now = work_.schedules();
  rates_[Clock::now()] = now;
  while (rates_.size() > 2 && Clock::now() - rates_.begin()->first > kAlive) rates_.erase(rates_.begin());
  const double passed_s = seconds_since(rates_.begin()->first);
  moment_.rate = passed_s > 0.5 ? static_cast<double>(now - rates_.begin()->second) / passed_s : moment_.rate;
  if (stop_.empty() && is_there()) broker_.put_state("status", json_text(status()));
}

// Is the server? Calls that it does not answer take seconds. Of our own one nothing is said: it is started again.
bool Coordinator::is_there() {
  const bool connected = broker_.connected();
  if (!server_.url().empty()) return connected;
  if (const std::string news = watch_.look(connected); !news.empty()) terminal_.message(news);
  return connected;
}

nlohmann::json Coordinator::status() {
  moment_.name = settings_.farm.name;
  moment_.workers = heard_.size();
  moment_.seconds = seconds_before_ + seconds_since(begun_);
  moment_.stop_reason = stop_;
  if (!stop_.empty()) moment_.rate = static_cast<double>(work_.schedules()) / std::max(moment_.seconds, 1e-3);
  return work_.status(moment_);
}

ExitStatus Coordinator::conclude() {
  job_.over = true;
  nlohmann::json report = status();
  if (is_there() && !is_displaced(broker_, job_)) {
    broker_.put_state("job", to_bytes(job_));  // workers end then
    for (const auto queue : kQueues) drop_shards(queue);
    broker_.put_state("status", json_text(report));
  }
  return work_.conclude(std::move(report), moment_);
}

}  // namespace heddle::cli
