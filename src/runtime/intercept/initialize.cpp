// See initialize.h.
#include "runtime/intercept/initialize.h"

#include "runtime/intercept/intercept.h"

namespace heddle::runtime {

ObjectId take_initializing_step(ObjectId there, ObjectKind kind, const void* address, Site site) {
  model::Operation initialize = operation(OperationKind::Initialize, there, site);
  initialize.object2 = add_object(kind, address, site);
  perform(initialize);
  return initialize.object2;
}

}  // namespace heddle::runtime
