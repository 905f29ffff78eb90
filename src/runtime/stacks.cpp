// See stacks.h. The unwinder is libgcc's, which every C++ program has loaded anyway; it takes no locks with glibc 2.35 and newer.
#include "runtime/stacks.h"

#include <stdio.h>
#include <unwind.h>

#include "runtime/isolation/isolation.h"
#include "runtime/recorder.h"
#include "runtime/scheduler.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kCapacity = sizeof(TaskData::stack) / sizeof(Site);

struct Walk {
  TaskData* data;
  Site innermost;
  bool found = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const Site pc = _Unwind_GetIP(context);
  walk.found = walk.found || pc == walk.innermost;
  if (!walk.found) return _URC_NO_REASON;
  if (pc == 0 || walk.data->stack_depth == kCapacity) return _URC_END_OF_STACK;
  walk.data->stack[walk.data->stack_depth++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

void capture_stack(TaskId task, Site innermost) {
  TaskData& data = runtime.tasks[task];
  data.stack_depth = 0;
  if (innermost == 0) return;
  Walk walk{&data, innermost};
  runtime.inside = true;  // libgcc initialises itself by pthread_once
  _Unwind_Backtrace(visit, &walk);
  runtime.inside = false;
  if (data.stack_depth == 0) data.stack[data.stack_depth++] = innermost;
}

void capture_stack_from_signal(TaskId task, Site program_counter) { capture_stack(task, program_counter); }

void refuse_foreign_thread(const model::Operation& operation) {
  char text[160];
  const int size = snprintf(text, sizeof text,
                            "a thread that was not created through pthread_create called an operation (%s): it is not "
                            "controlled, so the execution was ended",
                            name(operation.kind));
  record_message(MessageKind::Note, kNoTask, text, static_cast<std::size_t>(size));
  leave_execution(EndKind::Killed);
}

}  // namespace heddle::runtime
