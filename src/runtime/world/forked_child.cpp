// See forked_child.h. What a child reports stands in the memory shared with the driver (ChildNews).
#include "runtime/world/forked_child.h"

#include <signal.h>

#include <algorithm>
#include <iterator>

#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

struct ProcessFork {
  bool forked = false;
  long by = 0, session_of_parent = 0;
};
constinit ProcessFork process_fork{};

void tell(ChildNews::Item& item, OperationKind operation, Site site) {
  std::uint32_t nothing = ChildNews::kNothing;
  if (!item.state.compare_exchange_strong(nothing, ChildNews::kBeingWritten)) return;
  item.operation = operation;
  item.site = site;
  item.state.store(ChildNews::kWritten);
}

}  // namespace

void note_forked() {
  process_fork.forked = true;
  process_fork.by = os::system_call(SYS_getppid);
  process_fork.session_of_parent = os::system_call(SYS_getsid, 0);
}

bool is_forked_child() { return process_fork.forked; }

bool belongs_to_parent() {
  return process_fork.forked && config.follow_fork == 0 && os::system_call(SYS_getppid) == process_fork.by &&
         os::system_call(SYS_getsid, 0) == process_fork.session_of_parent;
}

void hang() {
  if (runtime.shared != nullptr) {
    ChildNews& news = runtime.shared->child_news;
    const model::Operation& pending = runtime.world->task(runtime.current).pending;
    const std::uint32_t place = news.hung_count.fetch_add(1) % ChildNews::kMaxHung;
    news.hung_processes[place].store(os::process_id());
    tell(news.hung, pending.kind, pending.site);
  }
  let_held_signals_in();
  for (;;) os::system_call(SYS_pause);
}

void die_of_misuse() {
  const model::Operation& pending = runtime.world->task(runtime.current).pending;
  if (runtime.shared != nullptr) tell(runtime.shared->child_news.misused, pending.kind, pending.site);
  os::set_default_action(SIGABRT);
  os::replace_signal_mask(0);
  os::system_call(SYS_tgkill, os::process_id(), os::system_call(SYS_gettid), SIGABRT);
  os::exit_process(128 + SIGABRT);
}

void tell_of_threads(Site site) {
  if (runtime.shared != nullptr) tell(runtime.shared->child_news.threaded, OperationKind::ThreadCreate, site);
}

bool hangs(int process) {
  const auto& hung = runtime.shared->child_news.hung_processes;
  return std::any_of(std::begin(hung), std::end(hung),
                     [process](const auto& one) { return one.load(std::memory_order_relaxed) == process; });
}

}  // namespace heddle::runtime
