// At which steps does the present plan part from the waiting plans, and from how many at each?
//
// For each waiting plan the ring knows how many steps it shares with the plan before it. The number that it shares with
// the present plan is the minimum of these numbers up to it. So the split points are the prefix minima of a sequence
// that loses its first number and gets new last ones, plan by plan. Each number knows the next smaller one, and is
// looked at again only when that is found. So an execution costs as much as it has new plans and split points.
#pragma once

#include <cstdint>

namespace heddle::runtime {

struct SplitPoint {
  std::uint32_t step;
  std::uint32_t uses;  // so many of the plans part there: they share what is before, and no more
};

class SplitPoints {
 public:
  static constexpr unsigned kCapacity = 256;

  unsigned size() const { return static_cast<unsigned>(end_ - first_); }
  // What the first plan that waits has in common with the present one.
  std::uint32_t first() const { return item(first_).common; }
  // One more plan waits, and has so many steps in common with the last one before it. Not if it is full.
  void push(std::uint32_t common);
  // The first plan that waits becomes the present one.
  void pop() { ++first_; }
  void clear() { first_ = end_; }

  // The split points behind step `beyond`, the deepest first, at most `capacity`. How many there are.
  unsigned find(std::uint32_t beyond, SplitPoint* split_points, unsigned capacity) const;

 private:
  struct Item {
    std::uint32_t common;
    std::uint16_t to_less;  // so many items ahead is the next with less; 0: not known
    std::uint16_t to_most;  // so many items back is the last with as much or less; 0: there was none
  };
  const Item& item(std::uint64_t at) const { return items_[at % kCapacity]; }

  Item items_[kCapacity] = {};
  std::uint64_t first_ = 0, end_ = 0;
};

}  // namespace heddle::runtime
