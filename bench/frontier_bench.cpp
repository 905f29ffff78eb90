// How much memory a frontier takes whose schedules go to a file, and how long one takes that waits there. The target is
// pretended: each schedule with less than three deviations brings 480 new ones, whose priorities are drawn, until there
// are so many. Those that bring others come first, so in the end nearly all wait at once; then they run. Usage:
// frontier_bench SCHEDULES MEGABYTES FILE; they are those of heddle run
// --memory.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "search/frontier.h"

namespace heddle::bench {
namespace {

struct Run {
  std::uint64_t schedules = 0;
  std::size_t most_waiting = 0, most_bytes = 0;
};

Run run(Frontier& frontier, std::uint64_t schedules) {
  constexpr unsigned kEach = 480, kDeepest = 3, kPriorities = 64;
  std::mt19937_64 draw(1);
  Run result;
  std::uint64_t pushed = 1;
  for (Next next = frontier.next(); std::holds_alternative<Plan>(next); next = frontier.next()) {
    ++result.schedules;
    const Frontier::Outstanding outstanding = frontier.take_back(std::get<Plan>(next).id);
    const unsigned depth = outstanding.bound;
    const std::uint64_t later = depth + 1 == kDeepest ? kPriorities : 0;  // what brings nothing comes behind the others
    for (std::uint32_t i = 0; depth < kDeepest && i < kEach && pushed < schedules; ++i, ++pushed)
      frontier.push(outstanding.node, i, {1, 0}, depth + 1, Purpose::Search,
                    {static_cast<std::int64_t>(later + draw() % kPriorities)});
    frontier.nodes().release(outstanding.node);
    result.most_waiting = std::max(result.most_waiting, frontier.leaves());
    if (result.schedules % 1024 == 0) result.most_bytes = std::max(result.most_bytes, frontier.bytes());
  }
  return result;
}

}  // namespace
}  // namespace heddle::bench

int main(int count, char** words) {
  using namespace heddle;
  if (count != 4) return fmt::print(stderr, "usage: frontier_bench SCHEDULES MEGABYTES FILE\n"), 2;
  const std::uint64_t schedules = std::strtoull(words[1], nullptr, 10);
  const std::uint64_t megabytes = std::strtoull(words[2], nullptr, 10);
  if (schedules == 0 || megabytes == 0) return fmt::print(stderr, "frontier_bench: numbers above 0 are wanted\n"), 2;
  // As fit_into() in search/bounded.cpp: half of the memory, in entries of 16 bytes, and a quarter of these.
  Frontier frontier(1, Frontier::Order::ByCost,
                    {.path = words[3], .entries_in_memory = (megabytes << 20) / 2 / 16 / 4});
  const auto begin = std::chrono::steady_clock::now();
  const bench::Run run = bench::run(frontier, schedules);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print("{} schedules run, at most {} waiting; frontier in memory {} MB, whole process {} MB; {:.0f} ns each\n",
             run.schedules, run.most_waiting, run.most_bytes >> 20, used.ru_maxrss >> 10,
             1e9 * seconds / static_cast<double>(run.schedules));
  if (const std::string note = frontier.file().take_note(); !note.empty()) fmt::print("{}\n", note);
  return run.schedules == schedules && frontier.coverage().complete ? 0 : 1;
}
