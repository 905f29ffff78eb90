// What programs that know ThreadSanitizer call by themselves (sanitizer/tsan_interface.h, dynamic annotations).
#include "instrument/module.h"

using namespace heddle::instrument;

namespace {

void tell(void (*Points::*member)(const void*, const void*), const void* address, const void* caller) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr)) (to->*member)(address, caller);
}

}  // namespace

HEDDLE_INSTRUMENT void __tsan_acquire(void* address) { tell(&Points::acquire, address, HEDDLE_CALLED_FROM); }
HEDDLE_INSTRUMENT void __tsan_release(void* address) { tell(&Points::release, address, HEDDLE_CALLED_FROM); }

HEDDLE_INSTRUMENT void AnnotateHappensAfter(const char*, int, const volatile void* address) {
  tell(&Points::acquire, const_cast<const void*>(address), HEDDLE_CALLED_FROM);
}

HEDDLE_INSTRUMENT void AnnotateHappensBefore(const char*, int, const volatile void* address) {
  tell(&Points::release, const_cast<const void*>(address), HEDDLE_CALLED_FROM);
}

HEDDLE_INSTRUMENT void AnnotateBenignRaceSized(const char*, int, const volatile void* address, std::size_t size,
                                               const char*) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))
    to->benign(const_cast<const void*>(address), size, HEDDLE_CALLED_FROM);
}
