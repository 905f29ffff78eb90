// The path through the tree of states (exploration_tree.h) to the state that was last looked at, and how an execution
// continues it.
#pragma once

#include <cstdint>
#include <vector>

#include "search/exploration_tree.h"
#include "trace/execution.h"

namespace heddle {

class ExplorationPath {
 public:
  using NodeId = ExplorationTree::NodeId;

  explicit ExplorationPath(ExplorationTree& tree) : tree_(tree) {}

  // Makes it the way from the root to there.
  void go_to(NodeId id);
  NodeId operator[](std::size_t depth) const { return nodes_[depth]; }
  NodeId last() const { return nodes_.back(); }
  std::size_t size() const { return nodes_.size(); }
  // So many of its steps are those of the execution that was read last.
  std::uint32_t known() const { return known_; }
  // Did the execution go that way, and then along the first branch? As far as it goes, where it ended asleep.
  bool followed(const Execution& execution) const;
  // Adds the states of an execution that did, with its steps as `events`: up to that before the step `until`, and
  // further as long as they do not stand alone; what is behind the last has been explored. Each sleep set follows from
  // the one before. `taken`: what stands beside the first branch that was taken.
  void extend(const Execution& execution, const std::vector<Event>& events, WakeupTree taken, std::uint32_t until);
  // The states from this depth on have gone.
  void cut(std::uint32_t depth);

 private:
  bool is_default(const Execution& execution, const std::vector<Event>& events, std::uint32_t step) const;

  ExplorationTree& tree_;
  std::vector<NodeId> nodes_;
  std::uint32_t known_ = 0;
  StateCursor cursor_;
  std::vector<Event> asleep_then_;  // of extend()
};

}  // namespace heddle
