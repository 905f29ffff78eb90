// See inspect.h.
#include "driver/process/inspect.h"

#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/function_name.h"
#include "protocol/system_calls.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxThreads = 20000;
constexpr int kMaxFrames = 64;
constexpr int kChecksOfRunning = 5;
constexpr std::chrono::milliseconds kBetweenChecks{2};

struct ThreadStatus {
  pid_t id = 0;
  char state = '?';         // as in /proc/PID/stat: R, S, D …
  long system_call = -1;    // -1: none
  std::uint64_t place = 0;  // program counter, while in a system call
};

std::string proc_path(pid_t process, pid_t thread, const char* file) {
  return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/" + file;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The fields of /proc/PID/stat behind the name, which may itself contain spaces and parentheses.
std::istringstream stat_fields(const std::string& stat) {
  const std::size_t name_end = stat.rfind(')');
  return std::istringstream(name_end == std::string::npos ? std::string() : stat.substr(name_end + 1));
}

ThreadStatus examine(pid_t process, pid_t thread) {
  ThreadStatus status;
  status.id = thread;
  stat_fields(read_text(proc_path(process, thread, "stat"))) >> status.state;
  // "running", or "-1 sp pc", or "number argument×6 sp pc"
  std::istringstream call(read_text(proc_path(process, thread, "syscall")));
  std::vector<std::string> words;
  for (std::string word; call >> word;) words.push_back(word);
  if (words.size() < 3) return status;
  status.system_call = std::strtol(words.front().c_str(), nullptr, 10);
  status.place = std::strtoull(words.back().c_str(), nullptr, 16);
  return status;
}

std::vector<ThreadStatus> read_threads(pid_t process) {
  std::vector<ThreadStatus> result;
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
  if (!directory) return result;
  while (const dirent* entry = readdir(directory.get())) {
    const int thread = std::atoi(entry->d_name);
    if (thread > 0 && result.size() < kMaxThreads) result.push_back(examine(process, thread));
  }
  return result;
}

// Where the file `path` is mapped. Read once and not for each thread: with thousands of threads it has as many lines.
class MappedFile {
 public:
  MappedFile(pid_t process, const std::string& path) {
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    for (std::string line; std::getline(maps, line);) {
      const std::size_t name = line.find('/');
      if (name == std::string::npos || line.compare(name, std::string::npos, path) != 0) continue;
      char* end = nullptr;
      const std::uint64_t from = std::strtoull(line.c_str(), &end, 16);
      ranges_.emplace_back(from, std::strtoull(end + 1, nullptr, 16));
    }
  }
  bool holds(std::uint64_t address) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const auto& range) { return address >= range.first && address < range.second; });
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

// What the runtime itself waits in: for its turn, for a plan, for the world outside, for a process that it has forked.
// Whatever else is called from its code is a call of the program's that it has taken.
bool is_own_wait(long system_call) {
  return system_call == SYS_futex || system_call == SYS_nanosleep || system_call == SYS_poll ||
         system_call == SYS_ppoll || system_call == SYS_waitid || system_call == SYS_wait4;
}

bool runs(const std::vector<ThreadStatus>& threads) {
  return std::any_of(threads.begin(), threads.end(), [](const auto& status) { return status.state == 'R'; });
}

// The thread that matters: one that runs; else one that waits in the kernel, but not where the runtime parks threads.
const ThreadStatus* interesting(const std::vector<ThreadStatus>& threads, pid_t process, const std::string& library) {
  const auto running =
      std::find_if(threads.begin(), threads.end(), [](const auto& status) { return status.state == 'R'; });
  if (running != threads.end()) return &*running;
  const MappedFile runtime(process, library);
  const auto waiting = std::find_if(threads.begin(), threads.end(), [&](const ThreadStatus& status) {
    return status.place != 0 && !(is_own_wait(status.system_call) && runtime.holds(status.place));
  });
  return waiting != threads.end() ? &*waiting : nullptr;
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view text) { return name.starts_with(text); });
}

std::string base_name(const char* path) {
  const std::string_view text = path != nullptr ? path : "";
  return std::string(text.substr(text.rfind('/') + 1));
}

std::string function_name(std::string_view symbol) {
  return symbol.starts_with("_Z") ? short_function_name(demangle(symbol.data())) : std::string(symbol);
}

// A place in the source that says something to the user is one outside the system's libraries.
struct Place {
  std::string text;
  bool own = false;
  bool in_runtime = false;
};

Place describe(Dwfl* dwfl, Dwarf_Addr address) {
  Dwfl_Module* module = dwfl_addrmodule(dwfl, address);
  if (module == nullptr) return {};
  Dwarf_Addr begin = 0;
  const std::string file =
      base_name(dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr));
  const bool in_runtime = file.starts_with("libheddle");
  const bool own =
      !starts_with_any(file, {"libc.", "libc-", "ld-linux", "libpthread", "libheddle", "libstdc++", "libm."});
  const char* symbol = dwfl_module_addrname(module, address);
  const std::string function = symbol != nullptr ? " in " + function_name(symbol) : std::string();
  int line = 0;
  Dwfl_Line* source = dwfl_module_getsrc(module, address);
  const char* path = source != nullptr ? dwfl_lineinfo(source, nullptr, &line, nullptr, nullptr, nullptr) : nullptr;
  if (path != nullptr) return {base_name(path) + ":" + std::to_string(line) + function, own, in_runtime};
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(address - begin));
  return {file + offset + function, own, in_runtime};
}

struct Walk {
  Dwfl* dwfl = nullptr;
  int frames = 0;
  Place best;
};

int on_frame(Dwfl_Frame* frame, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  Dwarf_Addr address = 0;
  bool exact = false;
  if (!dwfl_frame_pc(frame, &address, &exact) || ++walk.frames > kMaxFrames) return DWARF_CB_ABORT;
  const Place place = describe(walk.dwfl, exact ? address : address - 1);
  if (walk.best.text.empty() || place.own) walk.best = place;
  return place.own ? DWARF_CB_ABORT : DWARF_CB_OK;
}

// Where in the source `thread` is, by its call stack; by `place` alone if we may not look at that.
Place find_place(pid_t process, const ThreadStatus& thread) {
  Dwfl_Callbacks callbacks{};
  callbacks.find_elf = dwfl_linux_proc_find_elf;
  callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
  const std::unique_ptr<Dwfl, void (*)(Dwfl*)> dwfl(dwfl_begin(&callbacks), dwfl_end);
  if (!dwfl || dwfl_linux_proc_report(dwfl.get(), process) != 0) return {};
  dwfl_report_end(dwfl.get(), nullptr, nullptr);
  Walk walk{dwfl.get(), 0, {}};
  if (dwfl_linux_proc_attach(dwfl.get(), process, false) == 0)
    dwfl_getthread_frames(dwfl.get(), thread.id, on_frame, &walk);
  if (walk.best.text.empty() && thread.place != 0) walk.best = describe(dwfl.get(), thread.place);
  return walk.best;
}

struct CallName {
  long number;
  const char* name;
};

// The system calls that can block, by what a program calls them.
constexpr CallName kBlockingCalls[] = {
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_poll, "poll"},
    {SYS_pread64, "pread"},
    {SYS_pwrite64, "pwrite"},
    {SYS_readv, "readv"},
    {SYS_writev, "writev"},
    {SYS_select, "select"},
    {SYS_msync, "msync"},
    {SYS_pause, "pause"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept"},
    {SYS_connect, "connect"},
    {SYS_sendto, "send"},
    {SYS_recvfrom, "recv"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_wait4, "wait"},
    {SYS_waitid, "waitid"},
    {SYS_semop, "semop"},
    {SYS_semtimedop, "semtimedop"},
    {SYS_msgsnd, "msgsnd"},
    {SYS_msgrcv, "msgrcv"},
    {SYS_fcntl, "fcntl"},
    {SYS_flock, "flock"},
    {SYS_fsync, "fsync"},
    {SYS_open, "open"},
    {SYS_openat, "open"},
    {SYS_futex, "futex"},
    {SYS_epoll_wait, "epoll_wait"},
    {SYS_epoll_pwait, "epoll_wait"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_rt_sigsuspend, "sigsuspend"},
    {SYS_rt_sigtimedwait, "sigtimedwait"},
    {SYS_mq_timedsend, "mq_send"},
    {SYS_mq_timedreceive, "mq_receive"},
    {SYS_io_getevents, "io_getevents"},
    {SYS_io_uring_enter, "io_uring_enter"},
    {SYS_ioctl, "ioctl"},
    {SYS_restart_syscall, "restarted system call"},
};

std::string blocking_call_name(long number) {
  const auto found = std::find_if(std::begin(kBlockingCalls), std::end(kBlockingCalls),
                                  [number](const CallName& call) { return call.number == number; });
  if (found != std::end(kBlockingCalls)) return found->name;
  const char* name = system_call_name(number);
  return name != nullptr ? name : "system call " + std::to_string(number);
}

}  // namespace

bool descends_from(pid_t process, pid_t ancestor) {
  constexpr int kDeepest = 32;
  for (int depth = 0; depth < kDeepest && process > 1; ++depth) {
    if (process == ancestor) return true;
    char state = 0;
    pid_t parent = 0;
    stat_fields(read_text("/proc/" + std::to_string(process) + "/stat")) >> state >> parent;
    process = parent;
  }
  return false;
}

Activity inspect_process(pid_t process, const std::string& library) {
  std::vector<ThreadStatus> threads = read_threads(process);
  // Who waits for the world outside runs for a moment now and then; who computes runs at every look.
  for (int check = 1; check < kChecksOfRunning && runs(threads); ++check) {
    std::this_thread::sleep_for(kBetweenChecks);
    threads = read_threads(process);
  }
  const ThreadStatus* thread = interesting(threads, process, library);
  if (thread == nullptr) return {};
  Activity activity;
  activity.kind = thread->state == 'R' ? Activity::Kind::Running : Activity::Kind::Blocked;
  if (activity.kind == Activity::Kind::Blocked) activity.system_call = blocking_call_name(thread->system_call);
  const Place place = find_place(process, *thread);
  activity.place = place.text;
  activity.in_runtime = place.in_runtime;
  return activity;
}

}  // namespace heddle
