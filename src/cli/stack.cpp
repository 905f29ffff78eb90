// See stack.h.
#include "cli/stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstddef>

namespace heddle::cli {
namespace {

constexpr rlim_t kEnough_bytes = rlim_t{1} << 20;
constexpr std::size_t kOurs_bytes = std::size_t{8} << 20;

struct Task {
  const std::function<int()>& work;
  sigset_t signals;
  int status;
};

void* run(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  pthread_sigmask(SIG_SETMASK, &task.signals, nullptr);
  task.status = task.work();
  return nullptr;
}

bool is_small() {
  rlimit stack{};
  return getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kEnough_bytes;
}

bool start(pthread_t& thread, Task& task) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const bool started =
      pthread_attr_setstacksize(&attributes, kOurs_bytes) == 0 && pthread_create(&thread, &attributes, run, &task) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

int with_enough_stack(const std::function<int()>& work) {
  if (!is_small()) return work();
  Task task{work, {}, 0};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &task.signals);  // they are for the thread that works: its waits end with them
  pthread_t thread{};
  if (start(thread, task)) {
    pthread_join(thread, nullptr);
    return task.status;
  }
  pthread_sigmask(SIG_SETMASK, &task.signals, nullptr);
  return work();
}

}  // namespace heddle::cli
