// See wakeup_tree.h.
#include "search/wakeup_tree.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/assert.h"

namespace heddle {
namespace {

void append(WakeupTree& tree, const std::vector<Event>& sequence, bool may_not_exist) {
  WakeupTree* at = &tree;
  for (const Event& event : sequence) {
    at->emplace_back(event, WakeupTree(), may_not_exist && &event == &sequence.back());
    at = &at->back().children;
  }
}

}  // namespace

void WakeupNode::clear(std::vector<WakeupNode> tree) {
  while (!tree.empty()) {
    std::vector<WakeupNode> below = std::move(tree.back().children);
    tree.back().children.clear();
    tree.pop_back();
    std::move(below.begin(), below.end(), std::back_inserter(tree));
  }
}

std::uint32_t length_of_first_branch(const WakeupTree& tree) {
  std::uint32_t length = 0;
  each_on_first_branch(tree, [&](const Event&) { ++length; });
  return length;
}

const WakeupNode& on_first_branch(const WakeupTree& tree, std::uint32_t depth) {
  const WakeupTree* at = &tree;
  for (; depth > 0; --depth) at = &at->front().children;
  HEDDLE_ASSERT(!at->empty(), "the first branch is at least so long");
  return at->front();
}

bool is_weak_initial(const Event& event, const std::vector<Event>& sequence) {
  for (const Event& other : sequence) {
    if (other.choice.task == event.choice.task) return other.choice.variant == event.choice.variant;
    if (dependent(event, other)) return false;
  }
  // Its task may take another alternative behind the sequence, and that one need not be independent of it.
  return event.choice.variant == 0;
}

void remove_first(std::vector<Event>& sequence, TaskId task) {
  const auto found =
      std::find_if(sequence.begin(), sequence.end(), [task](const Event& event) { return event.choice.task == task; });
  if (found != sequence.end()) sequence.erase(found);
}

void insert(WakeupTree& tree, std::vector<Event> sequence, bool may_not_exist) {
  WakeupTree* at = &tree;
  for (;;) {
    const auto branch = std::find_if(at->begin(), at->end(),
                                     [&](const WakeupNode& node) { return is_weak_initial(node.event, sequence); });
    if (branch == at->end()) break;
    if (branch->children.empty() && !branch->alternative) return;  // whatever it leads to will be explored
    remove_first(sequence, branch->event.choice.task);
    branch->end = branch->end || sequence.empty();
    at = &branch->children;
  }
  append(*at, sequence, may_not_exist);
}

// What was added behind the leaf does not depend on it, so it exists without it. Of the way, what leads to nothing else
// goes, too, as far up as nothing else was wanted there.
void take_out_leaf(WakeupTree& tree, std::uint32_t depth) {
  std::vector<WakeupTree*> way{&tree};
  for (; depth > 0; --depth) way.push_back(&way.back()->front().children);
  const bool covered_something = !way.back()->front().alternative;
  const WakeupTree behind = std::move(way.back()->front().children);
  way.back()->erase(way.back()->begin());
  way.back()->insert(way.back()->end(), behind.begin(), behind.end());
  for (; !covered_something && way.size() > 1 && way.back()->empty(); way.pop_back()) {
    WakeupTree& above = *way[way.size() - 2];
    if (above.front().alternative || above.front().end) return;
    above.erase(above.begin());
  }
}

void transfer(const WakeupTree& tree, StateWriter& writer) {
  writer(std::uint64_t{tree.size()});
  std::vector<std::pair<const WakeupTree*, std::size_t>> open{{&tree, 0}};  // and how many were written
  while (!open.empty()) {
    auto& [nodes, done] = open.back();
    if (done == nodes->size()) {
      open.pop_back();
      continue;
    }
    const WakeupNode& node = (*nodes)[done++];
    writer(node.event, node.alternative, node.end, std::uint64_t{node.children.size()});
    open.emplace_back(&node.children, 0);
  }
}

void transfer(WakeupTree& tree, StateReader& reader) {
  std::uint64_t count = 0;
  reader(count);
  tree.clear();
  std::vector<std::pair<WakeupTree*, std::uint64_t>> open{{&tree, count}};  // and how many are to be read
  while (!open.empty() && !reader.failed()) {
    auto& [nodes, left] = open.back();
    if (left == 0) {
      open.pop_back();
      continue;
    }
    --left;
    WakeupNode& node = nodes->emplace_back();
    reader(node.event, node.alternative, node.end, count);
    open.emplace_back(&node.children, count);
  }
}

}  // namespace heddle
