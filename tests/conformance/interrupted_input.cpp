// Input and output that a signal ends: handlers while a call waits, masks that are in force as long as it does, and the
// signal of who writes where nobody reads.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "check.h"

namespace {

volatile sig_atomic_t handled;

void note(int number) { handled = number; }

void on(int number, int flags) {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = flags;
  sigaction(number, &action, nullptr);
}

sigset_t only(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

sigset_t none() {
  sigset_t set;
  sigemptyset(&set);
  return set;
}

bool blocks(int number) {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, nullptr, &set);
  return sigismember(&set, number) == 1;
}

bool pends(int number) {
  sigset_t set;
  sigpending(&set);
  return sigismember(&set, number) == 1;
}

struct Pipe {
  int ends[2];
  Pipe() {
    if (pipe(ends) != 0) abort();
  }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void fill() const {
    if (write(ends[1], "x", 1) != 1) abort();
  }
};

// Runs `wait` in another thread and sends it SIGUSR1 until it has ended. Gives its result: 0 or an error number.
template <class Wait>
int interrupted(Wait wait) {
  bool ended = false;
  Thread waiter([&] {
    const int result = wait();
    __atomic_store_n(&ended, true, __ATOMIC_SEQ_CST);
    return result;
  });
  while (!__atomic_load_n(&ended, __ATOMIC_SEQ_CST)) {
    pthread_kill(waiter.handle(), SIGUSR1);
    pause_ms(1);
  }
  return waiter.result();
}

template <class Call>
int errno_of(Call call) {
  errno = 0;
  return call() == -1 ? errno : 0;
}

int select_from(int descriptor, timespec* limit, const sigset_t* mask) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(descriptor, &set);
  return pselect(descriptor + 1, &set, nullptr, nullptr, limit, mask);
}

int epoll_from(int descriptor) {
  const int set = epoll_create1(0);
  epoll_event event = {};
  event.events = EPOLLIN;
  if (epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) != 0) abort();
  return set;
}

void check_interrupted_input() {
  on(SIGUSR1, 0);
  static const Pipe empty;
  static char byte;
  const int set = epoll_from(empty.ends[0]);
  ERROR_OF("read", "an empty pipe, a signal whose handler runs", EINTR,
           interrupted([] { return errno_of([] { return read(empty.ends[0], &byte, 1); }); }));
  ERROR_OF("poll", "nothing to read, a signal whose handler runs", EINTR, interrupted([] {
             pollfd wait = {empty.ends[0], POLLIN, 0};
             return errno_of([&] { return poll(&wait, 1, 60000); });
           }));
  ERROR_OF("pselect", "nothing to read, a signal whose handler runs", EINTR, interrupted([] {
             timespec minute = {60, 0};
             return errno_of([&] { return select_from(empty.ends[0], &minute, nullptr); });
           }));
  ERROR_OF("epoll_wait", "nothing to read, a signal whose handler runs", EINTR, interrupted([&] {
             epoll_event event;
             return errno_of([&] { return epoll_wait(set, &event, 1, 60000); });
           }));
  on(SIGUSR1, SA_RESTART);
  static volatile bool ends = false;
  ERROR_OF("poll", "nothing to read, a signal whose action restarts", EINTR, interrupted([] {
             pollfd wait = {empty.ends[0], POLLIN, 0};
             return errno_of([&] { return poll(&wait, 1, 60000); });
           }));
  Thread reader([] {
    const int result = errno_of([] { return read(empty.ends[0], &byte, 1); });
    ends = true;
    return result;
  });
  for (handled = 0; handled == 0; pause_ms(1)) pthread_kill(reader.handle(), SIGUSR1);
  HOLDS("read", "an empty pipe, a signal whose action restarts: still waits", !ends);
  empty.fill();
  ERROR_OF("read", "an empty pipe, a signal whose action restarts", 0, reader.result());
  close(set);
}

// A signal that is blocked outside of the call pends when the call comes.
template <class Wait>
int let_in(Wait wait) {
  const sigset_t set = only(SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  raise(SIGUSR2);
  handled = 0;
  return errno_of(wait);
}

void check_after_mask(const char* function, const char* condition) {
  char text[80];
  snprintf(text, sizeof text, "%s: the handler has run", condition);
  HOLDS(function, text, handled == SIGUSR2);
  snprintf(text, sizeof text, "%s: the mask is back", condition);
  HOLDS(function, text, blocks(SIGUSR2));
}

void check_masks() {
  on(SIGUSR2, SA_RESTART);
  const Pipe empty, full;
  full.fill();
  const sigset_t open = none();
  const timespec now = {0, 0};
  timespec zero = {0, 0};
  pollfd wait = {empty.ends[0], POLLIN, 0}, there = {full.ends[0], POLLIN, 0};
  ERROR_OF("ppoll", "lets a pending signal in", EINTR, let_in([&] { return ppoll(&wait, 1, nullptr, &open); }));
  check_after_mask("ppoll", "lets a pending signal in");
  ERROR_OF("ppoll", "lets a pending signal in, no time", EINTR, let_in([&] { return ppoll(&wait, 1, &now, &open); }));
  check_after_mask("ppoll", "lets a pending signal in, no time");
  ERROR_OF("ppoll", "no descriptors, lets a pending signal in", EINTR,
           let_in([&] { return ppoll(nullptr, 0, nullptr, &open); }));
  VALUE_OF("ppoll", "something to read, lets a pending signal in", 1,
           (let_in([] { return 0; }), ppoll(&there, 1, nullptr, &open)));
  HOLDS("ppoll", "something to read: the handler has not run", handled == 0 && pends(SIGUSR2));
  ERROR_OF("pselect", "lets a pending signal in", EINTR,
           let_in([&] { return select_from(empty.ends[0], nullptr, &open); }));
  check_after_mask("pselect", "lets a pending signal in");
  ERROR_OF("pselect", "lets a pending signal in, no time", EINTR,
           let_in([&] { return select_from(empty.ends[0], &zero, &open); }));
  VALUE_OF("pselect", "something to read, lets a pending signal in", 1,
           (let_in([] { return 0; }), select_from(full.ends[0], nullptr, &open)));
  HOLDS("pselect", "something to read: the handler has not run", handled == 0 && pends(SIGUSR2));
  const int set = epoll_from(empty.ends[0]), full_set = epoll_from(full.ends[0]);
  epoll_event event;
  ERROR_OF("epoll_pwait", "lets a pending signal in", EINTR,
           let_in([&] { return epoll_pwait(set, &event, 1, -1, &open); }));
  check_after_mask("epoll_pwait", "lets a pending signal in");
  VALUE_OF("epoll_pwait", "something to read, lets a pending signal in", 1,
           (let_in([] { return 0; }), epoll_pwait(full_set, &event, 1, -1, &open)));
  HOLDS("epoll_pwait", "something to read: the handler has not run", handled == 0 && pends(SIGUSR2));
  ERRNO_OF("ppoll", "a mask that is nowhere", EFAULT, ppoll(&wait, 1, &now, static_cast<sigset_t*>(kWild)));
  ERRNO_OF("pselect", "a mask that is nowhere", EFAULT,
           select_from(empty.ends[0], &zero, static_cast<sigset_t*>(kWild)));
  ERRNO_OF("epoll_pwait", "a mask that is nowhere", EFAULT,
           epoll_pwait(set, &event, 1, 0, static_cast<sigset_t*>(kWild)));
  const sigset_t closed = only(SIGUSR2);
  VALUE_OF("ppoll", "blocks a signal, the time is over", 0, ppoll(&wait, 1, &now, &closed));
  close(set);
  close(full_set);
  pthread_sigmask(SIG_UNBLOCK, &closed, nullptr);
}

// The thread sends the signal while the main thread waits, or before: the mask closes the gap.
void check_mask_and_sender() {
  const sigset_t open = none(), closed = only(SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &closed, nullptr);
  const Pipe empty;
  pollfd wait = {empty.ends[0], POLLIN, 0};
  const pthread_t self = pthread_self();
  handled = 0;
  Thread sender([&] { return pthread_kill(self, SIGUSR2); });
  ERRNO_OF("ppoll", "a signal that another thread sends", EINTR, ppoll(&wait, 1, nullptr, &open));
  HOLDS("ppoll", "a signal that another thread sends: the handler has run", handled == SIGUSR2);
  sender.result();
  pthread_sigmask(SIG_UNBLOCK, &closed, nullptr);
}

void check_broken_pipe() {
  Pipe broken;
  close(broken.ends[0]);
  const sigset_t set = only(SIGPIPE);
  const timespec now = {0, 0};
  on(SIGPIPE, 0);
  handled = 0;
  ERRNO_OF("write", "nobody reads the pipe, a handler", EPIPE, write(broken.ends[1], "x", 1));
  HOLDS("write", "nobody reads the pipe: the handler of SIGPIPE has run", handled == SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  handled = 0;
  iovec part = {const_cast<char*>("x"), 1};
  ERRNO_OF("writev", "nobody reads the pipe, SIGPIPE is blocked", EPIPE, writev(broken.ends[1], &part, 1));
  HOLDS("writev", "nobody reads the pipe: SIGPIPE pends", pends(SIGPIPE) && handled == 0);
  VALUE_OF("elsewhere", "SIGPIPE pends for the thread that has written only", 0,
           elsewhere([] { return pends(SIGPIPE); }));
  siginfo_t information;
  VALUE_OF("sigtimedwait", "SIGPIPE of a write", SIGPIPE, sigtimedwait(&set, &information, &now));
  HOLDS("sigtimedwait", "SIGPIPE comes from the process itself", information.si_pid == getpid());
  HOLDS("sigtimedwait", "SIGPIPE is taken", !pends(SIGPIPE));
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
  close(ends[1]);
  handled = 0;
  ERRNO_OF("send", "nobody reads, MSG_NOSIGNAL", EPIPE, send(ends[0], "x", 1, MSG_NOSIGNAL));
  VALUE_OF("send", "nobody reads, MSG_NOSIGNAL: handlers that have run", 0, handled);
  ERRNO_OF("send", "nobody reads, a handler", EPIPE, send(ends[0], "x", 1, 0));
  VALUE_OF("send", "nobody reads: the handler that has run", SIGPIPE, handled);
  signal(SIGPIPE, SIG_IGN);
  handled = 0;
  ERRNO_OF("write", "nobody reads the socket, SIGPIPE is ignored", EPIPE, write(ends[0], "x", 1));
  VALUE_OF("write", "nobody reads, SIGPIPE is ignored: handlers that have run", 0, handled);
  close(ends[0]);
}

}  // namespace

int main() {
  begin_checks();
  check_interrupted_input();
  check_masks();
  check_mask_and_sender();
  check_broken_pipe();
  return end_checks();
}
