// See perform.h.
#include "runtime/system_calls/perform.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "runtime/runtime.h"
#include "runtime/system_calls/files.h"

namespace heddle::runtime {

namespace {

// Calls on a descriptor that never waits are made as they are; they are many.
bool concerns_others(const SystemCall& call) {
  switch (call.number) {
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_close:
      return can_wait_on(call.arguments[0]);
    case SYS_fcntl:
      return call.arguments[1] != F_GETFD && call.arguments[1] != F_SETFD && call.arguments[1] != F_GETFL;
    default:
      return concerns_others(call);
  }
}

}  // namespace

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
