// How many executions per second one core of the driver can keep up with. The target is pretended: its record streams
// are made beforehand with the pure model. Each workload gives three figures. "core" is in one process: decode the
// records, expand the search, choose and write the next plans; the clock stands still while the ring is filled. "hash"
// is the same with happens-before hashes. "run" is the whole explore loop, while another process fills the ring faster
// than the driver reads it (processor time of the driver's thread). Usage: driver_bench [ROUNDS [FIGURE]]; prints
// medians.
#include <absl/container/flat_hash_map.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/distinct_executions.h"
#include "analysis/happens_before.h"
#include "driver/explore/explore.h"
#include "driver/process/shared_region.h"
#include "protocol/checksum.h"
#include "search/bounded.h"
#include "search/pretend_target.h"
#include "search/random.h"
#include "trace/decode.h"

namespace heddle::bench {
namespace {

using Clock = std::chrono::steady_clock;

// As many as the driver has, but no more than the ring has room for at once.
std::size_t plans_ahead(unsigned prefix) { return prefix == 0 ? 128 : 12; }
constexpr std::size_t kStepsPerRound = 3'000'000;

struct Workload {
  const char* name;
  unsigned tasks, sections, bound;
  unsigned prefix = 0;       // sections that the first task has for itself before the others may begin
  bool checkpoints = false;  // executions go on where they leave the one before
};

test::Program program_of(const Workload& workload) {
  std::vector<test::Call> calls;
  for (unsigned i = 0; i < workload.sections; ++i) {
    calls.push_back({OperationKind::MutexLock, 0});
    calls.push_back({OperationKind::MutexUnlock, 0});
  }
  test::Program program;
  program.tasks.assign(workload.tasks, calls);
  if (workload.prefix == 0) return program;
  std::vector<test::Call> first;
  for (unsigned i = 0; i < workload.prefix; ++i) {
    first.push_back({OperationKind::MutexLock, 1});
    first.push_back({OperationKind::MutexUnlock, 1});
  }
  for (unsigned i = 1; i < workload.tasks; ++i) {
    first.push_back({OperationKind::SemaphorePost, 0});
    program.tasks[i].insert(program.tasks[i].begin(), {OperationKind::SemaphoreWait, 0});
  }
  program.tasks[0].insert(program.tasks[0].begin(), first.begin(), first.end());
  return program;
}

// What the runtime would have written, of all executions of a search in their order.
struct Streams {
  std::vector<Record> records;
  std::vector<std::size_t> begins{0};  // of each execution, and the end
  std::vector<std::uint64_t> plans;    // what the plan of each was; see key_of()
  std::uint64_t steps = 0;
  std::size_t count() const { return begins.size() - 1; }
};

// Tells plans apart by their deltas.
std::uint64_t key_of(const Delta* deltas, std::size_t count) {
  std::uint64_t key = 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, deltas + i, sizeof word);
    key = mix_seed(key, word);
  }
  return key;
}

template <typename Kind>
void put(Streams& streams, const Kind& value) {
  Record record;
  std::memcpy(static_cast<void*>(&record), &value, sizeof record);
  streams.records.push_back(record);
}

void put_changes(Streams& streams, const Execution& execution, std::size_t& next, std::uint32_t step) {
  ChangesRecord record;
  for (; next < execution.changes.size() && execution.changes[next].step == step; ++next) {
    record.changes[record.count++] = {execution.changes[next].task, execution.changes[next].state, 0};
    if (record.count < ChangesRecord::kCapacity) continue;
    put(streams, record);
    record = ChangesRecord();
  }
  if (record.count != 0) put(streams, record);
}

void put_tasks(Streams& streams, const test::Program& program) {
  for (TaskId task = 0; task < program.tasks.size(); ++task) {
    TaskRecord record;
    record.task = task;
    record.parent = task == 0 ? kNoTask : TaskId{0};
    put(streams, record);
  }
}

// The first object of its number?
bool is_new(std::vector<bool>& seen, ObjectId object) {
  seen.resize(std::max<std::size_t>(seen.size(), object + 1));
  const bool result = !seen[object];
  seen[object] = true;
  return result;
}

std::uint32_t common_steps(const Execution& a, const Execution& b) {
  const auto same = [](const StepRecord& one, const StepRecord& other) {
    return one.task == other.task && one.operation == other.operation && one.variant == other.variant;
  };
  const auto differ = std::mismatch(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), same);
  return static_cast<std::uint32_t>(differ.first - a.steps.begin());
}

// `kept`: how many steps are those of the execution before.
void put_execution(Streams& streams, const test::Program& program, const Execution& execution, std::uint32_t kept) {
  BeginRecord begin;
  begin.plan = execution.plan;
  begin.kept_steps = kept;
  std::vector<bool> seen;
  std::size_t next_change = 0;
  if (kept != 0) {
    begin.kept_tasks = static_cast<std::uint16_t>(program.tasks.size());
    while (next_change < execution.changes.size() && execution.changes[next_change].step <= kept) ++next_change;
    begin.kept_changes = static_cast<std::uint32_t>(next_change);
    for (std::uint32_t step = 0; step < kept; ++step)
      begin.kept_objects += is_new(seen, execution.steps[step].object) ? 1 : 0;
  }
  put(streams, begin);
  if (kept == 0) put_tasks(streams, program);
  for (std::uint32_t step = kept; step < execution.steps.size(); ++step) {
    put_changes(streams, execution, next_change, step);
    const StepRecord& made = execution.steps[step];
    if (is_new(seen, made.object)) {
      ObjectRecord object;
      object.object = made.object;
      object.object_kind = object_kind(made.operation);
      put(streams, object);
    }
    put(streams, made);
  }
  EndRecord end = execution.end;
  end.tasks = static_cast<std::uint16_t>(program.tasks.size());
  const std::size_t begins = streams.begins.back();
  end.checksum = checksum_of(sum_of(streams.records.data() + begins, streams.records.size() - begins), end);
  put(streams, end);
  streams.begins.push_back(streams.records.size());
  streams.steps += execution.steps.size();
}

Streams streams_of(const Workload& workload) {
  const test::Program program = program_of(workload);
  BoundedSearch search({.max_preemptions = workload.bound});
  std::deque<Execution> outstanding;
  Execution previous;
  Streams streams;
  for (;;) {
    while (outstanding.size() < plans_ahead(workload.prefix)) {
      Next next = search.next();
      if (!std::holds_alternative<Plan>(next)) break;
      const Plan& plan = std::get<Plan>(next);
      outstanding.push_back(test::execute(program, plan));
      streams.plans.push_back(key_of(plan.deltas.data(), plan.deltas.size()));
      const std::uint32_t common = common_steps(previous, outstanding.back());
      const bool ends = common >= outstanding.back().steps.size();
      put_execution(streams, program, outstanding.back(), workload.checkpoints && !ends ? common : 0);
      if (workload.checkpoints) previous = outstanding.back();
    }
    if (outstanding.empty()) return streams;
    search.learn(outstanding.front());
    outstanding.pop_front();
  }
}

// The other end of the region: answers every plan with the next stream.
class PretendedTarget {
 public:
  PretendedTarget(const SharedRegion& region, const Streams& streams)
      : shared_(static_cast<Shared*>(
            mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, region.descriptor(), 0))),
        streams_(streams) {}
  ~PretendedTarget() { munmap(shared_, sizeof(Shared)); }
  PretendedTarget(const PretendedTarget&) = delete;
  PretendedTarget& operator=(const PretendedTarget&) = delete;

  void restart() { next_ = 0; }
  void answer(std::size_t plans) {
    shared_->plans.read.store(shared_->plans.written.load());
    std::uint64_t written = shared_->executions.written.load();
    for (; plans > 0; --plans, ++next_)
      for (std::size_t i = streams_.begins[next_]; i < streams_.begins[next_ + 1]; ++i)
        shared_->record(written++) = streams_.records[i];
    shared_->executions.written.store(written);
  }

 private:
  Shared* shared_;
  const Streams& streams_;
  std::size_t next_ = 0;
};

// The driver's work on one search, as Explorer and Worker do it.
class Driver {
 public:
  Driver(SharedRegion& region, const Workload& workload, bool hashes)
      : region_(region),
        plans_ahead_(plans_ahead(workload.prefix)),
        search_({.max_preemptions = workload.bound}),
        hashes_(hashes) {}

  std::size_t outstanding() const { return outstanding_; }

  void fill() {
    while (outstanding_ < plans_ahead_) {
      Next next = search_.next();
      const Plan* plan = std::get_if<Plan>(&next);
      if (plan == nullptr) return;
      if (!region_.plans().write(*plan)) std::abort();
      ++outstanding_;
    }
  }

  // Reads the executions of all plans that are outstanding now; each brings a new plan.
  void take(std::size_t executions) {
    while (executions > 0) {
      const auto records = region_.records().peek();
      if (records.empty()) std::abort();
      region_.records().pass(decoder_.feed(records.data(), records.size()));
      if (!decoder_.complete()) continue;
      std::unique_ptr<Execution> execution = decoder_.take();
      search_.learn(*execution);
      if (hashes_) distinct_.add(*happens_before_.hash(*execution));
      decoder_.reuse(std::move(execution));
      --outstanding_;
      --executions;
      fill();
    }
  }

 private:
  SharedRegion& region_;
  std::size_t plans_ahead_;
  BoundedSearch search_;
  ExecutionDecoder decoder_;
  bool hashes_;
  HappensBefore happens_before_;
  DistinctExecutions distinct_;
  std::size_t outstanding_ = 0;
};

// One search from begin to end; returns the time that the driver took.
double search_once(SharedRegion& region, PretendedTarget& target, const Workload& workload, bool hashes,
                   std::size_t expected) {
  Clock::duration time{};
  std::size_t run = 0;
  auto begin = Clock::now();
  Driver driver(region, workload, hashes);
  driver.fill();
  target.restart();
  while (driver.outstanding() != 0) {
    time += Clock::now() - begin;
    const std::size_t plans = driver.outstanding();
    target.answer(plans);
    begin = Clock::now();
    driver.take(plans);
    run += plans;
  }
  time += Clock::now() - begin;
  if (run != expected) std::abort();
  return std::chrono::duration<double>(time).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double core_seconds(const Workload& workload, const Streams& streams, bool hashes, unsigned rounds) {
  std::string error;
  const auto region = SharedRegion::create(error);
  if (region == nullptr) std::abort();
  PretendedTarget target(*region, streams);
  const std::size_t searches = std::max<std::size_t>(1, kStepsPerRound / streams.steps);
  std::vector<double> seconds;
  for (unsigned round = 0; round < rounds; ++round) {
    double sum = 0;
    for (std::size_t i = 0; i < searches; ++i) sum += search_once(*region, target, workload, hashes, streams.count());
    seconds.push_back(sum / static_cast<double>(searches * streams.count()));
  }
  return median(seconds);
}

// --- the whole explore loop

constexpr const char* kStreamsVariable = "HEDDLE_BENCH_STREAMS";

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The streams in a memfd: how many, where each begins, their plans, the records.
int file_of(const Streams& streams) {
  const int file = memfd_create("streams", MFD_CLOEXEC);
  const std::size_t count = streams.count();
  const auto add = [file](const void* from, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t written = write(file, static_cast<const char*>(from) + done, bytes - done);
      if (written <= 0) std::abort();
      done += static_cast<std::size_t>(written);
    }
  };
  add(&count, sizeof count);
  add(streams.begins.data(), streams.begins.size() * sizeof(std::size_t));
  add(streams.plans.data(), streams.plans.size() * sizeof(std::uint64_t));
  add(streams.records.data(), streams.records.size() * sizeof(Record));
  return file;
}

const void* map_whole(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat found {};
  if (file < 0 || fstat(file, &found) != 0) _exit(9);
  return mmap(nullptr, static_cast<std::size_t>(found.st_size), PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
}

void wake_driver(Shared& shared) {
  auto& sleeping = shared.executions.reader_sleeping;
  if (sleeping.load() != 0 && sleeping.exchange(0) != 0)
    syscall(SYS_futex, &sleeping, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// Streams as they lie in the file.
struct Answers {
  const std::size_t* begins;
  const Record* records;
  absl::flat_hash_map<std::uint64_t, std::size_t> by_plan;
};

PlanHeader read_plan(Shared& shared, std::uint64_t& read, std::uint64_t& key) {
  PlanHeader header;
  std::memcpy(static_cast<void*>(&header), &shared.plan_slot(read), sizeof header);
  std::vector<Delta> deltas(header.delta_count);
  for (std::uint32_t i = 0; i < header.delta_count; ++i)
    std::memcpy(&deltas[i], shared.plan_slot(read + 1 + i / kItemsPerSlot).bytes + i % kItemsPerSlot * sizeof(Delta),
                sizeof(Delta));
  key = key_of(deltas.data(), deltas.size());
  read += plan_slots(header);
  return header;
}

// Answers plans for ever, each with its stream.
[[noreturn]] void act(Shared& shared, const Answers& answers) {
  shared.status.preloaded_processes.fetch_add(1);
  shared.status.controller.store(getpid());
  shared.status.state.store(WorkerState::Branching);
  std::uint64_t written = 0, read = 0, key = 0;
  for (;;) {
    for (unsigned spins = 0; shared.plans.written.load() == read; ++spins)
      if (spins > 2000) wake_driver(shared), usleep(20);
    const PlanHeader header = read_plan(shared, read, key);
    const auto found = answers.by_plan.find(key);
    if (found == answers.by_plan.end()) _exit(0);
    const std::size_t begin = answers.begins[found->second], size = answers.begins[found->second + 1] - begin;
    while (written + size - shared.executions.read.load() > kExecutionSlots) wake_driver(shared);
    for (std::size_t i = 0; i < size; ++i) shared.record(written + i) = answers.records[begin + i];
    BeginRecord first;
    first.plan = header.id;
    std::memcpy(static_cast<void*>(&shared.record(written)), &first, sizeof first);
    written += size;
    shared.status.executions.fetch_add(1);
    shared.status.heartbeat.fetch_add(1);
    shared.executions.written.store(written);
    shared.plans.read.store(read);
    if (header.id % 32 == 0) wake_driver(shared);
  }
}

__attribute__((constructor)) void become_target() {
  const char* control = getenv(kControlVariable);
  const char* streams = getenv(kStreamsVariable);
  if (control == nullptr || streams == nullptr) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, atoi(control), 0);
  if (memory == MAP_FAILED) _exit(8);
  const auto* words = static_cast<const std::size_t*>(map_whole(streams));
  const std::size_t count = words[0];
  Answers answers{words + 1, reinterpret_cast<const Record*>(words + count + 2 + count), {}};
  for (std::size_t i = 0; i < count; ++i) answers.by_plan.emplace(words[count + 2 + i], i);
  act(*static_cast<Shared*>(memory), answers);
}

double run_once(const Target& target, RunOptions options, std::size_t schedules) {
  Observer silent;
  options.max_schedules = schedules;
  const double begin = thread_seconds();
  const Report report = run(target, options, silent);
  const double seconds = thread_seconds() - begin;
  if (report.schedules == schedules && report.no_verdict_reason.empty()) return seconds;
  fmt::print("{} schedules, {}: {}\n", report.schedules, words_of(report.stop_reason).name, report.no_verdict_reason);
  std::fflush(stdout);
  std::abort();
}

double run_seconds(const Workload& workload, const Streams& streams, unsigned rounds) {
  const int file = file_of(streams);
  setenv(kStreamsVariable, fmt::format("/proc/{}/fd/{}", getpid(), file).c_str(), 1);
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) std::abort();
  Target target;
  target.path = path;
  target.arguments = {path};
  target.library = "/lib/x86_64-linux-gnu/libm.so.6";  // anything that can be preloaded
  RunOptions options;
  options.command = {path};
  options.isolation = IsolationChoice::Fork;
  options.search_options["--max-preemptions"] = std::to_string(workload.bound);
  options.time_s = 600;
  options.workers = 1;
  std::vector<double> seconds;
  for (unsigned round = 0; round < rounds; ++round) {
    const double start_up = run_once(target, options, 1);
    const double whole = run_once(target, options, streams.count());
    seconds.push_back((whole - start_up) / static_cast<double>(streams.count() - 1));
  }
  close(file);
  return median(seconds);
}

void print_figure(const char* what, double seconds, double steps) {
  fmt::print("    {:5} {:9.0f}/s {:8.1f} ns each {:6.1f} ns a step\n", what, 1 / seconds, 1e9 * seconds,
             1e9 * seconds / steps);
  fflush(stdout);
}

void measure(const Workload& workload, unsigned rounds, std::string_view only) {
  const Streams streams = streams_of(workload);
  const auto count = static_cast<double>(streams.count());
  const double steps = static_cast<double>(streams.steps) / count;
  fmt::print("{}: {} executions of {:.1f} steps, {:.1f} records\n", workload.name, streams.count(), steps,
             static_cast<double>(streams.records.size()) / count);
  const auto wanted = [only](std::string_view figure) { return only.empty() || only == figure; };
  if (wanted("core")) print_figure("core", core_seconds(workload, streams, false, rounds), steps);
  if (wanted("hash")) print_figure("hash", core_seconds(workload, streams, true, rounds), steps);
  if (wanted("run") && workload.prefix == 0) print_figure("run", run_seconds(workload, streams, rounds), steps);
}

}  // namespace
}  // namespace heddle::bench

int main(int count, char** arguments) {
  using heddle::bench::Workload;
  const unsigned rounds = count > 1 ? static_cast<unsigned>(std::max(1, std::atoi(arguments[1]))) : 9;
  const Workload workloads[] = {{"2 tasks x 6 sections, bound 7", 2, 6, 7},
                                {"3 tasks x 6 sections, bound 3", 3, 6, 3},
                                {"2 tasks x 5 sections behind 2,000 steps, bound 3", 2, 5, 3, 1000},
                                {"the same with checkpoints", 2, 5, 3, 1000, true}};
  for (const Workload& workload : workloads) heddle::bench::measure(workload, rounds, count > 2 ? arguments[2] : "");
}
