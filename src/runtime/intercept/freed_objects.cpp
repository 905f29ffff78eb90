// See freed_objects.h.
#include "runtime/intercept/freed_objects.h"

#include "runtime/heap/program_heap.h"
#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/state/objects.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {
namespace {

constexpr std::size_t kMostBytes = Heap::kMaxSmallBytes;  // such a block is never joined with others

void free_object(ObjectId id, std::size_t offset, Site site) {
  model::Object& object = runtime.world->object(id);
  object.freed_in = static_cast<std::uint16_t>(offset);
  if (others_are_there())
    perform(OperationKind::ObjectFree, id, site);
  else
    object.gone = model::Gone::Freed;
}

}  // namespace

void free_objects_in(const void* memory, Site site) {
  if (runtime.mode == Mode::Uninitialized || !controlled() || is_foreign_thread()) return;
  if (!may_hold_objects(memory, kMostBytes)) return;  // its size need not be looked up
  const std::size_t bytes = bytes_of_program(memory);
  if (bytes > kMostBytes || !may_hold_objects(memory, bytes)) return;
  for (std::size_t offset = 0; offset + sizeof(Mark) <= bytes; offset += sizeof(Mark))
    if (const ObjectId id = object_marked_at(static_cast<const char*>(memory) + offset); id != kNoObject)
      free_object(id, offset, site);
}

}  // namespace heddle::runtime
