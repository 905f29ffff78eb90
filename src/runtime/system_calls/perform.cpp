// See perform.h.
#include "runtime/system_calls/perform.h"

#include <sys/syscall.h>

#include <array>

#include "runtime/runtime.h"
#include "runtime/system_calls/closing.h"

namespace heddle::runtime {

namespace {

using Performer = long (*)(const SystemCall&, Site);

constexpr long kSystemCalls = 512;  // more than Linux has numbers for

constexpr std::array<Performer, kSystemCalls> make_performers() {
  std::array<Performer, kSystemCalls> performers{};
#define HEDDLE_MODELLED_CALL(name, function) performers[SYS_##name] = function;
#include "runtime/system_calls/modelled.def"
#undef HEDDLE_MODELLED_CALL
  return performers;
}

constexpr std::array<Performer, kSystemCalls> kPerformers = make_performers();

}  // namespace

bool is_modelled(const SystemCall& call) {
  if (runtime.mode != Mode::Branching || runtime.inside) return false;
  return call.number >= 0 && call.number < kSystemCalls && kPerformers[call.number] != nullptr;
}

long perform_system_call(const SystemCall& call, Site site) {
  long result = kStartsAnew;
  while (result == kStartsAnew) result = kPerformers[call.number](call, site);  // is_modelled() said so
  return result;
}

}  // namespace heddle::runtime
