// What partial-order reduction still has to explore: the tree of the states that executions have come through. It holds
// only states below which something is left. When nothing is left below a state, its parent remembers only that the
// step to it has been explored.
//
// The branches of a state have an order. A branch may begin before the subtrees of the branches before it have been
// explored, and sequences that are found there may still have to be inserted below it. The subtree of a state is
// complete without help from elsewhere only if nothing slept when the state was entered. Such a state *stands alone*.
// Any other state stays in the tree, even while nothing is left below it, until the nearest state above it that stands
// alone has been explored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/races.h"
#include "search/wakeup_tree.h"

namespace heddle {

class ExplorationTree {
 public:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = 0xffffffff;
  static constexpr NodeId kRoot = 0;

  // A state.
  struct Node {
    NodeId parent = kNone;         // next free node while unused
    NodeId deviation = kNone;      // the nearest step to here, this one included, that the target does not do by itself
    std::uint32_t depth = 0;       // steps before it
    std::uint32_t unfinished = 0;  // states right behind it, of which something is left
    std::uint32_t asleep = 0;      // so many of `sleep` slept when it was entered
    Choice made;                   // the step to here
    bool stands_alone = true;
    bool finished = false;  // nothing is left
    bool out = false;       // a plan of its first branch, or of the root itself, is with the target
    bool ready = false;     // among those that take_deepest() gives
    // Need not be taken first from here: explored from an equivalent place; then, in the order of the branches, what
    // has been taken from here, with the state it leads to (kNone: one that stands alone and may be gone). The variants
    // of an operation stand side by side: where its first one sleeps, nobody finds the others.
    std::vector<Event> sleep;
    std::vector<NodeId> children;
    // What sleeps when the branch begins that takes this: what comes before the variants of its operation.
    std::span<const Event> sleepers(Choice taken) const;
    void add_branch(const Event& taken, NodeId child);
    WakeupTree wakeup;  // still to be explored; the first branch may be out
    // Of what is behind it and is not in the tree any more:
    std::uint64_t explored = 0;  // executions
    std::uint32_t branches = 0;  // in so many of its own branches

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.parent, self.deviation, self.depth, self.unfinished, self.asleep, self.made, self.stands_alone,
              self.finished, self.out, self.ready, self.sleep, self.children, self.explored, self.branches);
      heddle::transfer(self.wakeup, archive);
    }
  };

  ExplorationTree();
  Node& operator[](NodeId id) { return nodes_[id]; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }

  // The state behind the step `made`, in which `asleep` sleeps.
  NodeId add(NodeId parent, const Event& made, bool by_default, const std::vector<Event>& asleep);
  // A step from there has been explored, and what it leads to stands alone.
  void note_explored(NodeId id, const Event& made, std::uint64_t executions);
  // Sees to it that what the sequence leads to from there is explored, where other steps than `made` are taken first.
  // `may_not_exist`: its last step may turn out to be impossible.
  void insert(NodeId id, const std::vector<Event>& sequence, Choice made, bool may_not_exist = false);
  // Inserts what had to wait until the first branch of this state had been run. To be called when it is not out any
  // more.
  void insert_late(NodeId id);
  // Another choice at the same step, unless it is known there.
  void add_alternative(NodeId id, const Event& event);
  // The first branch of this state is out no more. It was run: what stands beside it below its first step is returned.
  WakeupTree take_first(NodeId id);
  // … it can't be taken further than to before `step`. What stands beside it is explored, and if that is nothing and it
  // covered something, whatever is behind the step before.
  void take_out_first(NodeId id, std::uint32_t step);
  // … it was lost, and is not explored.
  void give_up_first(NodeId id);
  // Makes these the branches of a state that has none: they were counted with those above it until they were taken.
  void give_back(NodeId id, WakeupTree branches);
  // Branches that are left, the one of a plan without any included.
  std::uint64_t pending() const { return pending_; }
  // To be called for a state whose branches have become more, or are not out any more.
  void make_ready(NodeId id);
  // The deepest state of which a branch could be explored next; of several, the one that has become ready last. kNone:
  // there is none.
  NodeId take_deepest();
  // To be called for a state of which nothing may be left. Takes out what can go: it, and the states above it of which
  // nothing is left then either. Returns the depth of the highest that has gone; a large number: none has.
  std::uint32_t settle(NodeId id);
  // How many executions there will have been. Of the branches that have not been begun each counts as the mean of those
  // of the same state that have. Branches are still found until a state has gone: `low` counts none of these; by `high`
  // each state will have as many as those that have gone had, at its depth or the next below of which enough are known.
  struct Estimate {
    double low = 0, high = 0;
  };
  Estimate estimate() const;

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.nodes_, self.first_free_, self.ready_, self.made_ready_, self.gone_, self.late_, self.pending_);
  }

 private:
  struct Ready {
    std::uint32_t depth = 0;
    NodeId node = kNone;
    std::uint64_t order = 0;
    friend bool operator<(const Ready& one, const Ready& other) {
      return one.depth != other.depth ? one.depth < other.depth : one.order < other.order;
    }
  };
  bool nothing_left(NodeId id) const {
    const Node& node = nodes_[id];
    return node.unfinished == 0 && node.wakeup.empty() && !node.out;
  }
  // The states that have gone, and their branches.
  struct Gone {
    std::uint64_t states = 0, branches = 0;
  };
  // A sequence that the branch of this state might cover which is out: what sleeps behind it is not known yet.
  struct Late {
    NodeId node = kNone;
    std::vector<Event> sequence;
    Choice made;
    bool may_not_exist = false;

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.node, self.sequence, self.made, self.may_not_exist);
    }
  };
  bool has_to_wait(const Node& node, const std::vector<Event>& sequence) const;
  std::vector<double> branches_by_depth() const;
  double estimate(const std::vector<NodeId>& states, const std::vector<double>& branches) const;
  void begin_again(NodeId id);
  void drop(NodeId id);
  void release(NodeId id);

  std::vector<Node> nodes_;
  NodeId first_free_ = kNone;
  std::vector<Ready> ready_;  // a heap
  std::uint64_t made_ready_ = 0;
  std::vector<NodeId> dropping_;
  std::vector<Gone> gone_;  // by depth
  std::vector<Late> late_;
  std::uint64_t pending_ = 1;  // the first execution
};

}  // namespace heddle
