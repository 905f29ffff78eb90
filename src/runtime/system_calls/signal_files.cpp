// See signal_files.h.
#include "runtime/system_calls/signal_files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

#include "model/table.h"
#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/detect/races.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/private_files.h"
#include "runtime/world/signals/queue.h"

namespace heddle::runtime {
namespace {

struct SignalFile {
  ObjectId object;  // of the open file
  std::uint64_t set;
};

struct ExecutionSignalFiles {
  model::Table<SignalFile> all;
  std::uint32_t count = 0;
};
constinit ExecutionSignalFiles execution_signal_files{};

std::uint32_t number_of(long descriptor) {
  if (execution_signal_files.count == 0 || kind_of(descriptor) != DescriptorKind::SignalFile)
    return execution_signal_files.count;
  const ObjectId object = object_of(descriptor, 0);
  std::uint32_t number = 0;
  while (number < execution_signal_files.count && execution_signal_files.all[number].object != object) ++number;
  return number;
}

std::uint64_t readable(std::uint32_t file, TaskId task) {
  return runtime.world->signals().arrived(runtime.world->task(task)) & execution_signal_files.all[file].set;
}

bool shows_something(int descriptor) {
  pollfd entry{descriptor, POLLIN, 0};
  return os::system_call(SYS_poll, reinterpret_cast<long>(&entry), 1, 0) > 0;
}

void show(std::uint32_t file, TaskId task) {
  const int descriptor = descriptor_of(execution_signal_files.all[file].object);
  if (descriptor < 0) return;  // all are closed
  const bool wanted = readable(file, task) != 0;
  if (wanted == shows_something(descriptor)) return;
  use_private_file(descriptor);
  std::uint64_t count = 1;
  os::system_call(wanted ? SYS_write : SYS_read, descriptor, reinterpret_cast<long>(&count), sizeof count);
}

// As the kernel: the task's own before those of the process, the lowest number first.
siginfo_t take(std::uint32_t file, TaskId task) {
  const std::uint64_t own = runtime.world->task(task).arrived_signals & execution_signal_files.all[file].set;
  const std::uint64_t from = own != 0 ? own : readable(file, task);
  return take_signal(own != 0 ? task : kNoTask, __builtin_ctzll(from) + 1);
}

signalfd_siginfo as_read(const siginfo_t& info) {
  signalfd_siginfo shown{};
  shown.ssi_signo = static_cast<std::uint32_t>(info.si_signo);
  shown.ssi_errno = info.si_errno;
  shown.ssi_code = info.si_code;
  if (info.si_code == SI_TIMER) {
    shown.ssi_tid = static_cast<std::uint32_t>(info.si_timerid);
    shown.ssi_overrun = static_cast<std::uint32_t>(info.si_overrun);
  } else {
    shown.ssi_pid = static_cast<std::uint32_t>(info.si_pid);
    shown.ssi_uid = info.si_uid;
  }
  if (info.si_signo == SIGCHLD && info.si_code > 0) {
    shown.ssi_status = info.si_status;
    shown.ssi_utime = static_cast<std::uint64_t>(info.si_utime);
    shown.ssi_stime = static_cast<std::uint64_t>(info.si_stime);
  } else if (info.si_code != SI_USER && info.si_code != SI_TKILL) {
    shown.ssi_int = info.si_int;
    shown.ssi_ptr = reinterpret_cast<std::uint64_t>(info.si_ptr);
  }
  return shown;
}

// What a reader's wait knows.
struct Reader {
  std::uint32_t file;
  TaskId task;
};

bool has_come(const Waiting& waiting) {
  const auto* reader = static_cast<const Reader*>(waiting.data);
  return readable(reader->file, reader->task) != 0;
}

long change_set(long descriptor, std::uint64_t set, Site site) {
  const std::uint32_t file = number_of(descriptor);
  if (file == execution_signal_files.count) return kind_of(descriptor) == DescriptorKind::All ? -EBADF : -EINVAL;
  take_step_on(on_descriptor(OperationKind::DescriptorControl, descriptor, site));
  execution_signal_files.all[file].set = set;
  on_signals_changed();
  return descriptor;
}

}  // namespace

bool is_signal_file(long descriptor) { return number_of(descriptor) != execution_signal_files.count; }

long perform_signal_file(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  const long flags = call.number == SYS_signalfd4 ? a[3] : 0;
  std::uint64_t set = 0;
  if (a[2] != sizeof set) return -EINVAL;
  if (!can_read(reinterpret_cast<const std::uint64_t*>(a[1]))) return -EFAULT;
  memcpy(&set, reinterpret_cast<const void*>(a[1]), sizeof set);
  if ((flags & ~long{SFD_CLOEXEC | SFD_NONBLOCK}) != 0) return -EINVAL;
  const auto descriptor = static_cast<int>(a[0]);
  set &= ~(model::signal_bit(SIGKILL) | model::signal_bit(SIGSTOP));
  if (descriptor != -1) return change_set(descriptor, set, site);
  judge_effect(call);
  SystemCall counter;
  counter.number = SYS_eventfd2;
  counter.arguments[1] = flags;
  const long made = make_system_call(counter);
  if (made < 0) return made;
  forget_descriptor(made);
  execution_signal_files.all.ensure(execution_signal_files.count, os::allocate);
  execution_signal_files.all[execution_signal_files.count++] = {
      note_stand_in(static_cast<int>(made), DescriptorKind::SignalFile, site), set};
  return made;
}

long read_signal_file(const SystemCall& call, Site site) {
  const long descriptor = call.arguments[0];
  const Reader reader{number_of(descriptor), runtime.current};
  const auto most = static_cast<unsigned long>(call.arguments[2]) / sizeof(signalfd_siginfo);
  if (call.number != SYS_read || most == 0) return -EINVAL;
  auto* places = reinterpret_cast<signalfd_siginfo*>(call.arguments[1]);
  Waiting waiting = wait_for(descriptor, POLLIN, is_non_blocking(descriptor));
  waiting.ready = has_come;
  waiting.descriptor = -1;
  waiting.data = &reader;
  return wait_and_attempt(
      waiting, on_descriptor(OperationKind::DescriptorRead, descriptor, site), -EAGAIN, [&]() -> long {
        long count = 0;
        for (; count < static_cast<long>(most) && readable(reader.file, reader.task) != 0; ++count) {
          const signalfd_siginfo shown = as_read(take(reader.file, reader.task));
          if (!can_write(&places[count])) return count == 0 ? -EFAULT : count * static_cast<long>(sizeof shown);
          places[count] = shown;
        }
        if (count != 0) races_signals_taken();
        return count == 0 ? -EAGAIN : count * static_cast<long>(sizeof(signalfd_siginfo));
      });
}

void make_signal_files_real() {
  for (std::uint32_t file = 0; file < execution_signal_files.count; ++file) {
    const std::uint64_t& set = execution_signal_files.all[file].set;
    for (int number = 0; (number = descriptor_of(execution_signal_files.all[file].object)) >= 0;
         forget_descriptor(number)) {
      const long blocks_not = is_non_blocking(number) ? SFD_NONBLOCK : 0;
      const long closes = (os::system_call(SYS_fcntl, number, F_GETFD) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0;
      const long made = os::system_call(SYS_signalfd4, -1, reinterpret_cast<long>(&set), sizeof set, blocks_not);
      if (made < 0) continue;
      os::system_call(SYS_dup3, made, number, closes);
      os::system_call(SYS_close, made);
    }
  }
  execution_signal_files.count = 0;
}

void show_signals_to(TaskId task) {
  for (std::uint32_t file = 0; file < execution_signal_files.count; ++file) show(file, task);
}

void on_signals_changed() {
  if (execution_signal_files.count == 0) return;
  show_signals_to(runtime.current);  // an epoll set that waits for changes reports this one
  after_call();
}

}  // namespace heddle::runtime
