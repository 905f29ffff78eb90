// Operations on descriptors. Whether one can go on is the kernel's to say: the runtime asks it, and tells by
// World::set_ready(). A step lets the call be made; the task makes it, and publishes the operation again where it turns
// out that it would block.
#include "model/object_model.h"

namespace heddle::model {
namespace {

bool enabled(const World&, const Task& task) { return task.pending.argument != kNotReady; }

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

const ObjectModel kDescriptorModel = {enabled, one_variant, apply, never_spurious};

}  // namespace heddle::model
