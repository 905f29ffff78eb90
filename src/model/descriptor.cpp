// Operations on descriptors. Only the kernel knows whether one can go on: the runtime asks it and calls
// set_ready(). A step lets the task make the call. If the call would block after all, the task publishes the operation
// again. If another task closes the descriptor meanwhile, the step that closes has several alternatives: the call
// looked the descriptor up before it, or comes too late (closing.h of the runtime).
#include "model/object_model.h"

namespace heddle::model {
namespace {

bool enabled(const World&, const Task& task) { return task.pending.argument != kNotReady; }

std::uint16_t variants(const World&, const Task& task) {
  const Closing* const closing = task.pending.closing;
  return closing != nullptr ? closing->ways(*closing) : std::uint16_t{1};
}

Effect apply(World& world, TaskId id, Variant variant) {
  if (variant == kTimeout) return timed_out();
  switch (world.task(id).pending.kind) {
    case OperationKind::DescriptorWrite:
    case OperationKind::DescriptorOpen:
    case OperationKind::DescriptorControl:
    case OperationKind::DescriptorUnlock:
      return released();
    default:
      return changed();
  }
}

}  // namespace

const ObjectModel kDescriptorModel = {enabled, variants, apply, never_spurious};

}  // namespace heddle::model
