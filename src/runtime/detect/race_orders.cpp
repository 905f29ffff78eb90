// See race_orders.h.
#include "runtime/detect/race_orders.h"

#include "model/ordering.h"

namespace heddle::runtime {

HEDDLE_PERMANENT constinit PermanentDetector permanent_detector{};

// Like ThreadSanitizer, they also go with the atomic operations on that address.
void order_acquire(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  permanent_detector.detector->clocks().acquire(runtime.current, model::key_of_address(at));
  permanent_detector.detector->clocks().acquire(runtime.current, model::key_of_annotation(at));
  permanent_detector.detector->switch_to(runtime.current);
}

void order_release(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  permanent_detector.detector->clocks().release(runtime.current, model::key_of_address(at));
  permanent_detector.detector->clocks().release(runtime.current, model::key_of_annotation(at));
  permanent_detector.detector->note_published(at);
  permanent_detector.detector->switch_to(runtime.current);
}

void race_new_task(TaskId task, TaskId creator) {
  if (!detects_races()) return;
  permanent_detector.detector->clocks().add_task(task, creator);
  permanent_detector.detector->switch_to(runtime.current);
}

void race_pass_on(TaskId from, TaskId to) {
  if (!detects_races()) return;
  constexpr unsigned kPassedOn = 4;
  const model::ClockKey key = model::key_of_object(runtime.world->task(to).thread, kPassedOn);
  permanent_detector.detector->clocks().release(from, key);
  permanent_detector.detector->clocks().acquire(to, key);
  permanent_detector.detector->switch_to(runtime.current);
}

}  // namespace heddle::runtime
