// See modules.h.
#include "runtime/detect/modules.h"

#include <dlfcn.h>

#include "runtime/state/modules.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

using instrument::Module;

constinit ExecutionWatch execution_watch{};

namespace {

void on_access(const void*, const void*) {}
void on_range(const void*, std::size_t, const void*) {}

constexpr instrument::Accesses kNobody = {{on_access, on_access, on_access, on_access, on_access},
                                          {on_access, on_access, on_access, on_access, on_access},
                                          on_range,
                                          on_range,
                                          [](const void*) { return false; },
                                          on_access,
                                          [](const void*, const void*, const void*) {},
                                          on_access,
                                          [] {},
                                          nullptr};

void tell_modules(const instrument::Accesses* to) {
  execution_watch.accesses = to;
  for (Module* module = execution_modules.first_instrumented; module != nullptr; module = module->next)
    module->accesses = to;
}

}  // namespace

void watch_accesses(const instrument::Accesses* to) {
  execution_watch.beneath_listener = to;
  if (execution_watch.listener == nullptr) tell_modules(to);
}

void listen_to_accesses(const instrument::Accesses* by) {
  if (execution_watch.beneath_listener == nullptr) execution_watch.beneath_listener = &kNobody;
  execution_watch.listener = by;
  tell_modules(by);
}

void watch_points(const instrument::Points* to) {
  execution_watch.points = to;
  for (Module* module = execution_modules.first_instrumented; module != nullptr; module = module->next)
    module->points = to;
}

bool is_instrumented(const void* code) {
  dl_find_object file;
  if (_dl_find_object(const_cast<void*>(code), &file) != 0) return false;
  for (const Module* module = execution_modules.first_instrumented; module != nullptr; module = module->next)
    if (module->code >= file.dlfo_map_start && module->code < file.dlfo_map_end) return true;
  return false;
}

}  // namespace heddle::runtime
