// See exploration_tree.h.
#include "search/exploration_tree.h"

#include <algorithm>
#include <utility>

namespace heddle {

ExplorationTree::ExplorationTree() { nodes_.emplace_back(); }

ExplorationTree::NodeId ExplorationTree::add(NodeId parent, const Event& made, bool by_default,
                                             const std::vector<Event>& asleep) {
  NodeId id = first_free_;
  if (id == kNone) {
    id = static_cast<NodeId>(nodes_.size());
    nodes_.emplace_back();
  } else {
    first_free_ = nodes_[id].parent;
  }
  Node& node = nodes_[id];
  Node& above = nodes_[parent];
  node.parent = parent;
  node.deviation = by_default ? above.deviation : id;
  node.depth = above.depth + 1;
  node.made = made.choice;
  node.sleep.assign(asleep.begin(), asleep.end());
  node.asleep = static_cast<std::uint32_t>(asleep.size());
  node.stands_alone = asleep.empty();
  ++above.unfinished;
  above.add_branch(made, id);
  return id;
}

void ExplorationTree::Node::add_branch(const Event& taken, NodeId child) {
  std::size_t at = children.size();
  while (at != 0 && sleep[asleep + at - 1].choice.task != taken.choice.task) --at;
  if (at == 0) at = children.size();
  sleep.insert(sleep.begin() + static_cast<std::ptrdiff_t>(asleep + at), taken);
  children.insert(children.begin() + static_cast<std::ptrdiff_t>(at), child);
}

std::span<const Event> ExplorationTree::Node::sleepers(Choice taken) const {
  const auto same = [&](const Event& event) { return event.choice.task == taken.task; };
  return {sleep.begin(), std::find_if(sleep.begin() + asleep, sleep.end(), same)};
}

void ExplorationTree::note_explored(NodeId id, const Event& made, std::uint64_t executions) {
  Node& node = nodes_[id];
  node.add_branch(made, kNone);
  node.explored += executions;
  ++node.branches;
}

// As insert() into a wakeup tree (section 5 of the paper), which goes on in those of the branches that have been begun.
void ExplorationTree::insert(NodeId id, const std::vector<Event>& sequence, Choice made, bool may_not_exist) {
  const Node& first = nodes_[id];
  if (std::any_of(first.sleep.begin(), first.sleep.begin() + first.asleep,
                  [&](const Event& event) { return is_weak_initial(event, sequence); }))
    return;
  std::vector<Event> rest = sequence;
  for (;;) {
    const Node& node = nodes_[id];
    const auto begun = node.sleep.begin() + node.asleep;
    const auto branch = std::find_if(begun, node.sleep.end(), [&](const Event& event) {
      return event.choice != made && is_weak_initial(event, rest);
    });
    if (branch == node.sleep.end()) break;
    const NodeId child = node.children[static_cast<std::size_t>(branch - begun)];
    if (child == kNone || nodes_[child].stands_alone) return;
    remove_first(rest, branch->choice.task);
    id = child;
    made = {kNoTask, 0};
  }
  if (has_to_wait(nodes_[id], rest)) {
    late_.push_back({id, std::move(rest), made, may_not_exist});
    return;
  }
  WakeupTree& wakeup = nodes_[id].wakeup;
  const std::size_t before = wakeup.size();
  heddle::insert(wakeup, std::move(rest), may_not_exist);
  if (wakeup.size() != before) begin_again(id);
  make_ready(id);
  pending_ += wakeup.size() - before;
}

bool ExplorationTree::has_to_wait(const Node& node, const std::vector<Event>& sequence) const {
  if (!node.out) return false;
  std::vector<Event> rest = sequence;
  for (const WakeupTree* at = &node.wakeup; !at->empty(); at = &at->front().children) {
    const WakeupNode& first = at->front();
    if (!is_weak_initial(first.event, rest)) return false;
    if (first.children.empty()) return first.alternative;
    remove_first(rest, first.event.choice.task);
  }
  return false;
}

void ExplorationTree::insert_late(NodeId id) {
  std::vector<Late> waiting;
  for (std::size_t i = 0; i < late_.size();) {
    if (late_[i].node != id) {
      ++i;
      continue;
    }
    waiting.push_back(std::move(late_[i]));
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Late& late : waiting) insert(id, late.sequence, late.made, late.may_not_exist);
}

void ExplorationTree::add_alternative(NodeId id, const Event& event) {
  Node& node = nodes_[id];
  const auto same = [&](const Event& other) { return other.choice == event.choice; };
  const bool known =
      std::any_of(node.sleep.begin(), node.sleep.end(), same) ||
      std::any_of(node.wakeup.begin(), node.wakeup.end(), [&](const WakeupNode& child) { return same(child.event); });
  if (known) return;
  node.wakeup.emplace(node.wakeup.begin() + (node.out ? 1 : 0), event, WakeupTree(), true);
  ++pending_;
}

WakeupTree ExplorationTree::take_first(NodeId id) {
  Node& node = nodes_[id];
  node.out = false;
  --pending_;
  WakeupTree taken;
  if (node.wakeup.empty()) return taken;
  taken = std::move(node.wakeup.front().children);
  node.wakeup.erase(node.wakeup.begin());
  return taken;
}

void ExplorationTree::take_out_first(NodeId id, std::uint32_t step) {
  Node& node = nodes_[id];
  node.out = false;
  pending_ -= node.wakeup.size();
  take_out_leaf(node.wakeup, step - node.depth);
  pending_ += node.wakeup.size();
}

void ExplorationTree::give_up_first(NodeId id) {
  Node& node = nodes_[id];
  node.out = false;
  --pending_;
  if (node.wakeup.empty()) return;
  note_explored(id, node.wakeup.front().event, 0);
  node.wakeup.erase(node.wakeup.begin());
}

void ExplorationTree::give_back(NodeId id, WakeupTree branches) {
  pending_ += branches.size();
  nodes_[id].wakeup = std::move(branches);
}

void ExplorationTree::begin_again(NodeId id) {
  while (std::exchange(nodes_[id].finished, false)) {
    id = nodes_[id].parent;
    ++nodes_[id].unfinished;
  }
}

void ExplorationTree::make_ready(NodeId id) {
  Node& node = nodes_[id];
  if (node.ready || node.out || node.wakeup.empty()) return;
  node.ready = true;
  ready_.push_back({node.depth, id, made_ready_++});
  std::push_heap(ready_.begin(), ready_.end());
}

ExplorationTree::NodeId ExplorationTree::take_deepest() {
  if (ready_.empty()) return kNone;
  std::pop_heap(ready_.begin(), ready_.end());
  const NodeId id = ready_.back().node;
  ready_.pop_back();
  nodes_[id].ready = false;
  return id;
}

std::uint32_t ExplorationTree::settle(NodeId id) {
  std::uint32_t highest = kNone;
  while (id != kRoot && !nodes_[id].finished && nothing_left(id)) {
    nodes_[id].finished = true;
    const NodeId parent = nodes_[id].parent;
    --nodes_[parent].unfinished;
    if (nodes_[id].stands_alone) {
      highest = nodes_[id].depth;
      drop(id);
    }
    id = parent;
  }
  return highest;
}

// With all that is behind it.
void ExplorationTree::drop(NodeId id) {
  Node& above = nodes_[nodes_[id].parent];
  *std::find(above.children.rbegin(), above.children.rend(), id) = kNone;
  std::uint64_t explored = 0;
  dropping_.assign(1, id);
  while (!dropping_.empty()) {
    const NodeId next = dropping_.back();
    dropping_.pop_back();
    explored += nodes_[next].explored;
    const std::uint32_t depth = nodes_[next].depth;
    if (depth >= gone_.size()) gone_.resize(depth + 1);
    ++gone_[depth].states;
    gone_[depth].branches += nodes_[next].children.size();
    for (const NodeId child : nodes_[next].children)
      if (child != kNone) dropping_.push_back(child);
    release(next);
  }
  above.explored += explored;
  ++above.branches;
}

void ExplorationTree::release(NodeId id) {
  Node& node = nodes_[id];
  Node empty;
  empty.parent = first_free_;
  std::swap(empty.sleep, node.sleep);  // keeps the memory
  std::swap(empty.children, node.children);
  empty.sleep.clear();
  empty.children.clear();
  node = std::move(empty);
  first_free_ = id;
}

// --- the estimate

ExplorationTree::Estimate ExplorationTree::estimate() const {
  std::vector<NodeId> states;
  for (NodeId id = 0; id < nodes_.size(); ++id)
    if (id == kRoot || nodes_[id].depth != 0) states.push_back(id);
  std::sort(states.begin(), states.end(),
            [this](NodeId one, NodeId other) { return nodes_[one].depth > nodes_[other].depth; });
  return {estimate(states, {}), estimate(states, branches_by_depth())};
}

std::vector<double> ExplorationTree::branches_by_depth() const {
  constexpr std::uint64_t kEnough = 8;
  std::vector<double> result(gone_.size(), 1);
  for (std::size_t depth = gone_.size(); depth-- > 0;) {
    const auto& [states, branches] = gone_[depth];
    if (states >= kEnough)
      result[depth] = static_cast<double>(branches) / static_cast<double>(states);
    else if (depth + 1 < result.size())
      result[depth] = result[depth + 1];
  }
  return result;
}

// The deepest states come first, the root is last. `branches` that a state will have, by depth.
double ExplorationTree::estimate(const std::vector<NodeId>& states, const std::vector<double>& branches) const {
  struct Begun {
    double executions = 0, branches = 0;
  };
  std::vector<Begun> behind(nodes_.size());  // in the tree
  double total = 0;
  for (const NodeId id : states) {
    const Node& node = nodes_[id];
    const double executions = behind[id].executions + static_cast<double>(node.explored);
    const double begun = behind[id].branches + node.branches;
    const double expected = node.depth < branches.size() ? branches[node.depth] : 0;
    const double left = std::max(static_cast<double>(node.wakeup.size()), expected - begun);
    total = executions + left * (begun > 0 ? executions / begun : 1);
    if (id == kRoot) break;
    behind[node.parent].executions += total;
    behind[node.parent].branches += 1;
  }
  return total;
}

}  // namespace heddle
