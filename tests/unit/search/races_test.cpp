// The names of objects where steps of different executions are compared.
#include "search/races.h"

#include <gtest/gtest.h>

#include "support/execution_builder.h"

namespace heddle::test {
namespace {

constexpr std::uint32_t kBlock = ObjectPlace::kNamed | 7, kOtherBlock = ObjectPlace::kNamed | 8;

// The steps of a thread that locks two mutexes, or makes two atomic stores, of which is known where they are.
std::vector<Event> events_of(OperationKind operation,
                             std::initializer_list<std::pair<std::uint64_t, std::uint32_t>> at) {
  ExecutionBuilder builder;
  for (const auto& [address, place] : at) {
    const ObjectId object = builder.object(object_kind(operation), address);
    builder.execution.objects.back().place = place;
    builder.step(0, operation, object).flags = StepFlags::Wrote;
  }
  const Execution execution = builder.exited(0);
  Races races(true);
  races.analyse(execution);
  return races.order().events;
}

bool same_object(const Event& one, const Event& other) { return dependent(one.access, other.access, ObjectName::same); }

TEST(Races, ObjectsAtFixedPlacesGoByAddress) {
  const auto first =
      events_of(OperationKind::MutexLock, {{0x1000, ObjectPlace::kFixed}, {0x2000, ObjectPlace::kFixed}});
  const auto second =
      events_of(OperationKind::MutexLock, {{0x2000, ObjectPlace::kFixed}, {0x1000, ObjectPlace::kFixed}});
  EXPECT_FALSE(same_object(first[0], first[1]));
  EXPECT_FALSE(same_object(first[0], second[0]));
  EXPECT_TRUE(same_object(first[0], second[1]));
}

TEST(Races, ObjectsInBlocksGoByTheirPlaceAndNotByAddress) {
  const auto first = events_of(OperationKind::MutexLock, {{0x1000, kBlock}, {0x2000, kOtherBlock}});
  const auto second = events_of(OperationKind::MutexLock, {{0x1000, kOtherBlock}, {0x2000, kBlock}});
  EXPECT_FALSE(same_object(first[0], second[0]));
  EXPECT_TRUE(same_object(first[0], second[1]));
}

TEST(Races, AnObjectAtAnUnknownPlaceMayBeWhateverMovesAndIsOfItsKind) {
  const auto unknown = events_of(OperationKind::MutexLock, {{0x1000, ObjectPlace::kUnknown}});
  const auto other = events_of(OperationKind::MutexLock, {{0x2000, kBlock}, {0x3000, ObjectPlace::kFixed}});
  EXPECT_TRUE(same_object(unknown[0], unknown[0]));
  EXPECT_TRUE(same_object(unknown[0], other[0]));
  EXPECT_TRUE(same_object(other[0], unknown[0]));
  EXPECT_FALSE(same_object(unknown[0], other[1]));
  const auto semaphore = events_of(OperationKind::SemaphorePost, {{0x2000, kBlock}});
  EXPECT_FALSE(same_object(unknown[0], semaphore[0]));
}

// Which of two atomics in one piece of memory was accessed first is not the same in all executions.
TEST(Races, APieceOfMemoryHasOneName) {
  const auto first = events_of(OperationKind::AtomicStore, {{0x1000, ObjectPlace::kFixed}});
  const auto second = events_of(OperationKind::AtomicStore, {{0x1004, ObjectPlace::kFixed}});
  const auto next = events_of(OperationKind::AtomicStore, {{0x1008, ObjectPlace::kFixed}});
  EXPECT_TRUE(same_object(first[0], second[0]));
  EXPECT_FALSE(same_object(first[0], next[0]));
}

}  // namespace
}  // namespace heddle::test
