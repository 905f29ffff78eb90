// See process.h.
#include "driver/process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <utility>

#include "driver/process/passed_on.h"
#include "driver/process/system_error.h"

namespace heddle {
namespace {

// What the child reports through a pipe; nothing at all when the program was started.
struct ChildReport {
  enum Kind : int { Randomized, ExecFailed } kind;
  int error;
};

// Those that are running, and that nobody has collected yet.
std::set<pid_t>& running_processes() {
  static std::set<pid_t> all;
  return all;
}

// All that was started by us, or that was left to us by what we started, and is not a Process any more. What has our
// own process group is none of ours: those that we start have one of their own. What is left to us becomes a child of
// our first thread, whichever works.
std::vector<pid_t> orphans() {
  std::vector<pid_t> result;
  for (const pid_t thread : {getpid(), gettid()}) {
    std::ifstream children("/proc/self/task/" + std::to_string(thread) + "/children");
    for (pid_t child = 0; children >> child;)
      if (running_processes().count(child) == 0 && getpgid(child) != getpgrp()) result.push_back(child);
    if (gettid() == getpid()) break;
  }
  return result;
}

// What waitid() says, as wait() says it.
int as_status(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return W_EXITCODE(info.si_status, 0);
  return W_EXITCODE(0, info.si_status) | (info.si_code == CLD_DUMPED ? WCOREFLAG : 0);
}

// How it ended. Where the system lets nobody wait for it, it counts as killed: an end that nobody saw is no good one.
int collect(pid_t process) {
  int status = 0;
  pid_t got = 0;
  do {
    got = waitpid(process, &status, 0);
  } while (got < 0 && errno == EINTR);
  if (got == process) return status;
  siginfo_t info{};
  int result = 0;
  do {
    result = waitid(P_PID, static_cast<id_t>(process), &info, WEXITED);
  } while (result != 0 && errno == EINTR);
  return result == 0 && info.si_pid == process ? as_status(info) : W_EXITCODE(0, SIGKILL);
}

// Each may leave children of its own.
void end_orphans() {
  constexpr int kMaxGenerations = 1000;
  std::vector<pid_t> left = orphans();
  for (int generation = 0; !left.empty() && generation < kMaxGenerations; ++generation) {
    for (const pid_t one : left) kill(one, SIGKILL);
    for (const pid_t one : left) collect(one);
    left = orphans();
  }
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

bool keep_open(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFD);
  return flags >= 0 && fcntl(descriptor, F_SETFD, flags & ~FD_CLOEXEC) == 0;
}

void send(int pipe, ChildReport::Kind kind, int error) {
  const ChildReport report{kind, error};
  if (write(pipe, &report, sizeof report) < 0) _exit(127);
}

// No core file per crash. The limit is 1, not 0: that keeps programs away, too, to which cores would be piped
// (core(5)).
void limit_core_files() {
  rlimit core{};
  if (getrlimit(RLIMIT_CORE, &core) != 0) return;
  core.rlim_cur = core.rlim_max < 1 ? core.rlim_max : 1;
  setrlimit(RLIMIT_CORE, &core);
}

// What came by now was for our process group, in which the child was: we have it, too, and end the child or stop with
// it. The child would die of it before it is the program, or stop for good, as it is told to go on in no group of ours.
// And our handlers are not for it, which has our memory until it executes the program.
void drop_signals() {
  sigset_t pending;
  sigpending(&pending);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {
    }, ignored{}, usual{};
    if (sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    ignored.sa_handler = SIG_IGN;  // this drops what is pending
    usual.sa_handler = SIG_DFL;
    if (sigismember(&pending, number) == 1) sigaction(number, &ignored, nullptr);
    if (sigismember(&pending, number) == 1 || action.sa_handler != SIG_DFL) sigaction(number, &usual, nullptr);
  }
}

// Descriptors, folder and limits, as the program is to have them. False: errno says why not.
bool prepare_self(const ProcessRequest& request) {
  limit_core_files();
  if (request.input >= 0) dup2(request.input, 0);
  if (request.output >= 0) {
    dup2(request.output, 1);
    dup2(request.output, 2);
  }
  if (!request.directory.empty() && chdir(request.directory.c_str()) != 0) return false;
  close_all_but_passed_on();
  return request.inherited < 0 || keep_open(request.inherited);
}

// False: the system does not allow it.
bool stop_randomizing() {
  const int persona = personality(0xffffffff);
  return persona >= 0 && personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) >= 0;
}

struct Birth {
  const ProcessRequest& request;
  char* const* arguments;
  char* const* environment;
  int report;
  pid_t driver;
  sigset_t signal_mask;  // of the program
};

// In the child, between its creation and exec, in the driver's memory (errno is one of its threads'): system calls
// only.
[[noreturn]] void be_born(const Birth& birth) {
  const ProcessRequest& request = birth.request;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != birth.driver) _exit(127);
  setpgid(0, 0);
  if (!prepare_self(request)) {
    send(birth.report, ChildReport::ExecFailed, errno);
    _exit(127);
  }
  if (!stop_randomizing()) send(birth.report, ChildReport::Randomized, 0);
  drop_signals();
  sigprocmask(SIG_SETMASK, &birth.signal_mask, nullptr);
  execve(request.path.c_str(), birth.arguments, birth.environment);
  send(birth.report, ChildReport::ExecFailed, errno);
  _exit(127);
}

int begin_child(void* birth) { be_born(*static_cast<const Birth*>(birth)); }

// As posix_spawn() does it, which can't do all that be_born() does: the child has our memory, on a stack of its own,
// and we stand still until it executes the program. A copy of our memory would cost more than the start of a small
// program, there and, page by page, here. Less than 0: as clone().
pid_t start_child(Birth& birth) {
  constexpr std::size_t kStackBytes = std::size_t{64} << 10;
  const auto stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &birth.signal_mask);
  const pid_t child = clone(begin_child, stack.get() + kStackBytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &birth);
  pthread_sigmask(SIG_SETMASK, &birth.signal_mask, nullptr);  // leaves errno as it is
  return child;
}

// Whoever started us may have left SIGCHLD ignored, as Python's and shells' daemons do: then ends of processes are not
// told, to us nor, since they inherit it, to the processes that run executions.
void have_ends_told() {
  struct sigaction present {};
  if (sigaction(SIGCHLD, nullptr, &present) != 0) return;
  if (present.sa_handler == SIG_IGN || (present.sa_flags & SA_NOCLDWAIT) != 0) signal(SIGCHLD, SIG_DFL);
}

// Reads until the pipe is closed: by exec, or by the child's end.
int read_reports(int pipe, bool& randomized) {
  int error = 0;
  ChildReport report{};
  while (read(pipe, &report, sizeof report) == sizeof report) {
    if (report.kind == ChildReport::Randomized) randomized = true;
    if (report.kind == ChildReport::ExecFailed) error = report.error;
  }
  return error;
}

}  // namespace

std::string become(const ProcessRequest& request) {
  const std::vector<char*> arguments = pointers(request.arguments), environment = pointers(request.environment);
  passed_on_descriptors();
  stop_randomizing();
  if (prepare_self(request)) execve(request.path.c_str(), arguments.data(), environment.data());
  return request.path + " could not be started: " + std::strerror(errno);
}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(handle_, other.handle_);
  return *this;
}

std::string Process::start(const ProcessRequest& request, bool& randomized) {
  passed_on_descriptors();  // the child only reads them
  kill_group();
  have_ends_told();
  const std::vector<char*> arguments = pointers(request.arguments), environment = pointers(request.environment);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("no pipe could be made");
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what loses its parent becomes our child
  Birth birth{request, arguments.data(), environment.data(), ends[1], getpid(), {}};
  const pid_t child = start_child(birth);
  if (child < 0) return std::string("no process could be made (clone): ") + std::strerror(errno);
  writer = Descriptor();
  pid_ = child;
  running_processes().insert(child);
  handle_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  const int error = read_reports(reader.get(), randomized);
  if (error == 0) return {};
  kill_group();
  return request.path + " could not be started: " + std::strerror(error);
}

std::optional<int> Process::ended() {
  if (pid_ <= 0) return std::nullopt;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
    if (info.si_pid != pid_) return std::nullopt;
  } else {  // a filter may deny it: then its handle tells
    pollfd end{handle_.get(), POLLIN, 0};
    if (!handle_ || poll(&end, 1, 0) != 1) return std::nullopt;
  }
  // Whoever is left of its group; before its number is free: a moment later that may be another's, and the group too.
  kill(-pid_, SIGKILL);
  return gone();
}

void Process::wait(std::chrono::milliseconds limit) const {
  pollfd wanted{handle_.get(), POLLIN, 0};
  poll(&wanted, handle_ ? 1 : 0, static_cast<int>(limit.count()));
}

void Process::kill_group() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  gone();
}

int Process::gone() {
  const int status = collect(pid_);
  running_processes().erase(pid_);
  end_orphans();
  pid_ = 0;
  handle_ = Descriptor();
  return status;
}

}  // namespace heddle
