// A frontier whose schedules go to a file: the same schedules in the same order as without, whatever the priorities;
// with a full disk, with a file that was damaged, and when a search is gone on with that was killed.
#include "search/frontier_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "search/bounded.h"
#include "search/pretend_target.h"
#include "search/seeds.h"

namespace heddle::test {
namespace {

std::string path_of_test() { return testing::TempDir() + "frontier_file_test." + std::to_string(getpid()); }

// So little memory that nearly all goes to the file.
FrontierFile::Options small_file(std::size_t entries = 4) {
  return {.path = path_of_test(), .entries_in_memory = entries, .page_entries = 2};
}

std::uint64_t size_of_file() {
  struct stat found {};
  return ::stat(path_of_test().c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

BoundedSearch::Options options_of(unsigned bound, const std::string& priorities, std::uint64_t seed) {
  BoundedSearch::Options options;
  options.max_preemptions = bound;
  options.priorities = priorities;
  options.of_priorities.seed = seed;
  return options;
}

struct Ran {
  std::vector<std::string> schedules;
  std::uint64_t largest_file = 0;
};

// Up to so many schedules more.
void go_on(BoundedSearch& search, const Program& program, Ran& ran, std::size_t most = 100'000) {
  for (; most > 0; --most) {
    Next next = search.next();
    if (!std::holds_alternative<Plan>(next)) break;
    const Execution execution = execute(program, std::get<Plan>(next));
    ran.schedules.push_back(text(schedule_of(execution)));
    search.learn(execution);
    ran.largest_file = std::max(ran.largest_file, size_of_file());
  }
}

const std::string kPriorities[] = {"pb", "rand", "ss", "mdpor,pb", "new,rand"};

// A preemption is possible at each step, so there are many schedules with two.
Program posts() {
  const std::vector<Call> calls(5, {OperationKind::SemaphorePost, 0});
  return {{calls, calls, calls}, {}};
}

TEST(FrontierOnDisk, EveryScheduleOfRandomProgramsOnceAndInTheSameOrder) {
  std::size_t on_disk = 0, compared = 0;
  const Seeds range = seeds(150);
  for (std::uint64_t seed = range.first; seed < range.end && !HasFailure(); ++seed) {
    const Program program = random_program(seed);
    const auto expected = enumerate(program, 3, 600);
    if (expected.empty()) continue;
    for (const std::string& priorities : kPriorities) {
      BoundedSearch::Options options = options_of(3, priorities, seed);
      BoundedSearch in_memory(options);
      options.file = small_file();
      BoundedSearch search(options);
      Ran without, with;
      go_on(in_memory, program, without);
      go_on(search, program, with);
      EXPECT_EQ(with.schedules, without.schedules) << priorities << ", seed " << seed << ": " << program.text();
      EXPECT_EQ(with.schedules.size(), expected.size());
      for (const std::string& schedule : with.schedules) EXPECT_TRUE(expected.contains(schedule));
      EXPECT_EQ(search.coverage().bound_proved, in_memory.coverage().bound_proved);
      EXPECT_EQ(search.coverage().lost, 0u);
      EXPECT_EQ(search.nodes_in_use(), 0u);
      EXPECT_EQ(search.take_note(), "");
      on_disk += with.largest_file != 0 ? 1 : 0;
      ++compared;
    }
  }
  EXPECT_EQ(size_of_file(), 0u) << "nobody needs it any more";
  EXPECT_TRUE(range.fuzzing || 3 * on_disk > compared) << on_disk << " of " << compared;
}

TEST(FrontierOnDisk, TheSameWithRevisits) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Program program = random_program(seed);
    BoundedSearch::Options options = options_of(2, "pb", seed);
    options.eager_nodes = 8;
    BoundedSearch in_memory(options);
    options.file = {.path = path_of_test(), .entries_in_memory = 1u << 20, .page_entries = 2};
    BoundedSearch search(options);
    Ran without, with;
    go_on(in_memory, program, without, 2000);
    go_on(search, program, with, 2000);
    EXPECT_EQ(with.schedules, without.schedules);
  }
}

// Killed anywhere behind the moment when the state was kept: what ran since runs again, and all that is left runs once.
TEST(FrontierOnDisk, ASearchThatWasKilledGoesOn) {
  const Program program = posts();
  std::mt19937_64 draw(1);
  std::size_t killed = 0;
  for (const std::string& priorities : kPriorities) {
    BoundedSearch::Options options = options_of(2, priorities, 7);
    options.file = small_file();
    BoundedSearch whole(options_of(2, priorities, 7));
    Ran expected, ran;
    go_on(whole, program, expected);
    auto search = std::make_unique<BoundedSearch>(options);
    for (;;) {
      const std::size_t before = ran.schedules.size();
      go_on(*search, program, ran, 1 + draw() % 40);
      if (ran.schedules.size() == before) break;
      StateWriter writer;
      search->save(writer);
      search->state_was_kept();
      const std::size_t kept = ran.schedules.size();
      go_on(*search, program, ran, draw() % 40);
      ran.schedules.resize(kept);
      search.reset();  // the file stays
      search = std::make_unique<BoundedSearch>(options);
      StateReader reader(writer.written());
      ASSERT_TRUE(search->restore(reader)) << reader.why();
      EXPECT_TRUE(reader.at_end());
      ++killed;
    }
    EXPECT_EQ(ran.schedules, expected.schedules) << priorities;
    EXPECT_EQ(search->coverage().bound_proved, 2);
    EXPECT_EQ(search->coverage().lost, 0u);
    std::filesystem::remove(path_of_test());
  }
  EXPECT_GT(killed, 50u);
}

TEST(FrontierOnDisk, AStateWithoutItsFileIsRefused) {
  const Program program = posts();
  BoundedSearch::Options options = options_of(2, "pb", 1);
  options.file = small_file();
  Ran ran;
  StateWriter writer;
  {
    BoundedSearch search(options);
    go_on(search, program, ran, 20);
    search.save(writer);
    search.state_was_kept();
  }
  const auto why_not = [&] {
    BoundedSearch search(options);
    StateReader reader(writer.written());
    EXPECT_FALSE(search.restore(reader));
    return reader.why();
  };
  std::filesystem::resize_file(path_of_test(), size_of_file() / 2);
  EXPECT_NE(why_not().find("is not the file that it was"), std::string::npos) << why_not();
  std::ofstream(path_of_test(), std::ios::trunc) << "something else";
  EXPECT_NE(why_not().find("is not the file that it was"), std::string::npos) << why_not();
  std::filesystem::remove(path_of_test());
  EXPECT_NE(why_not().find("No such file"), std::string::npos) << why_not();
  options.file = {};
  EXPECT_NE(why_not().find("--memory-limit"), std::string::npos) << why_not();
}

TEST(FrontierOnDisk, WhatWasDamagedIsLostAndNothingIsProvedWithIt) {
  const Program program = posts();
  for (const std::string& priorities : kPriorities) {
    BoundedSearch::Options options = options_of(2, priorities, 1);
    BoundedSearch whole(options);
    options.file = small_file();
    BoundedSearch search(options);
    Ran expected, ran;
    go_on(whole, program, expected);
    go_on(search, program, ran, 40);
    const std::uint64_t pending = search.coverage().pending;
    {
      std::fstream file(path_of_test(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size_of_file() / 2));
      file.write("damage of two pages, and a little more", 38);
    }
    go_on(search, program, ran);
    const Coverage coverage = search.coverage();
    EXPECT_GT(coverage.lost, 0u) << priorities;
    EXPECT_LE(coverage.lost, pending);
    EXPECT_EQ(coverage.pending, 0u);
    EXPECT_FALSE(coverage.complete);
    EXPECT_LT(coverage.bound_proved, 2);
    EXPECT_LT(ran.schedules.size(), expected.schedules.size());
    EXPECT_NE(search.take_note().find("schedules that wait were lost"), std::string::npos);
  }
}

// The limit of a file's size stands for the size of the disk.
class FullDisk : public testing::Test {
 protected:
  FullDisk() {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit little{100, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
  }
  ~FullDisk() override {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, SIG_DFL);
  }
  rlimit before_{};
};

TEST_F(FullDisk, TheSearchGoesOnInMemoryAndSaysSoOnce) {
  const Program program = posts();
  for (const std::string& priorities : kPriorities) {
    BoundedSearch::Options options = options_of(2, priorities, 1);
    BoundedSearch whole(options);
    options.file = small_file();
    BoundedSearch search(options);
    Ran expected, ran;
    go_on(whole, program, expected);
    go_on(search, program, ran, 200);
    const std::string note = search.take_note();
    EXPECT_NE(note.find("no more of the schedules that wait can be moved to " + path_of_test() + ": File too large"),
              std::string::npos)
        << note;
    go_on(search, program, ran);
    EXPECT_EQ(ran.schedules, expected.schedules) << priorities;
    EXPECT_EQ(search.coverage().bound_proved, 2);
    EXPECT_EQ(search.take_note(), "");
  }
}

TEST(FrontierOnDisk, WhereThereIsNoRoomForAFileTheSearchGoesOnInMemory) {
  std::filesystem::create_directory(path_of_test());
  const Program program = posts();
  BoundedSearch::Options options = options_of(2, "pb", 1);
  options.file = small_file();
  BoundedSearch search(options);
  Ran ran;
  go_on(search, program, ran);
  EXPECT_NE(search.take_note().find(path_of_test() + ": Is a directory"), std::string::npos);
  EXPECT_EQ(search.coverage().bound_proved, 2);
  EXPECT_TRUE(std::filesystem::is_directory(path_of_test()));
  std::filesystem::remove(path_of_test());
}

// Of many schedules that wait, few are in memory, and the pages of those that have run are used again.
TEST(FrontierOnDisk, ManySchedulesInLittleMemory) {
  constexpr std::size_t kMany = 400'000, kInMemory = 20'000;
  Frontier frontier(1, Frontier::Order::ByCost, {.path = path_of_test(), .entries_in_memory = kInMemory});
  std::size_t pushed = 1, run = 0, most_in_memory = 0;
  Cost last{};
  std::mt19937_64 draw(1);
  for (;;) {
    Next next = frontier.next();
    if (!std::holds_alternative<Plan>(next)) break;
    ++run;
    const Frontier::Outstanding outstanding = frontier.take_back(std::get<Plan>(next).id);
    if (pushed >= kMany) {
      EXPECT_GE(outstanding.cost, last);
      last = outstanding.cost;
    }
    for (unsigned i = 0; i < 64 && pushed < kMany; ++i, ++pushed)
      frontier.push(outstanding.node, i, {1, 0}, 1, Purpose::Search, {static_cast<std::int64_t>(draw() % 4)});
    frontier.nodes().release(outstanding.node);
    most_in_memory = std::max(most_in_memory, frontier.bytes());
  }
  EXPECT_EQ(run, kMany);
  EXPECT_EQ(frontier.coverage().pending, 0u);
  EXPECT_LT(most_in_memory, 2 * (kInMemory * sizeof(FrontierEntry) + kMany / 64 * Deviations::bytes_each()));
  EXPECT_LT(size_of_file(), (kMany + kMany / 4) * sizeof(FrontierEntry));
}

}  // namespace
}  // namespace heddle::test
