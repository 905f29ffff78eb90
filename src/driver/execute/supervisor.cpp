// See supervisor.h.
#include "driver/execute/supervisor.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "driver/process/inspect.h"

namespace heddle {
namespace {

// What one execution may print, in bytes: it is kept in memory.
constexpr std::size_t kMaxOutput = std::size_t{256} << 20;

bool kill_execution(const Status& status, int target) {
  const std::uint64_t number = status.executions.load();
  const int executing = status.executing.load();
  if (executing <= 0 || executing == status.controller.load()) return false;
  const Descriptor process = open_process(executing);
  if (!descends_from(executing, target)) return false;
  if (!process || status.executing.load() != executing || status.executions.load() != number) return true;  // just over
  return syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0;
}

}  // namespace

Descriptor open_process(pid_t process) { return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0))); }

void Supervisor::restart() {
  watchdog_.restart();
  number_ = 0;
}

const char* Supervisor::complaint(const Status& status, int process, bool busy, const OutputCapture& output) {
  if (watchdog_.overdue(status, process, busy)) return "it took longer than --execution-timeout";
  if (output_checks_.is_due() && output.size() > kMaxOutput) return "it printed more than 256 MiB";
  return nullptr;
}

bool Supervisor::end_execution(const char* why, const Status& status, int process, bool alone) {
  using std::chrono::steady_clock;
  constexpr std::chrono::seconds kGrace{2};  // for the zygote to report the end of what we killed
  const std::uint64_t number = status.executions.load();
  why_ = why;
  if (alone && number != 0) {
    if (number_ != number) {
      number_ = number;
      ended_at_ = steady_clock::now();
      if (kill_execution(status, process)) return true;
    } else if (steady_clock::now() - ended_at_ < kGrace) {
      return true;
    }
  }
  number_ = number;
  return false;
}

}  // namespace heddle
