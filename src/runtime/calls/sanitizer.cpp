// See sanitizer.h. The parts of AddressSanitizer's runtime lie side by side, in a library or in the program. Its public
// functions are known by name, and the code that makes system calls lies between them. UndefinedBehaviorSanitizer's
// runtime is recognized only where it is a library of its own.
#include "runtime/calls/sanitizer.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/state/objects.h"

namespace heddle::runtime {
namespace {

constexpr const char* kFunctions[] = {"__asan_init",
                                      "__asan_address_is_poisoned",
                                      "__asan_report_error",
                                      "__sanitizer_print_stack_trace",
                                      "__ubsan_handle_add_overflow",
                                      "__ubsan_handle_builtin_unreachable"};
constexpr Site kMax = Site{1} << 24;  // bytes

struct PermanentSanitizer {
  Site first = 0;
  Site last = 0;
};
HEDDLE_PERMANENT constinit PermanentSanitizer permanent_sanitizer{};

}  // namespace

namespace {

bool is_library_of_undefined_behavior(const char* path) { return strstr(path, "ubsan") != nullptr; }

void find_undefined_behavior() {
  void* const function = dlsym(RTLD_DEFAULT, "__ubsan_handle_add_overflow");
  Dl_info library{};
  dl_find_object object{};
  if (function == nullptr || dladdr(function, &library) == 0 || !is_library_of_undefined_behavior(library.dli_fname) ||
      _dl_find_object(function, &object) != 0)
    return;
  permanent_sanitizer.first = reinterpret_cast<Site>(object.dlfo_map_start);
  permanent_sanitizer.last = reinterpret_cast<Site>(object.dlfo_map_end);
}

void find_poison() {
  const auto asked =
      reinterpret_cast<decltype(PermanentPoison::is_poisoned)>(dlsym(RTLD_DEFAULT, "__asan_address_is_poisoned"));
  const auto report = reinterpret_cast<decltype(PermanentPoison::report)>(dlsym(RTLD_DEFAULT, "__asan_report_error"));
  if (asked != nullptr && report != nullptr) permanent_poison = {asked, report};
}

}  // namespace

void find_sanitizer() {
  const InsideScope inside;
  if (dlsym(RTLD_DEFAULT, kFunctions[0]) == nullptr) return find_undefined_behavior();
  find_poison();
  Site lowest = UINT64_MAX, highest = 0;
  for (const char* name : kFunctions) {
    const auto address = reinterpret_cast<Site>(dlsym(RTLD_DEFAULT, name));
    if (address == 0) continue;
    if (address < lowest) lowest = address;
    if (address > highest) highest = address;
  }
  if (highest - lowest > kMax) return;  // they lie in different files
  permanent_sanitizer.first = lowest;
  permanent_sanitizer.last = highest;
}

bool is_sanitizers_own(long number, Site site) {
  if (site < permanent_sanitizer.first || site >= permanent_sanitizer.last) return false;
  return number != SYS_futex && number != SYS_sched_yield;
}

}  // namespace heddle::runtime
