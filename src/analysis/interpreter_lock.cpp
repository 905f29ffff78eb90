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

bool is_lock_of_script(const Execution& execution, ObjectId object) {
  const ObjectRecord* const record = object == kNoObject ? nullptr : execution.object(object);
  return record != nullptr && record->object_kind == ObjectKind::Semaphore && is_in_script(record->created_at);
}

}  // namespace heddle
