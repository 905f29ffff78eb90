// pthread_once (and so std::call_once), and the guards of function-local statics.
#include "runtime/intercept/once.h"

#include "runtime/detect/races.h"
#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr int kDone = 2;  // what glibc leaves in a pthread_once_t

ObjectId once_object(pthread_once_t* control, Site site) {
  return find_small_object(ObjectKind::Once, control, reinterpret_cast<std::uint32_t*>(control), site).id;
}

// A guard is 64 bits: compiled code looks at the first byte only (nonzero: initialized), the rest is the library's.
struct Guard {
  std::uint8_t initialized;
  std::uint8_t reserved[3];
  std::uint32_t word;
};

ObjectId guard_object(Guard* guard, Site site) {
  return find_small_object(ObjectKind::Once, guard, &guard->word, site).id;
}

}  // namespace

void run_once(pthread_once_t* control, void (*initializer)(), Site site) {
  if (*control == kDone) return races_acquire(control);
  const ObjectId id = once_object(control, site);
  if (perform(OperationKind::OnceBegin, id, site) == 0) return;
  heddle_call_once(initializer, id);
  perform(OperationKind::OnceEnd, id, site);
  *control = kDone;
}

}  // namespace heddle::runtime

extern "C" void heddle_once_aborted(uint64_t token) {
  perform(OperationKind::OnceAbort, static_cast<ObjectId>(token), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_once(pthread_once_t* control, void (*initializer)()) {
  if (!controlled()) return real::pthread_once(control, initializer);
  run_once(control, initializer, HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int __cxa_guard_acquire(Guard* guard) {
  if (!controlled()) return real::guard_acquire(guard);
  if (guard->initialized != 0) {
    races_acquire(guard);
    return 0;
  }
  return perform(OperationKind::OnceBegin, guard_object(guard, HEDDLE_CALLER), HEDDLE_CALLER);
}

HEDDLE_EXPORT void __cxa_guard_release(Guard* guard) {
  if (!controlled()) return real::guard_release(guard);
  perform(OperationKind::OnceEnd, guard_object(guard, HEDDLE_CALLER), HEDDLE_CALLER);
  guard->initialized = 1;
}

HEDDLE_EXPORT void __cxa_guard_abort(Guard* guard) {
  if (!controlled()) return real::guard_abort(guard);
  perform(OperationKind::OnceAbort, guard_object(guard, HEDDLE_CALLER), HEDDLE_CALLER);
}
