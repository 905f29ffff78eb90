// See interpreter_lock.h.
#include "analysis/interpreter_lock.h"

#include <algorithm>

#include "analysis/memory_names.h"
#include "protocol/interpreter.h"
#include "protocol/scripts.h"

namespace heddle {

ObjectId interpreter_lock(const Execution& execution) {
  const auto names_it = [](const ExecutionMessage& message) {
    return message.kind == MessageKind::MemoryName && message.text.ends_with(kInterpreterLock);
  };
  if (std::none_of(execution.messages.begin(), execution.messages.end(), names_it)) return kNoObject;
  const MemoryNames names(execution);
  for (const ObjectRecord& object : execution.objects)
    if (object.object_kind == ObjectKind::Mutex && names.at(object.address) == kInterpreterLock) return object.object;
  return kNoObject;
}

bool is_wait_of_script(const Execution& execution, ObjectId object) {
  const ObjectRecord* const record = object == kNoObject ? nullptr : execution.object(object);
  if (record == nullptr || record->object_kind != ObjectKind::Semaphore || !is_in_script(record->created_at))
    return false;
  const auto line_of = [](Site site) { return (site - 1) >> kLineShift; };
  return std::any_of(execution.steps.begin(), execution.steps.end(), [&](const StepRecord& step) {
    return step.object == object && step.task == record->task && line_of(step.site) == line_of(record->created_at) &&
           (step.operation == OperationKind::SemaphoreWait || step.operation == OperationKind::SemaphoreTryWait);
  });
}

}  // namespace heddle
