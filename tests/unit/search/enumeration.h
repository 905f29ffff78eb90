// All schedules of a small program by brute force, which knows nothing of plans, and what came of them: what the
// searches are compared with.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "search/pretend_target.h"

namespace heddle::test {

// Of a happens-before graph: its hash and how the execution ended.
using Class = std::tuple<std::uint64_t, std::uint64_t, EndKind>;

struct Found {
  unsigned preemptions = 0;  // the least of all that were seen
  std::string schedule;      // one of them
  std::string state;         // what it came to; Run::state()
};

struct Enumeration {
  std::map<Class, Found> classes;
  std::uint64_t executions = 0;
  std::string contradiction;  // two executions of one class that came to different ends; empty: there are none
  std::map<Class, Found> deadlocks() const;
};

Class class_of(const Execution& execution);
// The order of dependent steps in words, by the relation of dependence that partial-order reduction goes by: finer than
// the class, since what moves the virtual clock or ends by it is dependent.
std::string order_of(const Program& program, const Execution& execution);
void note(const Execution& execution, Enumeration& enumeration);

// Each of them. False: there are more than `most`.
bool each_execution(const Program& program, std::size_t most, const std::function<void(const Execution&)>& visit);
// Nothing when there are more than `most`.
std::optional<Enumeration> brute_force(const Program& program, std::size_t most);
// The same with sleep sets, which prune what differs in the order of independent steps only. Without a bound.
Enumeration with_sleep_sets(const Program& program);

}  // namespace heddle::test
