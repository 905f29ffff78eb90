// setuid() and its kin: see credentials.h.
#include "runtime/world/credentials.h"

#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"

using namespace heddle;
using namespace heddle::runtime;

namespace {

constexpr long kAsItIs = -1;

int changed(const SystemCall& call) { return static_cast<int>(as_libc_returns(change_credentials(call))); }

// libc refuses what would mean "as it is" to the system call.
int change_effective(long number, id_t id) {
  return id == UINT32_MAX ? through_errno(EINVAL) : changed({number, {kAsItIs, id, kAsItIs}});
}

}  // namespace

HEDDLE_EXPORT int setuid(uid_t user) noexcept {
  return controlled() ? changed({SYS_setuid, {user}}) : real::setuid(user);
}

HEDDLE_EXPORT int setgid(gid_t group) noexcept {
  return controlled() ? changed({SYS_setgid, {group}}) : real::setgid(group);
}

HEDDLE_EXPORT int seteuid(uid_t user) noexcept {
  return controlled() ? change_effective(SYS_setresuid, user) : real::seteuid(user);
}

HEDDLE_EXPORT int setegid(gid_t group) noexcept {
  return controlled() ? change_effective(SYS_setresgid, group) : real::setegid(group);
}

HEDDLE_EXPORT int setreuid(uid_t user, uid_t effective) noexcept {
  return controlled() ? changed({SYS_setreuid, {user, effective}}) : real::setreuid(user, effective);
}

HEDDLE_EXPORT int setregid(gid_t group, gid_t effective) noexcept {
  return controlled() ? changed({SYS_setregid, {group, effective}}) : real::setregid(group, effective);
}

HEDDLE_EXPORT int setresuid(uid_t user, uid_t effective, uid_t saved) noexcept {
  return controlled() ? changed({SYS_setresuid, {user, effective, saved}}) : real::setresuid(user, effective, saved);
}

HEDDLE_EXPORT int setresgid(gid_t group, gid_t effective, gid_t saved) noexcept {
  return controlled() ? changed({SYS_setresgid, {group, effective, saved}}) : real::setresgid(group, effective, saved);
}

HEDDLE_EXPORT int setgroups(size_t count, const gid_t* groups) noexcept {
  if (!controlled()) return real::setgroups(count, groups);
  return changed({SYS_setgroups, {static_cast<long>(count), reinterpret_cast<long>(groups)}});
}

// libc's calls its own setgroups(), not the one above. Users in more groups than the kernel takes are in the first
// ones.
HEDDLE_EXPORT int initgroups(const char* user, gid_t group) {
  if (!controlled()) return real::initgroups(user, group);
  int count = 0;
  getgrouplist(user, group, nullptr, &count);
  const int room = count;
  auto* groups = static_cast<gid_t*>(os::allocate(static_cast<size_t>(room) * sizeof(gid_t)));
  if (getgrouplist(user, group, groups, &count) < 0) count = room;
  return setgroups(static_cast<size_t>(count), groups);
}
