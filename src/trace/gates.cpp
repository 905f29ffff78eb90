// See gates.h.
#include "trace/gates.h"

namespace heddle {

void Gates::name(std::uint16_t gate) {
  any_ = true;
  named_ = gate;
  if (gate >= first_.size()) first_.resize(gate + 1u, kNoTask);
}

void Gates::stand(TaskId task, std::uint16_t gate) {
  if (of(task) == gate) return;
  if (task >= places_.size()) places_.resize(task + 1u);
  Place& own = places_[task];
  if (own.gate != 0) {
    (own.previous == kNoTask ? first_[own.gate] : places_[own.previous].next) = own.next;
    if (own.next != kNoTask) places_[own.next].previous = own.previous;
  }
  own = {gate, kNoTask, kNoTask};
  if (gate == 0) return;
  own.next = first_[gate];
  if (own.next != kNoTask) places_[own.next].previous = task;
  first_[gate] = task;
}

}  // namespace heddle
