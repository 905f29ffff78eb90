// Signals between processes: SIGCHLD, and what children send their parent.
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "check.h"

namespace {

volatile sig_atomic_t handled;
siginfo_t seen;

void note(int number, siginfo_t* information, void*) {
  handled = number;
  seen = *information;
}

void on(int number, int flags) {
  struct sigaction action = {};
  action.sa_sigaction = note;
  action.sa_flags = flags | SA_SIGINFO;
  sigaction(number, &action, nullptr);
}

sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

bool pends(int number) {
  sigset_t set;
  sigpending(&set);
  return sigismember(&set, number) == 1;
}

pid_t child_that_exits(int status) {
  const pid_t child = fork();
  if (child == 0) _exit(status);
  return child;
}

void check_handler() {
  on(SIGCHLD, SA_RESTART);
  handled = 0;
  pid_t child = child_that_exits(3);
  while (handled == 0) pause_ms(1);
  VALUE_OF("SIGCHLD", "a child has exited: the handler's signal", SIGCHLD, handled);
  VALUE_OF("SIGCHLD", "a child has exited: the code", CLD_EXITED, seen.si_code);
  VALUE_OF("SIGCHLD", "a child has exited: its status", 3, seen.si_status);
  HOLDS("SIGCHLD", "a child has exited: its process", seen.si_pid == child);
  int status = 0;
  VALUE_OF("waitpid", "behind SIGCHLD", 0, waitpid(child, &status, 0) - child);
  handled = 0;
  child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    for (;;) pause();
  }
  kill(child, SIGTERM);
  while (handled == 0) pause_ms(1);
  VALUE_OF("SIGCHLD", "a child was killed: the code", CLD_KILLED, seen.si_code);
  VALUE_OF("SIGCHLD", "a child was killed: the signal", SIGTERM, seen.si_status);
  waitpid(child, nullptr, 0);
  handled = 0;
  child = child_that_exits(0);
  waitpid(child, nullptr, 0);
  VALUE_OF("waitpid", "SIGCHLD has a handler: it has run when the child has been waited for", SIGCHLD, handled);
}

void check_waiting() {
  const sigset_t set = only(SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  handled = 0;
  pid_t child = child_that_exits(4);
  siginfo_t information;
  VALUE_OF("sigwaitinfo", "SIGCHLD", SIGCHLD, sigwaitinfo(&set, &information));
  HOLDS("sigwaitinfo", "SIGCHLD: the process", information.si_pid == child);
  VALUE_OF("sigwaitinfo", "SIGCHLD: the status", 4, information.si_status);
  VALUE_OF("sigwaitinfo", "SIGCHLD: handlers that have run", 0, handled);
  waitpid(child, nullptr, 0);
  const int descriptor = signalfd(-1, &set, 0);
  child = child_that_exits(5);
  signalfd_siginfo one;
  VALUE_OF("read", "signalfd, SIGCHLD", sizeof one, read(descriptor, &one, sizeof one));
  HOLDS("read", "signalfd, SIGCHLD: the process", one.ssi_pid == static_cast<unsigned>(child));
  VALUE_OF("read", "signalfd, SIGCHLD: the status", 5, one.ssi_status);
  VALUE_OF("read", "signalfd, SIGCHLD: the code", CLD_EXITED, one.ssi_code);
  waitpid(child, nullptr, 0);
  child = child_that_exits(0);
  pollfd entry = {descriptor, POLLIN, 0};
  VALUE_OF("poll", "signalfd, waits for SIGCHLD", 1, poll(&entry, 1, -1));
  waitpid(child, nullptr, 0);
  HOLDS("waitpid", "takes no SIGCHLD that is blocked", pends(SIGCHLD));
  const timespec now = {0, 0};
  sigtimedwait(&set, nullptr, &now);
  child = child_that_exits(0);
  sigset_t open;
  sigemptyset(&open);
  ERRNO_OF("sigsuspend", "SIGCHLD", EINTR, sigsuspend(&open));
  VALUE_OF("sigsuspend", "SIGCHLD: the handler has run", SIGCHLD, handled);
  waitpid(child, nullptr, 0);
  close(descriptor);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void check_automatic_reaping() {
  on(SIGCHLD, SA_NOCLDWAIT);
  handled = 0;
  child_that_exits(0);
  ERRNO_OF("wait", "SA_NOCLDWAIT", ECHILD, wait(nullptr));
  signal(SIGCHLD, SIG_IGN);
  child_that_exits(0);
  ERRNO_OF("wait", "SIGCHLD is ignored", ECHILD, wait(nullptr));
  signal(SIGCHLD, SIG_DFL);
}

void check_signals_of_children() {
  const sigset_t set = only(SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  pid_t child = fork();
  if (child == 0) {
    sigval value = {};
    value.sival_int = 21;
    sigqueue(getppid(), SIGUSR1, value);
    _exit(0);
  }
  siginfo_t information;
  VALUE_OF("sigwaitinfo", "a child's signal", SIGUSR1, sigwaitinfo(&set, &information));
  HOLDS("sigwaitinfo", "a child's signal: its process", information.si_pid == child);
  VALUE_OF("sigwaitinfo", "a child's signal: the value", 21, information.si_value.sival_int);
  waitpid(child, nullptr, 0);
  on(SIGUSR1, 0);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  handled = 0;
  child = fork();
  if (child == 0) {
    kill(getppid(), SIGUSR1);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  while (handled == 0) pause_ms(1);
  VALUE_OF("kill", "to the parent: its handler has run", SIGUSR1, handled);
  HOLDS("kill", "to the parent: who has sent it", seen.si_pid == child);
}

// Says by its status whether a signal is blocked as the program begins.
const char* const kProgram[] = {
    "sh", "-c", "exit $(awk '/SigBlk/ { print ($2 != \"0000000000000000\") }' /proc/self/status)", nullptr};

void execute() {
  execv("/bin/sh", const_cast<char* const*>(kProgram));
  _exit(99);
}

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int blocked_after_fork() {
  const pid_t child = fork();
  if (child == 0) execute();
  return status_of(child);
}

int blocked_after_vfork() {
  const pid_t child = vfork();
  if (child == 0) {
    execv("/bin/sh", const_cast<char* const*>(kProgram));
    _exit(99);
  }
  return status_of(child);
}

int blocked_after_spawn() {
  pid_t child = -1;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, const_cast<char* const*>(kProgram), environ) != 0) return -1;
  return status_of(child);
}

void check_masks_of_programs() {
  VALUE_OF("fork", "the program begins without signals blocked", 0, blocked_after_fork());
  VALUE_OF("vfork", "the program begins without signals blocked", 0, blocked_after_vfork());
  VALUE_OF("posix_spawn", "the program begins without signals blocked", 0, blocked_after_spawn());
  VALUE_OF("system", "the program begins without signals blocked", 0, WEXITSTATUS(system(kProgram[2])));
}

}  // namespace

int main() {
  begin_checks();
  check_handler();
  check_waiting();
  check_automatic_reaping();
  check_signals_of_children();
  check_masks_of_programs();
  return end_checks();
}
