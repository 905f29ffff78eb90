// Operations on descriptors. Whether one can go on is the kernel's to say: the runtime asks it, and tells by
// World::set_ready(). A step lets the call be made; the task makes it, and publishes the operation again where it turns
// out that it would block. Where another task closes a descriptor meanwhile, that step has several alternatives: the
// call had looked it up before, or it comes too late (src/runtime/system_calls/closing.h).
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
