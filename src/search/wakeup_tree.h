// Wakeup trees: what still has to be explored from a state, as an ordered tree of sequences of choices. Each path to a
// leaf leads to executions that no earlier branch reaches, so no execution ends because everything sleeps.
//
// Source: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, section 5 (definitions 5.1 to 5.4).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/races.h"
#include "trace/state_archive.h"

namespace heddle {

struct WakeupNode {
  WakeupNode() = default;
  explicit WakeupNode(const Event& first, std::vector<WakeupNode> behind = {}, bool is_alternative = false)
      : event(first), children(std::move(behind)), alternative(is_alternative) {}
  WakeupNode(const WakeupNode&) = default;
  WakeupNode(WakeupNode&&) = default;
  WakeupNode& operator=(const WakeupNode&) = default;
  WakeupNode& operator=(WakeupNode&&) = default;
  // Trees are as deep as executions are long: no recursion.
  ~WakeupNode() {
    if (!children.empty()) clear(std::move(children));
  }
  static void clear(std::vector<WakeupNode> tree);

  Event event;
  std::vector<WakeupNode> children;  // in the order of exploration; none: a leaf
  // As a leaf it covers nothing: of an operation with several outcomes, one that no race asked for, behind which
  // everything may sleep; or an order that may not exist (Race::may_not_exist).
  bool alternative = false;
  // A sequence that was added ends here: what is behind it may go, it stays.
  bool end = false;
};
using WakeupTree = std::vector<WakeupNode>;

// For `run --resume`: in preorder, each node behind the number of its children. Trees are as deep as executions are
// long, so no recursion.
void transfer(const WakeupTree& tree, StateWriter& writer);
void transfer(WakeupTree& tree, StateReader& reader);

// Calls visit(event) for the first branch, down to its leaf.
template <typename Visit>
void each_on_first_branch(const WakeupTree& tree, Visit visit) {
  for (const WakeupTree* at = &tree; !at->empty(); at = &at->front().children) visit(at->front().event);
}
std::uint32_t length_of_first_branch(const WakeupTree& tree);
// The node of it so many steps below its first.
const WakeupNode& on_first_branch(const WakeupTree& tree, std::uint32_t depth);

// Could `event` be taken first, without changing what `sequence` leads to: is it among its weak initials?
bool is_weak_initial(const Event& event, const std::vector<Event>& sequence);

// Takes the first step of the task out of the sequence.
void remove_first(std::vector<Event>& sequence, TaskId task);

// Adds the sequence, unless what it leads to is covered by a branch that is there. `may_not_exist`: its last step may
// turn out to be impossible.
void insert(WakeupTree& tree, std::vector<Event> sequence, bool may_not_exist = false);
// Takes out the leaf at the end of the first branch, `depth` steps below the first, which has turned out not to exist,
// and the way that leads only there: what was added behind it stands in its place now.
void take_out_leaf(WakeupTree& tree, std::uint32_t depth);

}  // namespace heddle
