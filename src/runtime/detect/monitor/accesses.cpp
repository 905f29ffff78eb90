// The monitor that counts accesses: a short example of a monitor, and a way to see which thread makes a test slow. The
// numbers are rounded up to powers of two: then many schedules give the same note, and it is shown once.
#include <stdio.h>

#include "model/access_counts.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/modules.h"

namespace heddle::runtime {
namespace {

struct ExecutionCounts {
  model::AccessCounts counts;
};
constinit ExecutionCounts execution_counts{};

std::uint64_t above(std::uint64_t count) { return count < 2 ? 2 : std::uint64_t{1} << (64 - __builtin_clzl(count)); }

bool begin() {
  if (execution_modules.first_instrumented != nullptr) return true;
  note("accesses are not counted: nothing of the program was compiled by heddle-cc or heddle-c++");
  return false;
}

void on_access(const PlainAccess& access) { execution_counts.counts.add(runtime.current, access.write); }

void on_end() {
  for (TaskId task = 0; task < runtime.world->population().task_count() && task < model::AccessCounts::kMaxTasks;
       ++task) {
    const model::AccessCounts::Count& count = execution_counts.counts.of(task);
    if (count.reads + count.writes == 0) continue;
    char text[128];
    const int size =
        snprintf(text, sizeof text, "thread %u makes fewer than %lu reads and fewer than %lu writes in a schedule",
                 task, above(count.reads), above(count.writes));
    record_message(MessageKind::Note, task, text, static_cast<std::size_t>(size));
  }
}

}  // namespace

const Monitor kAccessesMonitor = {.begin = begin, .on_access = on_access, .on_end = on_end};

}  // namespace heddle::runtime
