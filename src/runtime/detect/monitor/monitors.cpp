// See monitor.h.
#include "runtime/detect/modules.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {

constinit ExecutionMonitors execution_monitors{};

namespace {

#define HEDDLE_ADDRESS(name, word, says) &k##name##Monitor,
constexpr const Monitor* kMonitors[] = {HEDDLE_MONITORS(HEDDLE_ADDRESS)};
#undef HEDDLE_ADDRESS

template <typename... Parameters, typename... Arguments>
void tell(void (*Monitor::*what)(Parameters...), const Arguments&... arguments) {
  for (MonitorSet left = execution_monitors.active; left != 0; left &= left - 1) {
    const Monitor& monitor = *kMonitors[__builtin_ctz(left)];
    if (monitor.*what != nullptr) (monitor.*what)(arguments...);
  }
}

// --- accesses: what instrumented code calls where somebody listens; the race detector's functions come behind

bool is_heard() { return monitored() && !runtime.inside && !is_foreign_thread(); }

void hear(const void* address, std::size_t size, bool write, const void* caller) {
  if (is_heard()) tell(&Monitor::on_access, PlainAccess{address, size, write, caller});
}

template <unsigned kIndex, bool kWrite>
void on_access(const void* address, const void* caller) {
  hear(address, std::size_t{1} << kIndex, kWrite, caller);
  (kWrite ? execution_watch.beneath_listener->write : execution_watch.beneath_listener->read)[kIndex](address, caller);
}

template <bool kWrite>
void on_range(const void* address, std::size_t size, const void* caller) {
  hear(address, size, kWrite, caller);
  (kWrite ? execution_watch.beneath_listener->write_range : execution_watch.beneath_listener->read_range)(address, size,
                                                                                                          caller);
}

constexpr instrument::Accesses kListening = {
    {on_access<0, false>, on_access<1, false>, on_access<2, false>, on_access<3, false>, on_access<4, false>},
    {on_access<0, true>, on_access<1, true>, on_access<2, true>, on_access<3, true>, on_access<4, true>},
    on_range<false>,
    on_range<true>,
    [](const void* caller) { return execution_watch.beneath_listener->is_point(caller); },
    [](const void* address, const void* caller) {
      hear(address, sizeof(void*), false, caller);
      execution_watch.beneath_listener->vptr_read(address, caller);
    },
    [](const void* address, const void* value, const void* caller) {
      hear(address, sizeof(void*), *static_cast<const void* const*>(address) != value, caller);
      execution_watch.beneath_listener->vptr_update(address, value, caller);
    },
    [](const void* caller, const void* frame) { execution_watch.beneath_listener->enter(caller, frame); },
    [] { execution_watch.beneath_listener->leave(); },
    [](const void* block, std::size_t size) {
      if (execution_watch.beneath_listener->allocated != nullptr)
        execution_watch.beneath_listener->allocated(block, size);
    }};

bool somebody_listens() {
  for (MonitorSet left = execution_monitors.active; left != 0; left &= left - 1)
    if (kMonitors[__builtin_ctz(left)]->on_access != nullptr) return true;
  return false;
}

}  // namespace

void prepare_monitors() {
  for (MonitorSet left = config.monitors; left != 0; left &= left - 1)
    if (const auto prepare = kMonitors[__builtin_ctz(left)]->prepare; prepare != nullptr) prepare();
}

void begin_monitors() {
  for (MonitorSet left = config.monitors; left != 0; left &= left - 1) {
    const auto begin = kMonitors[__builtin_ctz(left)]->begin;
    const MonitorSet one = left & ~(left - 1);
    if (begin == nullptr || begin())
      execution_monitors.active |= one;
    else
      runtime.shared->status.monitors_missing.fetch_or(one);
  }
  if (somebody_listens()) listen_to_accesses(&kListening);
}

void end_monitors() {
  if (monitored()) tell(&Monitor::on_end);
}

void leave_monitors() {
  tell(&Monitor::leave);
  execution_monitors.active = 0;
}

void monitor_switch(TaskId next) { tell(&Monitor::on_switch, next); }

void monitor_step(const model::TakenStep& step, Site site) { tell(&Monitor::on_step, step, site); }

void monitor_allocated(const void* address, std::size_t size) { tell(&Monitor::on_allocated, address, size); }

void monitor_freed(const void* memory, std::size_t size, const void* caller) {
  tell(&Monitor::on_freed, memory, size, caller);
}

}  // namespace heddle::runtime
