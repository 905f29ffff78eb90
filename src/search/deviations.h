// Schedules from which others branch off. Each is stored as its parent and its last deviation from the default
// behaviour, in 14 bytes. A schedule is here once it was handed out, while some of its successors are still to be run
// or some of its choices were pruned. Schedules that are still to be run are entries of the frontier (frontier.h)
// instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "trace/large_pages.h"
#include "trace/plan.h"

namespace heddle {

class Deviations {
 public:
  using Id = std::uint32_t;
  static constexpr Id kNone = 0xffffffff;
  static constexpr std::uint32_t kRootStep = 0xffffffff;  // of the one that deviates nowhere

  struct Node {
    Id parent = kNone;       // the next free node while unused
    std::uint32_t step = 0;  // of the last deviation
    Choice choice;           // made there
  };
  static_assert(sizeof(Node) == 12);

  const Node& operator[](Id id) const { return nodes_[id]; }
  // With one reference. The reference that its successor had to the parent is the node's from now on.
  Id add(Id parent, std::uint32_t step, Choice choice) {
    Id id = first_free_;
    if (id != kNone) {
      --free_count_;
      first_free_ = nodes_[id].parent;
    } else {
      id = static_cast<Id>(nodes_.size());
      nodes_.emplace_back();
      references_.push_back(0);
    }
    nodes_[id] = {parent, step, choice};
    references_[id] = 1;
    return id;
  }
  void refer_to(Id id) {
    if (id != kNone && references_[id] != kMany) ++references_[id];
  }
  // Gives one reference back; a node without any is free, and its parent has one child less.
  void release(Id id) {
    while (id != kNone && references_[id] != kMany && --references_[id] == 0) {
      const Id parent = std::exchange(nodes_[id].parent, first_free_);
      first_free_ = id;
      ++free_count_;
      id = parent;
    }
  }
  // It is asked for soon.
  void prefetch(Id id) const {
    if (id != kNone) __builtin_prefetch(&nodes_[id]);
  }
  // All deviations, the first one first.
  void write_to(Deltas& deltas, Id id) const {
    std::size_t depth = 0;
    for (Id at = id; nodes_[at].step != kRootStep; at = nodes_[at].parent) ++depth;
    deltas.resize(depth);
    for (Id at = id; depth > 0; at = nodes_[at].parent) deltas[--depth] = {nodes_[at].step, nodes_[at].choice};
  }

  std::size_t in_use() const { return nodes_.size() - free_count_; }
  static constexpr std::size_t bytes_each() { return sizeof(Node) + sizeof(References); }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.nodes_, self.references_, self.first_free_, self.free_count_);
  }

 private:
  // From children, from the frontier, from what was pruned, and from a plan that is outstanding. A node that ever had
  // kMany stays.
  using References = std::uint16_t;
  static constexpr References kMany = 0xffff;

  LargeVector<Node> nodes_;
  LargeVector<References> references_;  // by node
  Id first_free_ = kNone;
  std::size_t free_count_ = 0;
};

}  // namespace heddle
