// pthread_once (and so std::call_once), and the guards of function-local statics.
//
// Compiled code looks at a guard's first byte itself, and calls the library only while that is zero. Such a look is no
// step, and a search that orders steps would not see that it depends on the end of the initializer. So the byte stays
// zero for an initializer that ended while schedules are explored (Mode::Branching). The model knows that it is done,
// and each thread's first look is a step (model/once.h). What was done before is marked as the library marks it.
#include "runtime/intercept/once.h"

#include "model/once.h"
#include "runtime/detect/races.h"
#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/state/stacks.h"

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

// Is memory to say that it is done, for compiled code and glibc to see?
bool shows_end() { return runtime.mode != Mode::Branching; }

// Done, as the model knows by its mark. For the runtime's own calls and foreign threads, which take no steps.
bool is_done(const void* address, std::uint32_t word) {
  const ObjectId id = small_object_marked(word);
  return runtime.world != nullptr && is_object(id, ObjectKind::Once, address) && model::is_done(*runtime.world, id);
}

bool knows_done(ObjectId id) { return model::knows_done(*runtime.world, id, current_task()); }

ObjectId guard_object(Guard* guard, Site site) {
  return find_small_object(ObjectKind::Once, guard, &guard->word, site).id;
}

}  // namespace

bool is_once_done(const pthread_once_t* control) { return is_done(control, static_cast<std::uint32_t>(*control)); }

void run_once(pthread_once_t* control, void (*initializer)(), Site site) {
  if (*control == kDone) return races_acquire(control);
  if (is_foreign_thread() && is_once_done(control)) return;
  const ObjectId id = once_object(control, site);
  if (knows_done(id) || perform(OperationKind::OnceBegin, id, site) == 0) return;
  heddle_call_once(initializer, id);
  perform(OperationKind::OnceEnd, id, site);
  if (shows_end()) *control = kDone;
}

}  // namespace heddle::runtime

extern "C" void heddle_once_aborted(uint64_t token) {
  perform(OperationKind::OnceAbort, static_cast<ObjectId>(token), HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_once(pthread_once_t* control, void (*initializer)()) {
  if (!controlled()) return is_once_done(control) ? 0 : real::pthread_once(control, initializer);
  run_once(control, initializer, HEDDLE_CALLER);
  return 0;
}

HEDDLE_EXPORT int __cxa_guard_acquire(Guard* guard) {
  if (!controlled()) return is_done(guard, guard->word) ? 0 : real::guard_acquire(guard);
  if (guard->initialized != 0) {
    races_acquire(guard);
    return 0;
  }
  if (is_foreign_thread() && is_done(guard, guard->word)) return 0;
  const ObjectId id = guard_object(guard, HEDDLE_CALLER);
  return knows_done(id) ? 0 : perform(OperationKind::OnceBegin, id, HEDDLE_CALLER);
}

HEDDLE_EXPORT void __cxa_guard_release(Guard* guard) {
  if (!controlled()) return real::guard_release(guard);
  perform(OperationKind::OnceEnd, guard_object(guard, HEDDLE_CALLER), HEDDLE_CALLER);
  if (shows_end()) guard->initialized = 1;
}

HEDDLE_EXPORT void __cxa_guard_abort(Guard* guard) {
  if (!controlled()) return real::guard_abort(guard);
  perform(OperationKind::OnceAbort, guard_object(guard, HEDDLE_CALLER), HEDDLE_CALLER);
}
