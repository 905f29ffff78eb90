// Waiting for child processes: a step that can be taken once the kernel says that a child has ended. The children
// belong to the world outside: Heddle does not control when they end. So that executions still repeat, a child that is
// waited for gets a moment of real time to run to its end. After that it is looked at only when no task can go on.
#include "runtime/system_calls/child_waits.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "model/outside.h"
#include "runtime/calls/dispatch.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/clock.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/progress.h"
#include "runtime/world/relatives.h"
#include "runtime/world/signals/outside.h"

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kLook = 1'000'000;  // between two looks
// So long a child gets to run to its end by itself: until it was asleep at so many looks in a row, or has used so many
// hundredths of a second of the processor. Not by the clock: on a busy machine that says nothing of the child.
struct Moment {
  int seems_asleep;
  long ticks;
};
constexpr Moment kMoment{60, 50};
constexpr Moment kMomentForPolls{5, 5};  // for a call that does not block
constexpr int kStates = WEXITED | WSTOPPED | WCONTINUED;
constexpr int kKinds = __WALL | __WCLONE | __WNOTHREAD;

struct Wanted {
  idtype_t type = P_ALL;
  id_t id = 0;
  int options = 0;  // as for waitid()
};

struct ExecutionChildWaits {
  bool noted = false;
};
constinit ExecutionChildWaits execution_child_waits{};

// Would the call return at once: a child has ended, or there is none to wait for?
bool is_ready(const Wanted& wanted) {
  siginfo_t info;
  info.si_pid = 0;
  const int options = (wanted.options & (kStates | kKinds)) | WNOHANG | WNOWAIT;
  const long result =
      os::system_call(SYS_waitid, wanted.type, static_cast<long>(wanted.id), reinterpret_cast<long>(&info), options);
  return result != 0 || info.si_pid != 0;
}

// False: it waits for a child that itself waits for ever.
bool may_get_ready(const Wanted& wanted) { return wanted.type != P_PID || !hangs(static_cast<int>(wanted.id)); }

void pause_for(Nanoseconds duration) {
  const timespec time{duration / 1'000'000'000, duration % 1'000'000'000};
  os::system_call(SYS_nanosleep, reinterpret_cast<long>(&time), 0);
}

// One that rests goes on only when we do.
void give_a_moment(const Wanted& wanted, const Moment& moment) {
  ask_relatives();
  Nanoseconds step = kLook / 32;
  for (int asleep = 0; asleep < moment.seems_asleep && !is_ready(wanted) && may_get_ready(wanted);) {
    pause_for(step);
    if (step < kLook) step *= 2;
    beat();
    const Progress progress = wanted.type == P_PID ? progress_of(static_cast<int>(wanted.id)) : progress_of_children();
    if (progress.ticks >= moment.ticks || (progress.alive && !progress.awake)) return;
    asleep = progress.busy ? 0 : asleep + 1;
  }
}

void was_waited_for(int process, Site site) {
  catch_up_with(process);
  forget_relative(process);
  child_was_reaped(process, site);
}

// Repeats until `call` gives something: its result is 0 while the child lives.
template <typename Call>
long wait_and_call(const Wanted& wanted, bool blocks, Site site, Call call) {
  about_to_wait_for_process();
  give_a_moment(wanted, blocks ? kMoment : kMomentForPolls);
  if (!blocks) {
    const long result = call();
    if (result > 0) was_waited_for(static_cast<int>(result), site);
    if (result == 0) perform(OperationKind::Yield, kNoObject, site);  // whoever asks in a loop lets the others go on
    return result;
  }
  for (;;) {
    model::Operation wait = operation(OperationKind::ProcessWait, kNoObject, site);
    wait.argument = is_ready(wanted) ? 0 : model::kNotReady;
    wait.interruptible = restarted_by_signals(kNoDeadline);
    TaskData& data = current_data();
    const void* const interrupted = data.child_wait;  // by the handler of a signal that we are called from
    data.child_wait = &wanted;
    const int error = perform(wait);
    data.child_wait = interrupted;
    if (error != 0) return -error;
    const long result = call();
    if (result > 0) was_waited_for(static_cast<int>(result), site);
    if (result != 0) return result;
  }
}

Wanted wanted_by(long process, long options) {
  Wanted wanted;
  wanted.options = static_cast<int>(options & kKinds) | WEXITED;
  if ((options & WUNTRACED) != 0) wanted.options |= WSTOPPED;
  if ((options & WCONTINUED) != 0) wanted.options |= WCONTINUED;
  wanted.type = process > 0 ? P_PID : process == -1 ? P_ALL : P_PGID;
  wanted.id = static_cast<id_t>(process > 0 ? process : process < -1 ? -process : 0);
  return wanted;
}

// The wait of a task that stands at one; null: it does not.
const Wanted* wait_of(TaskId id) {
  const model::Task& task = runtime.world->task(id);
  if (task.ended || !task.published || task.pending.kind != OperationKind::ProcessWait) return nullptr;
  return static_cast<const Wanted*>(runtime.tasks[id].child_wait);
}

struct Waits {
  bool ready = false;     // somebody can go on
  bool possible = false;  // somebody may
};

Waits check_children() {
  Waits waits;
  for (std::uint32_t i = 0; i < runtime.world->population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const Wanted* wanted = wait_of(id);
    if (wanted == nullptr) continue;
    if (is_ready(*wanted)) {
      model::set_ready(*runtime.world, id, true);
      waits.ready = true;
    }
    waits.possible = waits.possible || may_get_ready(*wanted);
  }
  return waits;
}

void say_that_it_waits() {
  if (execution_child_waits.noted) return;
  execution_child_waits.noted = true;
  note("the program waited for a child process: Heddle does not control when that ends");
  publish_records();
}

// Whoever is waited for goes on later than a timeout of ours.
bool only_relatives_go_on_by(Nanoseconds deadline) {
  return deadline != kNoDeadline && has_timed_relatives() && !progress_of_children().awake && may_pass_to(deadline);
}

}  // namespace

long wait_for_child(const long* a, Site site) {
  before_kernel_writes(static_cast<std::uintptr_t>(a[1]), sizeof(int));
  before_kernel_writes(static_cast<std::uintptr_t>(a[3]), sizeof(rusage));
  const long kept = a[2] & (WNOHANG | WUNTRACED | WCONTINUED | kKinds);
  const auto call = [&] { return os::system_call(SYS_wait4, a[0], a[1], kept | WNOHANG, a[3]); };
  if (kept != a[2] || a[0] == INT32_MIN) return os::system_call(SYS_wait4, a[0], a[1], a[2], a[3]);  // refused
  return wait_and_call(wanted_by(a[0], a[2]), (a[2] & WNOHANG) == 0, site, call);
}

long wait_for_child_id(const long* a, Site site) {
  const Wanted wanted{static_cast<idtype_t>(a[0]), static_cast<id_t>(a[1]), static_cast<int>(a[3])};
  auto* info = reinterpret_cast<siginfo_t*>(a[2]);
  if (info != nullptr && !can_write(info)) return -EFAULT;
  before_kernel_writes(static_cast<std::uintptr_t>(a[4]), sizeof(rusage));
  bool found = false;
  const auto call = [&]() -> long {
    siginfo_t own;
    own.si_pid = 0;
    siginfo_t* filled = info != nullptr ? info : &own;
    if (info != nullptr) info->si_pid = 0;
    const long result = os::system_call(SYS_waitid, a[0], a[1], reinterpret_cast<long>(filled), a[3] | WNOHANG, a[4]);
    found = result != 0 || filled->si_pid != 0;
    return found ? (result != 0 ? result : filled->si_pid) : 0;
  };
  const bool known = (a[3] & ~(kStates | kKinds | WNOHANG | WNOWAIT)) == 0 && (a[3] & kStates) != 0;
  if (!known || a[0] < P_ALL || a[0] > P_PIDFD) return os::system_call(SYS_waitid, a[0], a[1], a[2], a[3], a[4]);
  const long result = wait_and_call(wanted, (a[3] & WNOHANG) == 0, site, call);
  return result > 0 ? 0 : result;
}

bool child_is_ready() { return check_children().ready; }

bool wait_for_children() {
  Waits waits = check_children();
  if (waits.ready || !waits.possible) return waits.ready;
  say_that_it_waits();
  const Nanoseconds deadline = runtime.world->clock().earliest_deadline(runtime.world->population());
  const Nanoseconds begin = os::kernel_clock(CLOCK_MONOTONIC);
  const Nanoseconds longest = deadline == kNoDeadline ? kNoDeadline : deadline - runtime.world->clock().now();
  Nanoseconds pause = kLook / 32;
  while (waits.possible && !waits.ready && os::kernel_clock(CLOCK_MONOTONIC) - begin < longest) {
    pause_for(pause);
    if (pause < kLook) pause *= 2;
    beat();
    const std::uint32_t question = present_question();
    waits = check_children();
    if (take_outside_signals()) return true;
    if (!waits.ready) looked_in_vain(question);
    if (!waits.ready && only_relatives_go_on_by(deadline)) break;
  }
  return waits.ready;
}

// waitpid() and its kin; also those in system() and pclose().
long perform_wait(const SystemCall& call, Site site) { return wait_for_child(call.arguments, site); }
long perform_wait_by_id(const SystemCall& call, Site site) { return wait_for_child_id(call.arguments, site); }

}  // namespace heddle::runtime
