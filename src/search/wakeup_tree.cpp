// See wakeup_tree.h.
#include "search/wakeup_tree.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

// Takes the first step of the event's task out of the sequence.
void remove_first(std::vector<Event>& sequence, TaskId task) {
  const auto found =
      std::find_if(sequence.begin(), sequence.end(), [task](const Event& event) { return event.choice.task == task; });
  if (found != sequence.end()) sequence.erase(found);
}

void append(WakeupTree& tree, const std::vector<Event>& sequence) {
  WakeupTree* at = &tree;
  for (const Event& event : sequence) {
    at->push_back({event, {}});
    at = &at->back().children;
  }
}

}  // namespace

bool is_weak_initial(const Event& event, const std::vector<Event>& sequence) {
  for (const Event& other : sequence) {
    if (other.choice.task == event.choice.task) return other.choice.variant == event.choice.variant;
    if (dependent(event, other)) return false;
  }
  return true;
}

bool insert(WakeupTree& tree, std::vector<Event> sequence) {
  WakeupTree* at = &tree;
  for (;;) {
    const auto branch = std::find_if(at->begin(), at->end(),
                                     [&](const WakeupNode& node) { return is_weak_initial(node.event, sequence); });
    if (branch == at->end()) break;
    if (branch->children.empty()) return false;  // whatever it leads to will be explored
    remove_first(sequence, branch->event.choice.task);
    at = &branch->children;
  }
  append(*at, sequence);
  return !sequence.empty();
}

}  // namespace heddle
