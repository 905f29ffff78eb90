// Plans in the order in which they were submitted: a ring that keeps its memory. A std::deque would free and allocate
// memory every few plans. It would also divide to compute its size, which is needed several times per execution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "trace/plan.h"

namespace heddle {

class PlanQueue {
 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }
  // The number `index` from the front.
  Plan& operator[](std::size_t index) { return ring_[(first_ + index) & (ring_.size() - 1)]; }
  const Plan& operator[](std::size_t index) const { return ring_[(first_ + index) & (ring_.size() - 1)]; }
  Plan& front() { return (*this)[0]; }
  void push_back(Plan&& plan) {
    if (size() == ring_.size()) grow();
    ring_[end_++ & (ring_.size() - 1)] = std::move(plan);
  }
  // Not of an empty one. What the front was moved from may be left there.
  void pop_front() { ++first_; }
  // How many stand before the plan of this id; size() when there is none.
  std::size_t find(PlanId id) const {
    std::size_t index = 0;
    while (index < size() && (*this)[index].id != id) ++index;
    return index;
  }
  // All of them, in their order; none is left.
  std::vector<Plan> take_all() {
    std::vector<Plan> plans;
    for (; !empty(); pop_front()) plans.push_back(std::move(front()));
    return plans;
  }

 private:
  void grow() {
    std::vector<Plan> larger(std::max<std::size_t>(16, 2 * ring_.size()));
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = std::move((*this)[i]);
    ring_ = std::move(larger);
    first_ = 0;
    end_ = count;
  }

  std::vector<Plan> ring_;  // a power of two, or empty
  std::size_t first_ = 0, end_ = 0;
};

}  // namespace heddle
