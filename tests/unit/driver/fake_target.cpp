// See fake_target.h. It becomes the target before main(), when the variable by which a driver passes its region is set.
#include "driver/fake_target.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "driver/process/scratch.h"
#include "protocol/checksum.h"

namespace heddle::test {
namespace {

Shared* shared = nullptr;
std::string manner;
std::uint64_t held_back = 0;  // records that the driver is not shown yet
bool hold_back = false;
std::uint64_t sum = 0;  // of the records of the present execution

template <typename T>
void put(const T& record) {
  auto& ring = shared->executions;
  Record as_is;
  std::memcpy(static_cast<void*>(&as_is), &record, sizeof as_is);
  sum = (as_is.kind == RecordKind::Begin ? 0 : sum) + sum_of(as_is);
  shared->status.sum.store(sum);
  const std::uint64_t written = ring.written.load() + held_back;
  while (written - ring.read.load() == ring.slots) usleep(1000);
  std::memcpy(static_cast<void*>(&shared->record(written)), &record, sizeof record);
  if (hold_back) return void(++held_back);
  held_back = 0;
  ring.written.store(written + 1);
}

void put_steps(unsigned count) {
  StepRecord step;
  step.operation = OperationKind::Yield;
  for (unsigned i = 0; i < count; ++i) put(step);
}

void put_end(EndRecord end) {
  end.checksum = checksum_of(sum, end);
  put(end);
}

void put_end(EndKind kind, int status) {
  EndRecord end;
  end.end = kind;
  end.status = status;
  put_end(end);
}

// At most MessageRecord::kCapacity characters.
void put_message(MessageKind kind, const char* text) {
  MessageRecord message;
  message.message = kind;
  message.count = static_cast<std::uint8_t>(strnlen(text, sizeof message.text));
  message.last = 1;
  std::memcpy(message.text, text, message.count);
  put(message);
}

PlanHeader next_plan() {
  auto& ring = shared->plans;
  while (ring.written.load() == ring.read.load()) usleep(200);
  PlanHeader header;
  std::memcpy(static_cast<void*>(&header), &shared->plan_slot(ring.read.load()), sizeof header);
  ring.read.store(ring.read.load() + plan_slots(header));
  return header;
}

void begin(const PlanHeader& plan) {
  BeginRecord record;
  record.plan = plan.id;
  shared->status.executions.fetch_add(1);
  put(record);
}

void empty_output() {
  if (ftruncate(1, 0) != 0) _exit(9);
}

void wait_until_read() {
  while (shared->executions.read.load() != shared->executions.written.load()) usleep(200);
}

void reap(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  shared->status.executing.store(0);
  put_end(WIFSIGNALED(status) ? EndKind::Crashed : EndKind::Exited, status);
  if (status != 0) wait_until_read();
}

// Does something that only `undone_by` undoes, unless that is the isolation it runs under.
bool stopped_at_effect(EffectLevel level, IsolationKind undone_by) {
  if (shared->config.isolation == undone_by) return false;
  shared->status.effects.store(level);
  put_message(MessageKind::Effect, "opens a file (openat)");
  put_end(EndKind::Effect, 0);
  return true;
}

// Only one process of this test can do it at a time.
bool take_what_is_there_once() {
  const int socket_of_test = socket(AF_UNIX, SOCK_DGRAM, 0);  // open until the process ends
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "heddle-fake-target-%d", getppid());
  return bind(socket_of_test, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

// Every second start of one test is the first one.
bool started_before() {
  const std::string mark = "/tmp/heddle-fake-target-" + std::to_string(getppid());
  return mkdir(mark.c_str(), 0700) != 0 && rmdir(mark.c_str()) == 0;
}

bool first_of_all = false;

// One execution as this manner wants it.
// Plan 5 can't be followed, as often as the manner says. True: so it is now.
bool parts_from_plan(const PlanHeader& plan) {
  static unsigned tried = 0;
  const bool once = manner == "parts_once", twice = manner == "parts_twice", always = manner == "parts_always";
  if (plan.id != 5 || !(once || twice || always)) return false;
  if (++tried > (once ? 1u : twice ? 3u : 1000u)) return false;
  const bool goes_on = (plan.flags & PlanFlags::FinishFreely) != 0;
  put_steps(1);
  put_message(MessageKind::Input, "the weather");
  put_message(MessageKind::Divergence, "not possible");
  if (goes_on) put_steps(2);
  put_end(goes_on ? EndKind::Exited : EndKind::Diverged, 0);
  return true;
}

// Plans 5 and 6 can't be followed at first. With one process for all, the driver sees both of that at once.
bool two_part_from_plans(const PlanHeader& plan) {
  const bool first = (plan.flags & PlanFlags::Afresh) == 0;
  if (manner != "two_part" || !first || (plan.id != 5 && plan.id != 6)) return false;
  hold_back = plan.id == 5 && shared->config.isolation != IsolationKind::Exec;
  put_steps(1);
  put_end(EndKind::Diverged, 0);
  return true;
}

void put_step_of(TaskId task, std::uint8_t flags, std::uint8_t state_of_0, std::uint8_t state_of_1) {
  ChangesRecord changes;
  changes.count = 2;
  changes.changes[0] = {0, state_of_0, 0};
  changes.changes[1] = {1, state_of_1, 0};
  put(changes);
  StepRecord step;
  step.operation = OperationKind::MemoryWrite;
  step.task = task;
  step.flags = flags;
  put(step);
}

void put_race(std::uint64_t address, Site site) {
  RaceRecord race;
  race.flags = RaceFlags::Write;
  race.task = 1;
  race.size = 4;
  race.address = address;
  race.site = site;
  race.step = 1;
  put(race);
  race.flags = RaceFlags::Write | RaceFlags::Later;
  race.task = 0;
  race.site = site + 0x100;
  put(race);
}

// Two tasks with a step each. They race where the second one comes first, which takes a preemption.
void race_when_preempted(const PlanHeader& plan) {
  const TaskId first = plan.delta_count == 0 ? 0 : 1, second = 1 - first;
  put_step_of(first, StepFlags::SwitchCosts, TaskState::Eligible, TaskState::Eligible);
  if (first == 1) {
    put_race(0x5000, 0x4000);
    if (manner == "races_twice_when_preempted") put_race(0x6000, 0x4200);
  }
  put_step_of(second, 0, second == 0 ? TaskState::Eligible : 0, second == 1 ? TaskState::Eligible : 0);
  EndRecord end;
  end.end = EndKind::Exited;
  end.tasks = 2;
  end.preemptions = first;
  put_end(end);
}

void run_one(const PlanHeader& plan, unsigned number) {
  if (manner == "skips" && number % 3 == 0) return;
  empty_output();
  begin(plan);
  if (manner == "fails_an_assertion" && number == 3) {
    std::strcpy(shared->status.failed_assertion, "a task is in one queue (n < 2, at src/model/queue.cpp:9)");
    shared->status.assertion_failed.store(1);
    _exit(134);
  }
  if (manner == "dies" && number == 3 && plan.id == 3) raise(SIGKILL);
  if (manner == "dies_always") raise(SIGKILL);
  if (manner == "scribbles") shared->executions.written.store(~std::uint64_t{0} / 2);
  if (manner == "opens" && stopped_at_effect(EffectLevel::Fork, IsolationKind::Fork)) return;
  if (manner == "changes_files" && stopped_at_effect(EffectLevel::Exec, IsolationKind::Exec)) return;
  if (manner == "races_when_preempted" || manner == "races_twice_when_preempted") return race_when_preempted(plan);
  if (parts_from_plan(plan) || two_part_from_plans(plan)) return;
  unsigned steps = manner == "other_elsewhere" && !first_of_all ? 3 : 2;
  if (manner == "fickle" || (manner == "settles" && number < 3)) {
    put_message(MessageKind::Input, "the weather");
    steps += number % 4;
  }
  if (manner == "unfaithful" && (plan.flags & PlanFlags::OwnProcess) != 0) put_steps(1);
  if (manner == "hangs" || manner == "burns") {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      shared->status.executing.store(getpid());
      while (manner == "burns") shared->status.running_task.store(1);
      pause();
    }
    return reap(child);
  }
  put_steps(steps);
  const bool on_snapshot =
      shared->config.isolation == IsolationKind::Snapshot && (plan.flags & PlanFlags::OwnProcess) == 0;
  const bool unfaithful = manner == "fails_on_snapshots" || manner == "fails_on_snapshots_and_truly";
  const bool truly = manner == "fails_on_snapshots_and_truly" && plan.id == 4;
  const bool fails = manner == "fails" || truly || (unfaithful && on_snapshot && plan.id % 3 == 0) ||
                     (manner == "fails_in_first_process" && first_of_all);
  if (!fails) return put_end(EndKind::Exited, 0);
  dprintf(1, "output of plan %llu\n", static_cast<unsigned long long>(plan.id));
  put_end(EndKind::Exited, (truly ? 4 : 3) << 8);
  wait_until_read();
}

[[noreturn]] void act() {
  shared->status.preloaded_processes.fetch_add(1);
  if (manner == "quiet") {
    dprintf(1, "hello\n");
    _exit(5);
  }
  if (manner == "alone" && !take_what_is_there_once()) _exit(5);
  if (manner == "other_elsewhere" || manner == "fails_in_first_process") first_of_all = take_what_is_there_once();
  if (manner == "never_branches") pause();
  if (manner == "killed_always" || (manner == "killed_once" && !started_before())) raise(SIGKILL);
  shared->status.controller.store(getpid());
  shared->status.state.store(WorkerState::Branching);
  if (manner == "exits_with_3") {
    begin(next_plan());
    put_steps(2);
    dprintf(1, "on its own\n");
    _exit(3);
  }
  for (unsigned number = 1;; ++number) run_one(next_plan(), number);
}

__attribute__((constructor)) void become_target(int count, char** arguments, char**) {
  const char* control = getenv(kControlVariable);
  if (control == nullptr || count < 2) return;
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, atoi(control), 0);
  if (memory == MAP_FAILED) _exit(8);
  shared = static_cast<Shared*>(memory);
  manner = arguments[1];
  act();
}

}  // namespace

Target fake_target(const std::string& wanted) {
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) std::abort();
  Target target;
  target.path = path;
  target.arguments = {path, wanted};
  target.library = "/lib/x86_64-linux-gnu/libm.so.6";  // anything that can be preloaded
  target.folder = names_here();
#ifdef __SANITIZE_ADDRESS__
  target.address_sanitizer = true;
#endif
  return target;
}

}  // namespace heddle::test
