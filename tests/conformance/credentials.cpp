// Users and groups of the process: what one thread sets holds for all.
#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>

#include "check.h"

namespace {

constexpr uid_t kOther = 12345, kNobodys = 23456;
constexpr uid_t kNone = static_cast<uid_t>(-1);
const bool is_root = geteuid() == 0;

// Only root may do what these say.
void root_only(const char* function, const char* condition, int result) {
  HOLDS(function, condition, (result == 0) == is_root);
}

void check_own() {
  ERRNO_OF("setuid", "the one that it has", 0, setuid(getuid()));
  ERRNO_OF("setgid", "the one that it has", 0, setgid(getgid()));
  ERRNO_OF("seteuid", "the one that it has", 0, seteuid(geteuid()));
  ERRNO_OF("setegid", "the one that it has", 0, setegid(getegid()));
  ERRNO_OF("setreuid", "those that it has", 0, setreuid(getuid(), geteuid()));
  ERRNO_OF("setregid", "those that it has", 0, setregid(getgid(), getegid()));
  ERRNO_OF("setresuid", "those that it has", 0, setresuid(getuid(), geteuid(), geteuid()));
  ERRNO_OF("setresgid", "those that it has", 0, setresgid(getgid(), getegid(), getegid()));
  ERRNO_OF("setuid", "from another thread, this one alive", 0,
           elsewhere([] { return setuid(getuid()) == 0 ? 0 : -1; }));
  ERRNO_OF("setgid", "from another thread, this one alive", 0,
           elsewhere([] { return setgid(getgid()) == 0 ? 0 : -1; }));
}

void check_none() {
  ERRNO_OF("setuid", "-1 is no user", EINVAL, setuid(kNone));
  ERRNO_OF("setgid", "-1 is no group", EINVAL, setgid(kNone));
  ERRNO_OF("seteuid", "-1 is no user", EINVAL, seteuid(kNone));
  ERRNO_OF("setegid", "-1 is no group", EINVAL, setegid(kNone));
  ERRNO_OF("setreuid", "-1 leaves both", 0, setreuid(kNone, kNone));
  ERRNO_OF("setregid", "-1 leaves both", 0, setregid(kNone, kNone));
  ERRNO_OF("setresuid", "-1 leaves all", 0, setresuid(kNone, kNone, kNone));
  ERRNO_OF("setresgid", "-1 leaves all", 0, setresgid(kNone, kNone, kNone));
}

void check_groups() {
  const gid_t groups[] = {kOther, kNobodys};
  root_only("setgroups", "two groups", setgroups(2, groups));
  gid_t seen[100] = {};
  const int count = getgroups(100, seen);
  HOLDS("setgroups", "they are told of", !is_root || (count == 2 && seen[0] == kOther && seen[1] == kNobodys));
  HOLDS("setgroups", "in another thread, too", elsewhere([] { return getgroups(0, nullptr); }) == count);
  ERRNO_OF("setgroups", "too many", is_root ? EINVAL : EPERM, setgroups(1 << 20, groups));
  ERRNO_OF("setgroups", "a wild list", is_root ? EFAULT : EPERM, setgroups(2, static_cast<const gid_t*>(kWild)));
  const passwd* const own = getpwuid(getuid());
  const char* const name = own != nullptr ? own->pw_name : "root";
  root_only("initgroups", "those of the user", initgroups(name, kOther));
  HOLDS("initgroups", "the given one is among them", [&] {
    const int all = getgroups(100, seen);
    for (int i = 0; i < all; ++i)
      if (seen[i] == kOther) return true;
    return !is_root;
  }());
  root_only("initgroups", "of a user that there is not", initgroups("no such user", kNobodys));
  HOLDS("initgroups", "then the given one only", !is_root || (getgroups(100, seen) == 1 && seen[0] == kNobodys));
}

void check_other_groups() {
  root_only("setegid", "another", setegid(kOther));
  HOLDS("setegid", "the real one stays", getgid() != kOther && (getegid() == kOther) == is_root);
  ERRNO_OF("setegid", "back", 0, setegid(getgid()));
  root_only("setregid", "the effective one only", setregid(kNone, kOther));
  HOLDS("setregid", "in another thread, too", (elsewhere([] { return getegid() == kOther; }) == 1) == is_root);
  root_only("setresgid", "three of them", setresgid(kOther, kNobodys, kOther));
  gid_t real, effective, saved;
  getresgid(&real, &effective, &saved);
  HOLDS("setresgid", "all three are told of", !is_root || (real == kOther && effective == kNobodys && saved == kOther));
  root_only("setgid", "all at once", setgid(kOther));
  getresgid(&real, &effective, &saved);
  HOLDS("setgid", "all three", !is_root || (real == kOther && effective == kOther && saved == kOther));
}

// With two other threads alive: one that waits, and the one that makes the call.
void check_other_users() {
  Gate gate;
  Thread waiting([&gate] {
    gate.pass();
    return geteuid() == kOther ? 1 : 0;
  });
  root_only("seteuid", "another, from another thread", elsewhere([] { return seteuid(kOther); }));
  HOLDS("seteuid", "it holds here", (geteuid() == kOther) == is_root);
  gate.open();
  HOLDS("seteuid", "and where a thread waited", (waiting.result() == 1) == is_root);
  HOLDS("seteuid", "a new thread has it", (elsewhere([] { return geteuid() == kOther; }) == 1) == is_root);
  ERRNO_OF("seteuid", "back", 0, seteuid(getuid()));
  root_only("setreuid", "the effective one only", setreuid(kNone, kOther));
  HOLDS("setreuid", "in another thread, too", (elsewhere([] { return geteuid() == kOther; }) == 1) == is_root);
  ERRNO_OF("setreuid", "back", 0, setreuid(kNone, getuid()));
  root_only("setresuid", "without a way back", setresuid(kOther, kOther, kOther));
  ERRNO_OF("setresuid", "there is none", EPERM, setresuid(kNone, kNobodys, kNone));
  HOLDS("setuid", "nor by this", setuid(kNobodys) == -1 && errno == EPERM);
  HOLDS("setuid", "nor in another thread", elsewhere([] { return setuid(kNobodys); }) == -1);
  ERRNO_OF("setgroups", "no longer allowed", EPERM, setgroups(0, nullptr));
}

}  // namespace

int main() {
  begin_checks();
  check_own();
  check_none();
  check_groups();
  check_other_groups();
  check_other_users();
  return end_checks();
}
