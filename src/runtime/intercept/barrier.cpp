// Barriers.
#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/shared_objects.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

ObjectId barrier_object(pthread_barrier_t* barrier, Site site) {
  return find_object(ObjectKind::Barrier, barrier, site).id;
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                       unsigned count) {
  if (!controlled()) return real::pthread_barrier_init(barrier, attributes, count);
  const ObjectId begun = begin_initializing(ObjectKind::Barrier, barrier, HEDDLE_CALLER, [&] {
    pthread_barrier_t trial;
    return real::pthread_barrier_init(&trial, attributes, count) == 0 && !is_shared(&trial);
  });
  const int error = real::pthread_barrier_init(barrier, attributes, count);
  if (error != 0 || is_shared(barrier)) return error;
  end_initializing(begun, ObjectKind::Barrier, barrier, HEDDLE_CALLER,
                   [&](ObjectId id) { heddle::runtime::runtime.world->object(id).barrier.threshold = count; });
  return 0;
}

HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (!controlled()) return real::pthread_barrier_destroy(barrier);
  if (is_shared(barrier)) return 0;
  return perform(OperationKind::BarrierDestroy, barrier_object(barrier, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!controlled()) return real::pthread_barrier_wait(barrier);
  if (is_shared(barrier)) return wait_at_shared(barrier, HEDDLE_CALLER);
  return perform(OperationKind::BarrierArrive, barrier_object(barrier, HEDDLE_CALLER), HEDDLE_CALLER);
}
