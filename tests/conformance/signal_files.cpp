// signalfd: signals that are read from a descriptor.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "check.h"

namespace {

sigset_t of(std::initializer_list<int> numbers) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : numbers) sigaddset(&set, number);
  return set;
}

bool pends(int number) {
  sigset_t set;
  sigpending(&set);
  return sigismember(&set, number) == 1;
}

sigval with(int value) {
  sigval made = {};
  made.sival_int = value;
  return made;
}

int polled(int descriptor) {
  pollfd entry = {descriptor, POLLIN, 0};
  return poll(&entry, 1, 0);
}

constexpr long kSize = sizeof(signalfd_siginfo);

void check_creation(int descriptor) {
  const sigset_t set = of({SIGUSR1});
  HOLDS("signalfd", "a new one", descriptor >= 0);
  HOLDS("signalfd", "SFD_NONBLOCK", (fcntl(descriptor, F_GETFL) & O_NONBLOCK) != 0);
  const int closes = signalfd(-1, &set, SFD_CLOEXEC);
  HOLDS("signalfd", "SFD_CLOEXEC", (fcntl(closes, F_GETFD) & FD_CLOEXEC) != 0);
  HOLDS("signalfd", "without SFD_NONBLOCK", (fcntl(closes, F_GETFL) & O_NONBLOCK) == 0);
  ERRNO_OF("close", "signalfd", 0, close(closes));
  ERRNO_OF("signalfd", "flags that are none", EINVAL, signalfd(-1, &set, 0x1234567));
  ERRNO_OF("signalfd", "a descriptor of another kind", EINVAL, signalfd(STDOUT_FILENO, &set, 0));
  ERRNO_OF("signalfd", "a closed descriptor", EBADF, signalfd(closes, &set, 0));
  ERRNO_OF("signalfd", "a set that is nowhere", EFAULT, signalfd(-1, static_cast<sigset_t*>(kWild), 0));
}

void check_reading(int descriptor) {
  signalfd_siginfo read_[3] = {};
  ERRNO_OF("read", "signalfd, nothing pends", EAGAIN, read(descriptor, read_, kSize));
  ERRNO_OF("read", "signalfd, too small a buffer", EINVAL, read(descriptor, read_, kSize - 1));
  ERRNO_OF("write", "signalfd", EINVAL, write(descriptor, read_, kSize));
  VALUE_OF("poll", "signalfd, nothing pends", 0, polled(descriptor));
  raise(SIGUSR2);
  HOLDS("signalfd", "the signal pends until it is read", pends(SIGUSR2));
  VALUE_OF("poll", "signalfd, a signal pends", 1, polled(descriptor));
  VALUE_OF("read", "signalfd, a signal pends", kSize, read(descriptor, read_, sizeof read_));
  VALUE_OF("read", "signalfd, raise: the signal", SIGUSR2, read_[0].ssi_signo);
  VALUE_OF("read", "signalfd, raise: the code", SI_TKILL, read_[0].ssi_code);
  VALUE_OF("read", "signalfd, raise: the process", 0, read_[0].ssi_pid - getpid());
  HOLDS("signalfd", "the signal no longer pends when it has been read", !pends(SIGUSR2));
  VALUE_OF("poll", "signalfd, the signal has been read", 0, polled(descriptor));
  ERRNO_OF("read", "signalfd, the signal has been read", EAGAIN, read(descriptor, read_, kSize));
  kill(getpid(), SIGUSR1);
  kill(getpid(), SIGUSR1);
  sigqueue(getpid(), SIGRTMIN + 1, with(11));
  sigqueue(getpid(), SIGRTMIN + 1, with(12));
  VALUE_OF("read", "signalfd, room for three of four", 3 * kSize, read(descriptor, read_, sizeof read_));
  VALUE_OF("read", "signalfd, the lowest number comes first", SIGUSR1, read_[0].ssi_signo);
  VALUE_OF("read", "signalfd, kill: the code", SI_USER, read_[0].ssi_code);
  VALUE_OF("read", "signalfd, a standard signal that was sent twice merges", SIGRTMIN + 1, read_[1].ssi_signo);
  VALUE_OF("read", "signalfd, sigqueue: the value", 11, read_[1].ssi_int);
  VALUE_OF("read", "signalfd, sigqueue: the code", SI_QUEUE, read_[1].ssi_code);
  VALUE_OF("read", "signalfd, real-time signals keep their order", 12, read_[2].ssi_int);
}

void check_change(int descriptor) {
  const sigset_t other = of({SIGHUP}), all = of({SIGUSR1, SIGUSR2, SIGHUP, SIGRTMIN + 1});
  signalfd_siginfo one;
  raise(SIGUSR1);
  VALUE_OF("signalfd", "another set: the same descriptor", descriptor, signalfd(descriptor, &other, 0));
  VALUE_OF("poll", "signalfd, what pends is not in the set", 0, polled(descriptor));
  ERRNO_OF("read", "signalfd, what pends is not in the set", EAGAIN, read(descriptor, &one, sizeof one));
  signalfd(descriptor, &all, 0);
  VALUE_OF("read", "signalfd, in the set again", kSize, read(descriptor, &one, sizeof one));
}

void check_other_threads(int descriptor) {
  signalfd_siginfo one;
  raise(SIGUSR1);
  VALUE_OF("poll", "signalfd, a signal of another thread", 0, elsewhere([&] { return polled(descriptor); }));
  VALUE_OF("poll", "signalfd, a signal of this thread", 1, polled(descriptor));
  read(descriptor, &one, sizeof one);
  kill(getpid(), SIGUSR1);
  VALUE_OF("read", "signalfd, a signal of the process, another thread", kSize, elsewhere([&] {
             signalfd_siginfo own;
             return static_cast<int>(read(descriptor, &own, sizeof own));
           }));
  HOLDS("read", "signalfd, a signal of the process is taken once", read(descriptor, &one, sizeof one) == -1);
  const int copy = dup(descriptor);
  kill(getpid(), SIGUSR2);
  VALUE_OF("read", "a copy of a signalfd", kSize, read(copy, &one, sizeof one));
  close(copy);
}

void check_waiting() {
  const sigset_t set = of({SIGUSR1});
  static int descriptor = signalfd(-1, &set, 0);
  Thread reader([] {
    signalfd_siginfo one;
    return read(descriptor, &one, sizeof one) == kSize ? static_cast<int>(one.ssi_signo) : -1;
  });
  kill(getpid(), SIGUSR1);
  VALUE_OF("read", "signalfd, waits for a signal of the process", SIGUSR1, reader.result());
  Thread other([] {
    signalfd_siginfo one;
    return read(descriptor, &one, sizeof one) == kSize ? static_cast<int>(one.ssi_code) : 0;
  });
  pthread_kill(other.handle(), SIGUSR1);
  VALUE_OF("read", "signalfd, waits for a signal of the thread", SI_TKILL, other.result());
  Thread poller([] {
    pollfd entry = {descriptor, POLLIN, 0};
    return poll(&entry, 1, -1);
  });
  kill(getpid(), SIGUSR1);
  VALUE_OF("poll", "signalfd, waits for a signal", 1, poller.result());
  signalfd_siginfo one;
  VALUE_OF("read", "signalfd, what poll has waited for", kSize, read(descriptor, &one, sizeof one));
  static int queue = epoll_create1(0);
  epoll_event event = {};
  event.events = EPOLLIN;
  epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event);
  Thread watcher([] {
    epoll_event found;
    return epoll_wait(queue, &found, 1, -1);
  });
  kill(getpid(), SIGUSR1);
  VALUE_OF("epoll_wait", "signalfd, waits for a signal", 1, watcher.result());
  int number = 0;
  VALUE_OF("sigwait", "what a signalfd shows", 0, sigwait(&set, &number));
  VALUE_OF("epoll_wait", "signalfd, another has taken the signal", 0, epoll_wait(queue, &event, 1, 0));
  close(queue);
  close(descriptor);
}

// A child reads its own signals from what its parent has made.
void check_child() {
  const sigset_t set = of({SIGUSR1});
  const int descriptor = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  const int copy = dup(descriptor);
  kill(getpid(), SIGUSR1);
  const pid_t child = fork();
  if (child == 0) {
    signalfd_siginfo info = {};
    const bool empty = read(descriptor, &info, sizeof info) == -1 && errno == EAGAIN;
    raise(SIGUSR1);
    const bool own = read(copy, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1 &&
                     info.ssi_pid == static_cast<unsigned>(getpid());
    const bool flags = (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(copy, F_GETFD) & FD_CLOEXEC) == 0;
    _exit((empty ? 1 : 0) | (own ? 2 : 0) | (flags ? 4 : 0));
  }
  int status = 0;
  waitpid(child, &status, 0);
  VALUE_OF("fork", "a signalfd of the parent's: empty, the child's own signal, flags", 7, WEXITSTATUS(status));
  signalfd_siginfo info = {};
  VALUE_OF("read", "signalfd, the parent's signal after a fork", static_cast<long>(sizeof info),
           read(descriptor, &info, sizeof info));
  close(copy);
  close(descriptor);
}

}  // namespace

int main() {
  const sigset_t all = of({SIGUSR1, SIGUSR2, SIGHUP, SIGRTMIN + 1});
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  begin_checks();
  const int descriptor = signalfd(-1, &all, SFD_NONBLOCK);
  check_creation(descriptor);
  check_reading(descriptor);
  check_change(descriptor);
  check_other_threads(descriptor);
  check_waiting();
  check_child();
  return end_checks();
}
