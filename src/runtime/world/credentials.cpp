// See credentials.h.
#include "runtime/world/credentials.h"

#include <string.h>
#include <sys/types.h>

#include <algorithm>

#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/death_signal.h"

namespace heddle::runtime {

// One that was made while there were other kernel threads.
struct CredentialChange {
  SystemCall call;
  CredentialChange* next;
};

namespace {

struct ExecutionCredentials {
  CredentialChange* first_change = nullptr;
  CredentialChange* last_change = nullptr;
};
constinit ExecutionCredentials execution_credentials{};

long make(const SystemCall& call) {
  const long* const a = call.arguments;
  const long result = os::system_call(call.number, a[0], a[1], a[2]);
  if (result == 0) keep_death_signal();
  return result;
}

// In the order in which they were made: what may be done depends on what was done before.
void remember(const SystemCall& call) {
  auto* change = static_cast<CredentialChange*>(os::allocate(sizeof(CredentialChange)));
  *change = {call, nullptr};
  if (call.number == SYS_setgroups) {
    const std::size_t bytes = static_cast<std::size_t>(call.arguments[0]) * sizeof(gid_t);
    void* const groups = os::allocate(bytes + 1);
    memcpy(groups, reinterpret_cast<const void*>(call.arguments[1]), bytes);
    change->call.arguments[1] = reinterpret_cast<long>(groups);
  }
  (execution_credentials.last_change != nullptr ? execution_credentials.last_change->next
                                                : execution_credentials.first_change) = change;
  execution_credentials.last_change = change;
  current_data().credentials = change;
}

struct Ids {
  std::uint32_t real, effective, saved, of_files;
};

Ids present_ids(bool users) {
  Ids ids{};
  os::system_call(users ? SYS_getresuid : SYS_getresgid, reinterpret_cast<long>(&ids.real),
                  reinterpret_cast<long>(&ids.effective), reinterpret_cast<long>(&ids.saved));
  constexpr long kAsk = -1;
  ids.of_files = static_cast<std::uint32_t>(os::system_call(users ? SYS_setfsuid : SYS_setfsgid, kAsk));
  return ids;
}

bool would_change_ids(const SystemCall& call, bool users) {
  const Ids ids = present_ids(users);
  const auto differs = [&](int argument, std::uint32_t from) {
    const auto wanted = static_cast<std::uint32_t>(call.arguments[argument]);
    return wanted != UINT32_MAX && wanted != from;
  };
  if (ids.of_files != ids.effective) return true;
  if (call.number == SYS_setresuid || call.number == SYS_setresgid)
    return differs(0, ids.real) || differs(1, ids.effective) || differs(2, ids.saved);
  const bool are_equal = ids.real == ids.effective && ids.real == ids.saved;
  const bool has_two = call.number == SYS_setreuid || call.number == SYS_setregid;
  return !are_equal || differs(0, ids.real) || (has_two && differs(1, ids.real));
}

bool would_change_groups(const SystemCall& call) {
  constexpr long kMax = 256;
  gid_t groups[kMax];
  const long count = os::system_call(SYS_getgroups, kMax, reinterpret_cast<long>(groups));
  if (count < 0 || count != call.arguments[0]) return true;
  if (!is_readable(call.arguments[1], count * static_cast<long>(sizeof(gid_t)))) return false;  // it will be refused
  return !std::equal(groups, groups + count, reinterpret_cast<const gid_t*>(call.arguments[1]));
}

}  // namespace

bool would_change_credentials(const SystemCall& call) {
  switch (call.number) {
    case SYS_setgroups:
      return would_change_groups(call);
    case SYS_setuid:
    case SYS_setreuid:
    case SYS_setresuid:
      return would_change_ids(call, true);
    default:
      return would_change_ids(call, false);
  }
}

long change_credentials(const SystemCall& call) {
  if (runtime.mode == Mode::Branching) judge_effect(call);
  const long result = make(call);
  if (result == 0 && config.carrier == CarrierKind::Thread) remember(call);
  return result;
}

void inherit_credentials(TaskData& made) { made.credentials = execution_credentials.last_change; }

void follow_credentials() {
  TaskData& own = current_data();
  CredentialChange* next = own.credentials != nullptr ? own.credentials->next : execution_credentials.first_change;
  for (; next != nullptr; next = next->next) {
    make(next->call);
    own.credentials = next;
  }
}

}  // namespace heddle::runtime
