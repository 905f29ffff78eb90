// The race detector: what counts as a race, byte by byte, and against brute force on random programs.
#include "model/race_detector.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace heddle::model {
namespace {

constexpr std::uint64_t kVariable = 0x1000'0000;

void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED ? memory : nullptr;
}

std::vector<FoundRace> found;

RaceDetector& fresh_detector() {
  static RaceDetector* const detector =
      RaceDetector::create(reserve, [](const FoundRace& race) { found.push_back(race); });
  found.clear();
  EXPECT_TRUE(detector->begin_execution());
  return *detector;
}

class RaceDetectorTest : public testing::Test {
 protected:
  RaceDetectorTest() {
    detector.clocks().add_task(1, 0);
    detector.clocks().add_task(2, 0);
  }
  template <unsigned kSize = 4>
  void read(TaskId task, std::uint64_t address, Place place = 1) {
    detector.switch_to(task);
    if (!detector.covered<kSize, false>(address)) detector.access(address, kSize, 0, place);
  }
  template <unsigned kSize = 4>
  void write(TaskId task, std::uint64_t address, Place place = 2) {
    detector.switch_to(task);
    if (!detector.covered<kSize, true>(address)) detector.access(address, kSize, AccessFlags::Write, place);
  }
  void free_block(TaskId task, std::uint64_t address, std::uint64_t size, Place place, bool gone = false) {
    detector.switch_to(task);
    detector.free_block(address, size, place, gone);
  }
  void atomic(TaskId task, bool reads, bool wrote, Order order, std::uint64_t address = kVariable + 64) {
    detector.switch_to(task);
    detector.atomic({.address = address, .size = 4, .reads = reads, .wrote = wrote, .order = order, .place = 3});
  }
  void store(TaskId task, Order order) { atomic(task, false, true, order); }
  void load(TaskId task, Order order) { atomic(task, true, false, order); }
  void update(TaskId task, Order order) { atomic(task, true, true, order); }
  void fence(TaskId task, Order order) {
    detector.switch_to(task);
    detector.fence(order);
  }
  // Task 2 reads what task 1 wrote before: is that a race?
  bool reader_races() {
    const std::size_t before = found.size();
    read(2, kVariable, 77);
    return found.size() != before;
  }

  RaceDetector& detector = fresh_detector();
};

TEST_F(RaceDetectorTest, WhatIsGoneMayNotBeUsedInAnyOrder) {
  free_block(1, kVariable, 64, 10, true);
  store(1, Order::Release);
  load(2, Order::Acquire);
  read(2, kVariable + 8, 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].ordered);
  EXPECT_EQ(found[0].earlier.place, 10u);
  EXPECT_NE(found[0].earlier.flags & AccessFlags::Gone, 0);
  EXPECT_EQ(found[0].later.place, 20u);
  write(2, kVariable + 8, 21);  // also behind another access
  EXPECT_EQ(found.size(), 2u);
  read(2, kVariable + 64, 22);  // behind its end
  EXPECT_EQ(found.size(), 2u);
}

TEST_F(RaceDetectorTest, WhatIsGoneMayNotBeUsedByWhoGaveItBack) {
  write(1, kVariable, 9);
  free_block(1, kVariable, 64, 10, true);
  write(1, kVariable, 11);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].ordered);
}

TEST_F(RaceDetectorTest, WhatIsGoneAndNotOrderedRaces) {
  free_block(1, kVariable, 64, 10, true);
  read(2, kVariable, 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].ordered);
}

TEST_F(RaceDetectorTest, WhatIsGivenOutAgainIsNotGone) {
  free_block(1, kVariable, 64, 10, true);
  detector.forget(kVariable, 32);
  write(1, kVariable, 11);
  EXPECT_TRUE(found.empty());
  write(1, kVariable + 32, 12);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(RaceDetectorTest, WhatIsGoneIsForgottenByTheNextExecution) {
  free_block(1, kVariable, 64, 10, true);
  ASSERT_TRUE(detector.begin_execution());
  write(0, kVariable, 11);
  EXPECT_TRUE(found.empty());
}

TEST_F(RaceDetectorTest, TwoWritesThatNothingOrdersRace) {
  write(1, kVariable, 10);
  write(2, kVariable, 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].earlier.task, 1);
  EXPECT_EQ(found[0].earlier.place, 10u);
  EXPECT_EQ(found[0].later.task, 2);
  EXPECT_EQ(found[0].later.place, 20u);
  EXPECT_EQ(found[0].later.address, kVariable);
  EXPECT_EQ(found[0].later.size, 4);
}

TEST_F(RaceDetectorTest, ReadsDoNotRaceWithEachOther) {
  read(1, kVariable);
  read(2, kVariable);
  EXPECT_TRUE(found.empty());
}

TEST_F(RaceDetectorTest, AWriteRacesWithEveryReaderBeforeIt) {
  read(1, kVariable, 10);
  read(2, kVariable, 20);
  write(0, kVariable, 30);
  EXPECT_EQ(found.size(), 2u);
}

TEST_F(RaceDetectorTest, OfATaskTheFirstAccessStandsForOthersUntilAnEpochBegins) {
  write(1, kVariable, 10);
  write(1, kVariable, 11);
  write(2, kVariable, 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].earlier.place, 10u);
  detector.clocks().begin_epoch(2);
  write(2, kVariable, 21);
  write(1, kVariable, 12);
  ASSERT_EQ(found.size(), 2u);
  detector.clocks().begin_epoch(1);
  write(1, kVariable, 12);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].later.place, 21u);
  EXPECT_EQ(found[2].earlier.place, 21u);
  EXPECT_EQ(found[2].later.place, 12u);
}

TEST_F(RaceDetectorTest, AnEpochThatBeginsOrdersNothing) {
  write(1, kVariable, 10);
  detector.clocks().begin_epoch(1);
  detector.clocks().begin_epoch(2);
  EXPECT_TRUE(reader_races());
}

TEST_F(RaceDetectorTest, NeighbouringBytesDoNotRace) {
  write<4>(1, kVariable);
  write<4>(2, kVariable + 4);
  write<1>(1, kVariable + 8);
  write<1>(2, kVariable + 9);
  EXPECT_TRUE(found.empty());
}

TEST_F(RaceDetectorTest, UnalignedAccessesRaceInTheBytesThatTheyShare) {
  write<8>(1, kVariable + 5);
  write<2>(2, kVariable + 12, 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].later.address, kVariable + 12);
  EXPECT_EQ(found[0].later.size, 1);
}

TEST_F(RaceDetectorTest, RangesAreComparedByteByByte) {
  detector.switch_to(1);
  detector.access(kVariable + 3, 30, AccessFlags::Write, 10);
  read<1>(2, kVariable + 2);
  read<1>(2, kVariable + 33);
  EXPECT_TRUE(found.empty());
  read<1>(2, kVariable + 32);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(RaceDetectorTest, WhatALockOrdersDoesNotRace) {
  const ClockKey mutex = key_of_object(5);
  write(1, kVariable);
  detector.clocks().release(1, mutex);
  detector.clocks().acquire(2, mutex);
  EXPECT_FALSE(reader_races());
  write(1, kVariable);  // behind the release
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(RaceDetectorTest, ChannelsOfAnObjectAreApart) {
  write(1, kVariable);
  detector.clocks().release(1, key_of_object(5, 1));
  detector.clocks().acquire(2, key_of_object(5, 0));
  EXPECT_TRUE(reader_races());
}

TEST_F(RaceDetectorTest, CreationOrdersWhatCameBeforeIt) {
  write(0, kVariable);
  detector.clocks().add_task(3, 0);
  read(3, kVariable);
  EXPECT_TRUE(found.empty());
  write(0, kVariable);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(RaceDetectorTest, AtomicAccessesRaceWithPlainOnesOnly) {
  atomic(1, false, true, Order::Relaxed, kVariable);
  atomic(2, true, true, Order::Relaxed, kVariable);
  EXPECT_TRUE(found.empty());
  read(0, kVariable);
  EXPECT_FALSE(found.empty());
}

TEST_F(RaceDetectorTest, AnAtomicWriteDoesNotHideAPlainOneBeforeIt) {
  write(1, kVariable, 10);
  atomic(1, false, true, Order::Relaxed, kVariable);
  atomic(2, true, false, Order::Relaxed, kVariable);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(RaceDetectorTest, ReleaseAndAcquireOrder) {
  write(1, kVariable);
  store(1, Order::Release);
  load(2, Order::Acquire);
  EXPECT_FALSE(reader_races());
}

TEST_F(RaceDetectorTest, RelaxedAccessesOrderNothing) {
  write(1, kVariable);
  store(1, Order::Relaxed);
  load(2, Order::Acquire);
  EXPECT_TRUE(reader_races());
}

TEST_F(RaceDetectorTest, RelaxedLoadAfterReleaseOrdersNothing) {
  write(1, kVariable);
  store(1, Order::Release);
  load(2, Order::Relaxed);
  EXPECT_TRUE(reader_races());
}

TEST_F(RaceDetectorTest, FencesMakeRelaxedAccessesOrder) {
  write(1, kVariable);
  fence(1, Order::Release);
  store(1, Order::Relaxed);
  load(2, Order::Relaxed);
  fence(2, Order::Acquire);
  EXPECT_FALSE(reader_races());
}

TEST_F(RaceDetectorTest, AFenceDoesNotCoverWhatComesBehindIt) {
  fence(1, Order::Release);
  write(1, kVariable);
  store(1, Order::Relaxed);
  load(2, Order::Relaxed);
  fence(2, Order::Acquire);
  EXPECT_TRUE(reader_races());
}

TEST_F(RaceDetectorTest, AnUpdateGoesOnWithTheReleaseSequence) {
  write(1, kVariable);
  store(1, Order::Release);
  update(0, Order::Relaxed);
  load(2, Order::Acquire);
  EXPECT_FALSE(reader_races());
}

TEST_F(RaceDetectorTest, AStoreEndsTheReleaseSequence) {
  write(1, kVariable);
  store(1, Order::Release);
  store(0, Order::Relaxed);
  load(2, Order::Acquire);
  EXPECT_TRUE(reader_races());
}

TEST_F(RaceDetectorTest, ForgottenBytesBeginAnew) {
  write<8>(1, kVariable);
  detector.forget(kVariable, 4);
  read<4>(2, kVariable);
  EXPECT_TRUE(found.empty());
  read<4>(2, kVariable + 4);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(RaceDetectorTest, TerabytesAreForgottenAndFreedWhereTheyWereTouched) {
  constexpr std::uint64_t kMemory = std::uint64_t{1} << 44, kBytes = std::uint64_t{1} << 43;
  constexpr std::uint64_t kPlaces[] = {kMemory, kMemory + kBytes / 2 + 4096, kMemory + kBytes - 8};
  for (const std::uint64_t place : kPlaces) write<8>(1, place);
  detector.forget(kMemory, kBytes);
  for (const std::uint64_t place : kPlaces) read<8>(2, place);
  EXPECT_TRUE(found.empty());
  detector.switch_to(1);
  detector.free_block(kMemory, kBytes, 3, false);
  EXPECT_EQ(found.size(), 3u);
}

TEST_F(RaceDetectorTest, WhatWasPublishedThroughAnAtomicEndsWithItsLife) {
  for (const std::uint64_t forgotten : {64, 60, 72}) {
    write(1, kVariable);
    store(1, Order::Release);
    detector.forget(kVariable + forgotten, 8);
    update(2, Order::AcquireRelease);
    EXPECT_EQ(reader_races(), forgotten != 72) << forgotten;
    detector.forget(kVariable, 80);
  }
}

TEST_F(RaceDetectorTest, WhereSomethingWasPublishedAllAccessesAreKept) {
  for (TaskId task = 0; task < 3; ++task) read<1>(task, kVariable + 64 + task);  // a node
  update(0, Order::Relaxed);
  detector.forget(kVariable + 68, 4);
  found.clear();
  write<1>(0, kVariable + 65);
  write<1>(0, kVariable + 66);
  EXPECT_EQ(found.size(), 2u);
}

TEST_F(RaceDetectorTest, GivingABlockBackIsAWriteOfAllOfIt) {
  read<4>(1, kVariable + 40, 10);
  free_block(2, kVariable, 64, 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].earlier.flags, 0);
  EXPECT_EQ(found[0].later.flags, AccessFlags::Write | AccessFlags::Freed);
  EXPECT_EQ(found[0].later.place, 20u);
  EXPECT_EQ(found[0].later.address, kVariable + 40);
}

TEST_F(RaceDetectorTest, WhoUsesABlockThatWasGivenBackRaces) {
  free_block(1, kVariable, 64, 20);
  read<4>(2, kVariable + 60);
  read<4>(2, kVariable + 64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].earlier.flags, AccessFlags::Write | AccessFlags::Freed);
}

TEST_F(RaceDetectorTest, ABlockThatIsGivenBackInOrderRacesWithNobody) {
  write(1, kVariable);
  store(1, Order::Release);
  load(2, Order::Acquire);
  free_block(2, kVariable, 64, 20);
  EXPECT_TRUE(found.empty());
}

TEST_F(RaceDetectorTest, WhatIsAllocatedAnewIsNotTheBlockThatWasGivenBack) {
  free_block(1, kVariable, 64, 20);
  detector.forget(kVariable, 64);
  write(2, kVariable);
  EXPECT_TRUE(found.empty());
}

TEST_F(RaceDetectorTest, OfALargeBlockItLooksAtPagesThatWereTouched) {
  constexpr std::uint64_t kPages = 1 << 20;
  write(1, kVariable + 77 * 4096 + 8);
  write(1, kVariable + kPages * 4096 - 8);
  free_block(2, kVariable, kPages * 4096, 20);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].later.address, kVariable + 77 * 4096 + 8);
  EXPECT_EQ(found[1].later.address, kVariable + kPages * 4096 - 8);
}

TEST_F(RaceDetectorTest, AnExecutionKnowsNothingOfTheOneBefore) {
  for (TaskId task = 0; task < 3; ++task) read<1>(task, kVariable + task);  // a node, too
  write(1, kVariable);
  ASSERT_TRUE(detector.begin_execution());
  detector.clocks().add_task(1, 0);
  detector.clocks().add_task(2, 0);
  found.clear();
  write(2, kVariable);
  EXPECT_TRUE(found.empty());
  EXPECT_FALSE(detector.exhausted());
}

// --- against brute force

struct Event {
  TaskId task;
  std::uint64_t address;
  unsigned size;
  std::uint8_t flags;
  std::set<std::size_t> before;  // the events that happen before it
  unsigned epoch = 0;            // releases of its task before it
};

// Tasks, locks and accesses by the plainest possible rules: sets of events.
class BruteForce {
 public:
  explicit BruteForce(unsigned tasks) : past_(tasks), epochs_(tasks) {}
  void acquire(TaskId task, unsigned lock) { add(past_[task], locks_[lock]); }
  void release(TaskId task, unsigned lock) {
    add(locks_[lock], past_[task]);
    ++epochs_[task];
  }
  // Those that it races with. `must_be_found`: in a byte for which no access of its own task and epoch stands.
  std::vector<std::size_t> access(Event event, bool& must_be_found) {
    event.before = past_[event.task];
    event.epoch = epochs_[event.task];
    std::set<std::size_t> racing;
    must_be_found = false;
    for (std::uint64_t byte = event.address; byte < event.address + event.size; ++byte) {
      const std::vector<std::size_t> here = racing_in(byte, event);
      must_be_found = must_be_found || (!here.empty() && !stood_for(byte, event));
      racing.insert(here.begin(), here.end());
    }
    past_[event.task].insert(events.size());
    events.push_back(std::move(event));
    return {racing.begin(), racing.end()};
  }
  std::vector<Event> events;

 private:
  static bool has(const Event& event, std::uint64_t byte) {
    return event.address <= byte && byte < event.address + event.size;
  }
  std::vector<std::size_t> racing_in(std::uint64_t byte, const Event& event) const {
    std::vector<std::size_t> racing;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::uint8_t flags = events[i].flags;
      if (event.before.count(i) == 0 && has(events[i], byte) && ((flags | event.flags) & AccessFlags::Write) != 0 &&
          (flags & event.flags & AccessFlags::Atomic) == 0)
        racing.push_back(i);
    }
    return racing;
  }
  bool stood_for(std::uint64_t byte, const Event& event) const {
    return std::any_of(events.begin(), events.end(), [&](const Event& own) {
      return own.task == event.task && own.epoch == event.epoch && has(own, byte) &&
             ((own.flags & AccessFlags::Write) != 0 || (event.flags & AccessFlags::Write) == 0) &&
             ((own.flags & AccessFlags::Atomic) == 0 || (event.flags & AccessFlags::Atomic) != 0);
    });
  }
  static void add(std::set<std::size_t>& to, const std::set<std::size_t>& from) { to.insert(from.begin(), from.end()); }
  std::vector<std::set<std::size_t>> past_;
  std::vector<unsigned> epochs_;
  std::set<std::size_t> locks_[3];
};

class RandomRaces {
 public:
  explicit RandomRaces(unsigned seed) : seed_(seed), random(seed) {}
  void run();

 private:
  static constexpr unsigned kTasks = 4;
  unsigned pick(unsigned count) { return static_cast<unsigned>(random() % count); }
  void synchronize(TaskId task);
  void access(TaskId task);
  bool covered(const Event& event) const {
    if (event.flags == 0 && event.size == 4) return detector.covered<4, false>(event.address);
    if (event.flags == AccessFlags::Write && event.size == 8) return detector.covered<8, true>(event.address);
    return event.flags == AccessFlags::Write && event.size == 1 && detector.covered<1, true>(event.address);
  }

  unsigned seed_;
  std::mt19937 random;
  RaceDetector& detector = fresh_detector();
  BruteForce brute{kTasks};
};

void RandomRaces::synchronize(TaskId task) {
  const unsigned lock = pick(3);
  if (pick(2) == 0) {
    detector.clocks().acquire(task, key_of_object(lock));
    brute.acquire(task, lock);
  } else {
    detector.clocks().release(task, key_of_object(lock));
    brute.release(task, lock);
  }
}

// Places are the numbers of events, so that pairs can be compared.
void RandomRaces::access(TaskId task) {
  const auto place = static_cast<Place>(brute.events.size());
  const Event event{
      task, kVariable + pick(12), 1u << pick(4), static_cast<std::uint8_t>(pick(6) == 0 ? pick(4) : pick(2)), {}, 0};
  const std::size_t before = found.size();
  detector.switch_to(task);
  if (!covered(event)) detector.access(event.address, event.size, event.flags, place);
  bool must_be_found = false;
  const std::vector<std::size_t> racing = brute.access(event, must_be_found);
  if (must_be_found) {
    ASSERT_NE(found.size(), before) << "seed " << seed_ << ", event " << place;
  }
  for (std::size_t i = before; i < found.size(); ++i) {
    EXPECT_EQ(found[i].later.place, place);
    const Event& earlier = brute.events[found[i].earlier.place];
    EXPECT_NE(std::count(racing.begin(), racing.end(), found[i].earlier.place), 0) << "seed " << seed_;
    EXPECT_EQ(found[i].earlier.task, earlier.task);
  }
}

void RandomRaces::run() {
  for (TaskId task = 1; task < kTasks; ++task) detector.clocks().add_task(task, 0);
  for (unsigned i = 0; i < 60 && !testing::Test::HasFatalFailure(); ++i) {
    const auto task = static_cast<TaskId>(pick(kTasks));
    pick(3) != 0 ? synchronize(task) : access(task);
  }
}

TEST(RandomRacesTest, AnAccessRacesWhenBruteForceSaysSo) {
  for (unsigned seed = 1; seed <= 3000 && !testing::Test::HasFatalFailure(); ++seed) RandomRaces(seed).run();
}

}  // namespace
}  // namespace heddle::model
