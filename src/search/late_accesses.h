// Which ways of an atomic access in weak memory (--memory=rc11) are worth a schedule of their own. A load that reads an
// older store than the newest, or a store that stands before newer ones, is *late*: mostly the same would come of it
// had it come before what it missed. Partial-order reduction runs that schedule anyway, so this one would show nothing
// new.
//
// What comes of an execution is its *class*: which store each load reads, and the order of the stores to each variable;
// and the order of dependent steps on other objects. Two dependent accesses to one variable have an order by their
// class: store before the load that reads it, load before the store that it missed, stores as they stand. They can run
// the other way round only if the second one is late. Of all orders of a class, one is taken as its own:
//   - Take the pairs of dependent accesses by rank: by task and number of the first in the class's order, then of the
//     second. Put each pair in that order, unless what was put before it, program order, who reads whom, and the other
//     objects lead from its second to its first. Then that is how they run.
// This is a function of the class, so there is one such order. Each beginning of one is the beginning of one, and the
// newest value may always be read. So a search that takes late accesses only where such an order has them still comes
// to every class, and to each once as far as it runs each order of dependent steps once.
//
// The idea that an execution is what was read from where, and that each needs one schedule, is that of Kokologiannakis,
// Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal Dynamic Partial Order Reduction (POPL 2022).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/modification_order.h"
#include "search/execution_order.h"

namespace heddle {

class LateAccesses {
 public:
  // Reads the execution that `order` has read, which must live as long as questions are asked about it.
  void read(const ExecutionOrder& order);
  // Of an atomic operation that has taken variant 0: does `variant` lead to something that no other schedule shows? Yes
  // of a compare-exchange, since the record does not say what it expected, and of all other operations.
  bool shows_more(std::uint32_t step, Variant variant);

 private:
  // Of a pair of accesses, which ran in this order: which of the two comes first by the class?
  enum class Pair : std::uint8_t { Independent, Fixed, AsTheyRan, Inverted };
  using Rank = std::pair<std::uint64_t, std::uint64_t>;

  std::int64_t position(std::uint32_t store) const;
  Pair pair(std::uint32_t earlier, std::uint32_t later) const;
  std::uint64_t name(std::uint32_t step) const;
  bool is_in_its_own_order(std::uint32_t step);
  bool leads_to(std::uint32_t from, std::uint32_t to, const Rank& below);
  void look_behind(std::uint32_t step, std::uint32_t from, const Rank& below);
  void look_at_object(std::uint32_t step, std::uint32_t from, ObjectId object, const Rank& below);
  void come_to(std::uint32_t step);

  const ExecutionOrder* order_ = nullptr;
  ModificationOrder stores_;
  std::vector<std::uint32_t> numbers_;      // by step: among those of its task
  std::vector<std::int64_t> positions_;     // by step: of a store, in modification order; even
  std::vector<std::uint32_t> read_;         // by step: the store
  std::vector<std::uint32_t> open_, seen_;  // of leads_to(); by step: the last question in which it was come to
  std::uint32_t question_ = 0;
};

}  // namespace heddle
