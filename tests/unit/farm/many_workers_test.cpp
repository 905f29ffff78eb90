// A thousand workers in simulated time: how much of it they spend on schedules, and what the coordinator takes for it.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>
#include <map>
#include <queue>
#include <random>
#include <string>

#include "farm/merge.h"

namespace heddle::farm {
namespace {

constexpr double kSchedules_s = 10'000;  // of one worker
constexpr double kForShard_s = 0.2;      // until a process runs schedules, and its result is there
constexpr unsigned kChildren = 12;       // of a subtree; real ones have about as many steps behind their last deviation

// A tree of so many schedules. How many are in a subtree follows from its deviations alone: each child has a part of
// them, and the parts differ by orders of magnitude, as those of real programs do.
class Tree {
 public:
  explicit Tree(double schedules) : schedules_(schedules) {}

  double size(const Deltas& deltas) const {
    double size = schedules_;
    std::uint64_t seed = 1;
    for (const Delta& delta : deltas) {
      size = child_size(size, seed, delta.step % kChildren);
      seed = seed * 6364136223846793005u + delta.step + 1;
    }
    return size;
  }

  // Runs so many schedules of it; `waiting` is what was not run.
  double run(const Subtree& subtree, double most, Subtrees& waiting) const {
    const double all = size(subtree.deltas);
    if (all <= most) return all;
    if (most < 1) return waiting.push_back(subtree), 0;
    double done = 1;  // its own
    for (unsigned child = 0; child < kChildren; ++child) {
      Subtree next = subtree;
      next.deltas.push_back({static_cast<std::uint32_t>(subtree.deltas.size() * kChildren + child), {1, 0}});
      done += run(next, most - done, waiting);
    }
    return done;
  }

 private:
  static double child_size(double size, std::uint64_t seed, unsigned child) {
    std::minstd_rand draw(static_cast<unsigned>(seed * 2654435761u >> 8));
    double sum = 0, own = 0;
    for (unsigned i = 0; i < kChildren; ++i) {
      const double weight = std::pow(static_cast<double>(draw() % 1000 + 1) / 1000, 4);
      sum += weight;
      if (i == child) own = weight;
    }
    return (size - 1) * own / sum;
  }
  double schedules_;
};

TEST(ManyWorkers, SpendTheirTimeOnSchedules) {
  constexpr unsigned kWorkers = 1000;
  constexpr double kSearch_s = 300;  // with nothing wasted
  const Tree tree(kWorkers * kSearch_s * kSchedules_s);
  Merge merge({.max_preemptions = 0, .pieces = 4 * kWorkers});
  struct End {
    double at;
    ShardResult result;
  };
  const auto later = [](const End& one, const End& other) { return one.at > other.at; };
  std::priority_queue<End, std::vector<End>, decltype(later)> running(later);
  std::queue<ShardId> queue;
  ShardId published = 0;
  double now = 0, schedules = 0, bytes = 0;
  std::clock_t merging = 0;
  unsigned free = kWorkers;
  while (!merge.over()) {
    for (auto at = merge.waiting().upper_bound(published); at != merge.waiting().end(); ++at)
      queue.push(published = at->first);
    for (; free != 0 && !queue.empty(); --free, queue.pop()) {
      const Shard& shard = merge.waiting().at(queue.front());
      bytes += static_cast<double>(to_bytes(shard).size());
      ShardResult result;
      result.id = shard.id;
      double done = 0;
      for (const Subtree& one : shard.subtrees)
        done += tree.run(one, shard.budget_s * kSchedules_s - done, result.progress.waiting);
      result.progress.run = {static_cast<std::uint64_t>(done)};
      result.seconds = done / kSchedules_s;
      schedules += done;
      running.push({now + kForShard_s + result.seconds, std::move(result)});
    }
    const std::string sent = to_bytes(running.top().result);
    bytes += static_cast<double>(sent.size());
    now = running.top().at;
    running.pop();
    ++free;
    const std::clock_t begin = std::clock();
    const auto result = result_from(sent);
    ASSERT_EQ(merge.take(std::get<ShardResult>(result)), Taken::Counted);
    merging += std::clock() - begin;
  }
  const double efficiency = schedules / kSchedules_s / (kWorkers * now);
  const double coordinator = static_cast<double>(merging) / CLOCKS_PER_SEC / now;
  RecordProperty("efficiency", std::to_string(efficiency));
  std::cout << merge.shards_done() << " shards in " << now << " s; efficiency " << efficiency << "; the coordinator's "
            << "processor " << coordinator << "; bytes a schedule " << bytes / schedules << '\n';
  EXPECT_NEAR(schedules, kWorkers * kSearch_s * kSchedules_s, schedules / 1000);
  EXPECT_GT(efficiency, 0.9);
  EXPECT_LT(coordinator, 0.5);
  EXPECT_LT(bytes / schedules, 0.5);
}

}  // namespace
}  // namespace heddle::farm
