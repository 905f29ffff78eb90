// See sanitizer.h. Its parts lie side by side, in a library or in the program, and what they offer to programs is known
// by name: what makes system calls lies between.
#include "runtime/system_calls/sanitizer.h"

#include <dlfcn.h>
#include <sys/syscall.h>

namespace heddle::runtime {
namespace {

constexpr const char* kFunctions[] = {"__asan_init",
                                      "__asan_address_is_poisoned",
                                      "__asan_report_error",
                                      "__sanitizer_print_stack_trace",
                                      "__ubsan_handle_add_overflow",
                                      "__ubsan_handle_builtin_unreachable"};
constexpr Site kMost = Site{1} << 24;  // bytes

HEDDLE_PERMANENT Site first = 0;
HEDDLE_PERMANENT Site last = 0;

}  // namespace

void find_sanitizer() {
  const InsideScope inside;
  if (dlsym(RTLD_DEFAULT, kFunctions[0]) == nullptr) return;
  Site lowest = UINT64_MAX, highest = 0;
  for (const char* name : kFunctions) {
    const auto address = reinterpret_cast<Site>(dlsym(RTLD_DEFAULT, name));
    if (address == 0) continue;
    if (address < lowest) lowest = address;
    if (address > highest) highest = address;
  }
  if (highest - lowest > kMost) return;  // they lie in different files
  first = lowest;
  last = highest;
}

bool is_sanitizers_own(long number, Site site) {
  if (site < first || site >= last) return false;
  return number != SYS_futex && number != SYS_sched_yield;
}

}  // namespace heddle::runtime
