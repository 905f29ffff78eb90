// What the schedules that wait take in a best-first search, against a tree of schedules with a node for each step
// (GAMBIT, PPoPP 2010, section 5.4). The target is pretended: three tasks that take a lock 20 times each. What waits is
// counted as it lies in memory; the plain tree has 16 bytes a node, as the paper does. It is worked out when the search
// has ended: a schedule waits from the execution that found it until its own. Usage: tree_bench [PREEMPTIONS] prints
// lines "executions waiting bytes bytes-of-the-plain-tree", one for each 1,000 executions.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "search/bounded.h"
#include "search/pretend_target.h"

namespace heddle::bench {
namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;
constexpr std::size_t kBytesOfNode = 16, kEvery = 1'000;

// A schedule in the order in which they were run.
struct Ran {
  std::uint32_t parent = kNobody;
  std::uint32_t step = 0;  // where it leaves the parent
};

struct Sample {
  std::size_t executions = 0, bytes = 0;
};

struct Search {
  std::vector<Ran> ran;
  std::vector<Sample> samples;
};

std::string key_of(const Delta* deltas, std::size_t count) {
  std::string key;
  for (std::size_t i = 0; i < count; ++i)
    key += fmt::format("{}:{}.{} ", deltas[i].step, deltas[i].choice.task, deltas[i].choice.variant);
  return key;
}

Search run(const test::Program& program, const BoundedSearch::Options& options) {
  Search result;
  BoundedSearch search(options);
  absl::flat_hash_map<std::string, std::uint32_t> known;
  for (Next next = search.next(); std::holds_alternative<Plan>(next); next = search.next()) {
    const Plan& plan = std::get<Plan>(next);
    const std::size_t depth = plan.deltas.size();
    known.emplace(key_of(plan.deltas.data(), depth), static_cast<std::uint32_t>(result.ran.size()));
    if (depth == 0)
      result.ran.push_back({});
    else
      result.ran.push_back({known.at(key_of(plan.deltas.data(), depth - 1)), plan.deltas.back().step});
    search.learn(test::execute(program, plan));
    if (result.ran.size() % kEvery == 0) result.samples.push_back({result.ran.size(), search.bytes_in_use()});
  }
  return result;
}

// Of a tree whose root is the beginning and whose leaves are the schedules that wait behind the first `executions`.
struct PlainTree {
  std::size_t waiting = 0, nodes = 0;
};

PlainTree plain_tree(const std::vector<Ran>& ran, std::size_t executions) {
  PlainTree tree;
  std::vector<std::uint32_t> needed(executions);  // of an execution's steps, so many lead to a schedule that waits
  for (std::size_t i = ran.size(); i-- > 0;) {
    const auto [parent, step] = ran[i];
    const bool waits = i >= executions;
    if (waits && (parent == kNobody || parent >= executions)) continue;  // it is not known yet
    if (!waits && needed[i] == 0) continue;
    tree.waiting += waits ? 1 : 0;
    tree.nodes += waits ? 1 : needed[i] - std::min(needed[i], step);
    if (parent != kNobody) needed[parent] = std::max(needed[parent], step + 1);
  }
  return tree;
}

// Tasks that take a lock again and again.
test::Program program_of(unsigned tasks, unsigned sections) {
  std::vector<test::Call> calls;
  for (unsigned i = 0; i < sections; ++i) {
    calls.push_back({OperationKind::MutexLock, 0});
    calls.push_back({OperationKind::MutexUnlock, 0});
  }
  test::Program program;
  program.tasks.assign(tasks, calls);
  return program;
}

void print(const Search& search) {
  for (const Sample& sample : search.samples) {
    const PlainTree tree = plain_tree(search.ran, sample.executions);
    if (tree.waiting != 0)
      fmt::print("{} {} {} {}\n", sample.executions, tree.waiting, sample.bytes, tree.nodes * kBytesOfNode);
  }
}

}  // namespace
}  // namespace heddle::bench

int main(int count, char** words) {
  using namespace heddle;
  const unsigned bound = count > 1 ? static_cast<unsigned>(std::strtoul(words[1], nullptr, 10)) : 3;
  if (bound == 0 || count > 2) return fmt::print(stderr, "usage: tree_bench [PREEMPTIONS]\n"), 2;
  bench::print(bench::run(bench::program_of(3, 20), {.max_preemptions = bound, .priorities = "mdpor"}));
}
