// See perform.h.
#include "runtime/system_calls/perform.h"

#include <sys/syscall.h>

#include "runtime/runtime.h"

namespace heddle::runtime {

bool is_modelled(const SystemCall& call) {
  if (runtime.mode != Mode::Branching || runtime.inside) return false;
  switch (call.number) {
#define HEDDLE_MODELLED_CALL(name, function) case SYS_##name:
#include "runtime/system_calls/modelled.def"
#undef HEDDLE_MODELLED_CALL
    return true;
    default:
      return false;
  }
}

long perform_system_call(const SystemCall& call, Site site) {
  switch (call.number) {
#define HEDDLE_MODELLED_CALL(name, function) \
  case SYS_##name:                           \
    return function(call, site);
#include "runtime/system_calls/modelled.def"
#undef HEDDLE_MODELLED_CALL
    default:
      __builtin_trap();  // is_modelled() said so
  }
}

}  // namespace heddle::runtime
