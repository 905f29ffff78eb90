// See system_calls.h. A plain table: this file is also part of libheddle.so.
#include "protocol/system_calls.h"

#include <sys/syscall.h>

namespace heddle {

const char* system_call_name(long number) {
  switch (number) {
#define HEDDLE_CALL_NAME(name) \
  case SYS_##name:             \
    return #name;
#include "protocol/system_call_names.def"
#undef HEDDLE_CALL_NAME
    default:
      return nullptr;
  }
}

}  // namespace heddle
