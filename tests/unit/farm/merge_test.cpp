// A farm over random programs, without processes and without a server: whatever becomes of shards and results on their
// way, the answer is that of brute force over the whole program.
#include "farm/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "analysis/happens_before.h"
#include "search/bounded.h"
#include "search/enumeration.h"
#include "search/pretend_target.h"
#include "search/seeds.h"

namespace heddle::farm {
namespace {

using test::Program;

constexpr std::size_t kMax = 1'500;  // schedules of a program

// A schedule with n preemptions shows the points 1 to n. Each point that is known brings a step more.
CodePlace point(unsigned number) { return {"program", number}; }

Program with_points(Program program, const std::vector<CodePlace>& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    program.tasks[i % program.tasks.size()].insert(program.tasks[i % program.tasks.size()].begin(),
                                                   {OperationKind::MutexTryLock, 9});
  return program;
}

bool is_failure(const Execution& execution) { return execution.end.end != EndKind::Exited; }

std::string key_of(const Execution& execution) {
  const auto& [a, b, end] = test::class_of(execution);
  return std::to_string(a) + "-" + std::to_string(static_cast<int>(end));
}

std::uint64_t hash_of(const Execution& execution) {
  HappensBefore happens_before;
  const auto hash = happens_before.hash(execution);
  return hash ? hash->a : 0;
}

// What a worker does, with as much time as it takes to run `most` schedules.
ShardResult run_shard(const Program& program, const Shard& shard, bool points_are_learned, std::size_t most,
                      std::mt19937_64& draw) {
  const Program here = with_points(program, shard.points);
  BoundedSearch::Options options;
  options.max_preemptions = shard.bound;
  options.stops.at_each_place = 0;
  options.shard = std::make_shared<const Subtrees>(shard.subtrees);
  BoundedSearch search(options);
  ShardResult result;
  result.id = shard.id;
  result.points = shard.points;
  std::set<CodePlace> points(shard.points.begin(), shard.points.end());
  std::deque<Plan> out;
  for (std::size_t run = 0; run < most;) {
    Next next = search.next();
    if (auto* plan = std::get_if<Plan>(&next); plan != nullptr && out.size() < 3) {
      out.push_back(std::move(*plan));
      if (draw() % 2 == 0) continue;
    }
    if (out.empty()) break;
    std::swap(out.front(), out[draw() % out.size()]);
    const Execution execution = test::execute(here, out.front());
    out.pop_front();
    search.learn(execution);
    ++run;
    result.classes.add(hash_of(execution));
    if (is_failure(execution))
      result.bugs.push_back({key_of(execution), "deadlock", "", "", execution.end.preemptions, "", 0});
    for (unsigned i = 1; points_are_learned && i <= execution.end.preemptions; ++i) points.insert(point(i));
  }
  result.points.assign(points.begin(), points.end());
  result.progress = search.shard_progress();
  return result;
}

struct Expected {
  std::uint64_t schedules = 0;
  SmallestHashes classes;
  std::set<std::string> bugs;
};

// By brute force. Nothing: there are too many.
std::optional<Expected> expected(const Program& program, unsigned bound) {
  Expected result;
  const bool all = test::each_execution(program, 8 * kMax, [&](const Execution& execution) {
    if (execution.end.preemptions > bound) return;
    ++result.schedules;
    result.classes.add(hash_of(execution));
    if (is_failure(execution)) result.bugs.insert(key_of(execution));
  });
  if (!all || result.schedules > kMax) return {};
  return result;
}

// The same bytes on the way.
template <typename Value>
Value sent(const Value& value, std::variant<Value, Refused> (*read)(std::string_view)) {
  const auto back = read(to_bytes(value));
  EXPECT_TRUE(std::holds_alternative<Value>(back));
  return std::get<Value>(back);
}

// What a hunt may bring: a place that no schedule within a bound shows, and classes of its own.
ShardResult run_hunt(const Shard& hunt, std::mt19937_64& draw) {
  ShardResult result;
  result.id = hunt.id;
  result.points = hunt.points;
  result.points.push_back(point(1000 + static_cast<unsigned>(draw() % 10)));
  result.progress.run = {3};
  result.classes.add(draw());
  result.broke_down = draw() % 8 == 0;
  return result;
}

struct Trouble {
  unsigned workers_die = 0, doubles = 0, restarts = 0;
};

// A queue that loses nothing, but hands shards and results out in any order and more than once.
Merge run_farm(const Program& program, const Merge::Options& options, bool points_are_learned, std::uint64_t seed,
               Trouble& trouble) {
  std::mt19937_64 draw(seed);
  auto merge = std::make_unique<Merge>(options);
  std::vector<ShardResult> log;
  const auto read = +[](std::string_view bytes) { return result_from(bytes); };
  while (!merge->over()) {
    if (const auto& hunts = merge->hunts().waiting(); !hunts.empty() && draw() % 2 == 0) {
      const auto hunt = std::next(hunts.begin(), static_cast<std::ptrdiff_t>(draw() % hunts.size()));
      log.push_back(sent(run_hunt(sent(hunt->second, shard_from), draw), read));
      merge->take(log.back());
    }
    auto at = merge->waiting().begin();
    std::advance(at, static_cast<std::ptrdiff_t>(draw() % merge->waiting().size()));
    const Shard shard = sent(at->second, shard_from);
    const ShardResult result = sent(run_shard(program, shard, points_are_learned, 1 + draw() % 40, draw), read);
    if (draw() % 8 == 0) {  // it died before its result was out, or with a result that nobody will hear of
      ++trouble.workers_die;
      continue;
    }
    log.push_back(result);
    EXPECT_NE(merge->take(result), Taken::Again) << misfit(shard, result);
    while (draw() % 4 == 0) {
      ++trouble.doubles;
      log.push_back(log[draw() % log.size()]);
      const Taken taken = merge->take(log.back());
      if (!log.back().broke_down) EXPECT_EQ(taken, Taken::Ignored);  // a hunt may break down several times
    }
    if (draw() % 8 != 0) continue;
    ++trouble.restarts;
    auto again = std::make_unique<Merge>(options);
    for (const ShardResult& one : log) again->take(one);
    EXPECT_EQ(again->waiting().size(), merge->waiting().size());
    for (const auto& [id, one] : merge->waiting()) EXPECT_EQ(to_bytes(again->waiting().at(id)), to_bytes(one));
    for (const auto& [id, one] : merge->hunts().waiting())
      EXPECT_EQ(to_bytes(again->hunts().waiting().at(id)), to_bytes(one));
    merge = std::move(again);
  }
  return *merge;
}

void compare(const Program& program, const Merge& merge, unsigned bound, const Expected& all) {
  EXPECT_EQ(merge.failed(), "");
  EXPECT_EQ(merge.lost(), 0u);
  EXPECT_EQ(merge.proved().schedules, all.schedules) << program.text();
  EXPECT_EQ(merge.proved().classes.hashes(), all.classes.hashes()) << program.text();
  EXPECT_TRUE(merge.proved().complete || merge.proved().bound == static_cast<int>(bound));
  std::set<std::string> found;
  for (const auto& [key, bug] : merge.bugs()) found.insert(key);
  EXPECT_EQ(found, all.bugs) << program.text();
}

TEST(Merge, GivesTheAnswerOfOneProcessOnRandomPrograms) {
  const test::Seeds seeds = test::seeds(400);
  unsigned compared = 0, with_bugs = 0;
  Trouble trouble;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    const Program program = seed % 2 == 0 ? test::mixed_program(seed, seed % 3 == 0) : test::random_program(seed);
    const unsigned bound = seed % 4;
    const auto all = expected(program, bound);
    if (!all) continue;
    SCOPED_TRACE(seed);
    const Merge merge = run_farm(
        program,
        {.max_preemptions = bound, .keep_going = true, .pieces = 1 + seed % 5, .hunts = {{"a", "b"}, seed % 3}}, false,
        seed, trouble);
    compare(program, merge, bound, *all);
    ++compared;
    with_bugs += all->bugs.empty() ? 0 : 1;
    if (testing::Test::HasFailure()) return;
  }
  if (seeds.fuzzing || std::getenv("HEDDLE_DRAWN_SEED") != nullptr) return;
  EXPECT_GE(compared, 300u);
  EXPECT_GE(with_bugs, 30u);
  EXPECT_GE(trouble.workers_die, 300u);
  EXPECT_GE(trouble.doubles, 300u);
  EXPECT_GE(trouble.restarts, 300u);
}

// Points that only some schedules show: each order in which they are learned ends with the same ones.
TEST(Merge, EndsWithTheSamePointsInWhicheverOrderTheyAreLearned) {
  const test::Seeds seeds = test::seeds(120);
  unsigned compared = 0;
  Trouble trouble;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    const Program program = test::random_program(seed);
    constexpr unsigned kBound = 2;
    const auto all = expected(with_points(program, {point(1), point(2)}), kBound);
    if (!all) continue;
    SCOPED_TRACE(seed);
    for (std::uint64_t order = 0; order < 3; ++order) {
      const Merge merge =
          run_farm(program, {.max_preemptions = kBound, .keep_going = true}, true, seed * 3 + order, trouble);
      if (merge.points().size() != 2) continue;  // no schedule has so many preemptions
      EXPECT_EQ(merge.proved().schedules, all->schedules) << program.text();
      EXPECT_EQ(merge.proved().classes.hashes(), all->classes.hashes()) << program.text();
      ++compared;
    }
    if (testing::Test::HasFailure()) return;
  }
  if (seeds.fuzzing || std::getenv("HEDDLE_DRAWN_SEED") != nullptr) return;
  EXPECT_GE(compared, 100u);
}

Shard first_shard(const Merge& merge) { return merge.waiting().begin()->second; }

ShardResult nothing_done(const Shard& shard) {
  ShardResult result;
  result.id = shard.id;
  result.progress.waiting = shard.subtrees;
  return result;
}

TEST(Merge, ClaimsNothingWhileAShardIsMissing) {
  Merge merge({.max_preemptions = 0, .pieces = 2});
  ShardResult result;
  result.id = first_shard(merge).id;
  for (std::uint32_t step = 1; step <= 8; ++step) result.progress.waiting.push_back({{{step, {0, 0}}}, 0});
  result.progress.run = {1};
  EXPECT_EQ(merge.take(result), Taken::Counted);
  ASSERT_EQ(merge.waiting().size(), 2u);
  ShardResult one;
  one.id = merge.waiting().begin()->first;
  one.progress.run = {1};
  EXPECT_EQ(merge.take(one), Taken::Counted);
  EXPECT_EQ(merge.proved().bound, -1);
  EXPECT_FALSE(merge.over());
  one.id = merge.waiting().begin()->first;
  EXPECT_EQ(merge.take(one), Taken::Counted);
  EXPECT_EQ(merge.proved().bound, 0);
  EXPECT_EQ(merge.proved().schedules, 3u);
  EXPECT_TRUE(merge.over());
}

TEST(Merge, ProvesNothingOfABoundWhereAScheduleWasLost) {
  Merge merge({.max_preemptions = 1});
  ShardResult result;
  result.id = first_shard(merge).id;
  result.progress.run = {1};
  result.progress.lost = 1;
  merge.take(result);
  EXPECT_TRUE(merge.over());
  EXPECT_EQ(merge.proved().bound, -1);
  EXPECT_EQ(merge.lost(), 1u);
}

// In the other order of results it would have been run with that place, and not been lost.
TEST(Merge, ForgetsWhatWasLostInABoundThatIsBegunAnew) {
  Merge merge({.max_preemptions = 0, .pieces = 2});
  ShardResult first;
  first.id = first_shard(merge).id;
  for (std::uint32_t step = 1; step <= 8; ++step) first.progress.waiting.push_back({{{step, {0, 0}}}, 0});
  ASSERT_EQ(merge.take(first), Taken::Counted);
  ASSERT_EQ(merge.waiting().size(), 2u);
  ShardResult loses, learns;
  loses.id = merge.waiting().begin()->first;
  loses.progress.lost = 1;
  learns.id = merge.waiting().rbegin()->first;
  learns.points = {point(1)};
  EXPECT_EQ(merge.take(loses), Taken::Counted);
  EXPECT_EQ(merge.lost(), 1u);
  EXPECT_EQ(merge.take(learns), Taken::Anew);
  EXPECT_EQ(merge.lost(), 0u);
  ShardResult all;
  all.id = first_shard(merge).id;
  all.points = {point(1)};
  all.progress.run = {3};
  EXPECT_EQ(merge.take(all), Taken::Counted);
  EXPECT_EQ(merge.proved().bound, 0);
}

TEST(Merge, SumsSchedulesThatWereCutOffAndJudgesThemAtTheEnd) {
  for (const std::uint64_t cut_off : {1, 2}) {
    Merge merge({.max_preemptions = 0, .pieces = 1});
    ShardResult result;
    result.id = first_shard(merge).id;
    result.progress.run = {1};
    result.progress.waiting = {{{{1, {1, 0}}}, 0}};
    result.cut_off = 1;
    EXPECT_EQ(merge.take(result), Taken::Counted);
    EXPECT_FALSE(merge.over()) << "a shard alone says nothing of the program";
    result.id = first_shard(merge).id;
    result.progress.waiting = {};
    result.cut_off = cut_off - 1;
    EXPECT_EQ(merge.take(result), Taken::Counted);
    EXPECT_EQ(merge.proved().bound, 0);
    EXPECT_EQ(merge.cut_off(), cut_off);
    EXPECT_EQ(merge.all_cut_off(), cut_off == 2);
  }
}

TEST(Merge, EndsWithTheFirstBugUnlessItKeepsGoing) {
  for (const bool keep_going : {false, true}) {
    Merge merge({.keep_going = keep_going});
    ShardResult result = nothing_done(first_shard(merge));
    result.bugs.push_back({"k", "deadlock", "m", "s", 0, "", 0});
    merge.take(result);
    EXPECT_EQ(merge.over(), !keep_going);
    EXPECT_EQ(merge.bugs().size(), 1u);
    EXPECT_EQ(merge.proved().bound, -1);
  }
}

TEST(Merge, RunsAShardAgainWhoseProcessBrokeDown) {
  Merge merge({.max_preemptions = 0, .pieces = 1});
  ShardResult broken = nothing_done(first_shard(merge));
  broken.failed = "it broke down";
  broken.broke_down = true;
  EXPECT_EQ(merge.take(broken), Taken::Again);
  EXPECT_EQ(merge.take(broken), Taken::Again);
  EXPECT_FALSE(merge.over());
  EXPECT_EQ(merge.take(broken), Taken::Counted);
  EXPECT_TRUE(merge.over());
  EXPECT_EQ(merge.failed(), "it broke down, 3 times");
}

TEST(Merge, RunsAShardAgainWhoseResultMakesNoSense) {
  Merge merge({.max_preemptions = 3, .pieces = 1});
  ShardResult result = nothing_done(first_shard(merge));
  result.progress.waiting = {{{{5, {1, 0}}}, 0}};
  ASSERT_EQ(merge.take(result), Taken::Counted);
  const Shard shard = first_shard(merge);
  ShardResult elsewhere = nothing_done(shard);
  elsewhere.progress.waiting = {{{{4, {1, 0}}, {6, {0, 0}}}, 0}};
  EXPECT_EQ(merge.take(elsewhere), Taken::Counted) << "another choice at the last step may follow";
  elsewhere.id = first_shard(merge).id;
  elsewhere.progress.waiting = {{{{3, {1, 0}}}, 0}};
  EXPECT_EQ(merge.take(elsewhere), Taken::Again);
  elsewhere.progress.waiting = {{{{4, {1, 0}}, {7, {0, 0}}}, 4}};
  EXPECT_EQ(merge.take(elsewhere), Taken::Again) << "beyond the bound";
  elsewhere.progress.waiting = {};
  elsewhere.progress.run = {0, 0, 0, 0, 1};
  EXPECT_EQ(merge.take(elsewhere), Taken::Counted) << "it is given up";
  EXPECT_TRUE(merge.over());
  EXPECT_NE(merge.failed(), "");
  EXPECT_EQ(merge.proved().bound, -1);
}

}  // namespace
}  // namespace heddle::farm
