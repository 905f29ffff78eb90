// Which places are said to bring most schedules.
#include "analysis/switch_places.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

StepRecord step(TaskId task, Site site, ObjectId object) {
  StepRecord record;
  record.operation = OperationKind::MutexLock;
  record.task = task;
  record.site = site;
  record.object = object;
  return record;
}

ObjectRecord object(ObjectId number, std::uint64_t address) {
  ObjectRecord record;
  record.object_kind = ObjectKind::Mutex;
  record.object = number;
  record.address = address;
  return record;
}

Plan plan(std::initializer_list<Delta> deltas) {
  Plan result;
  result.deltas.assign(deltas.begin(), deltas.end());
  return result;
}

TEST(SwitchPlacesTest, ThePlaceIsWhereTheThreadWasHeldUp) {
  Execution execution;
  execution.steps = {step(0, 10, 1), step(1, 20, 1), step(1, 21, 1), step(0, 11, 2)};
  execution.objects = {object(1, 0x1000), object(2, 0x2000)};
  SwitchPlaces places;
  places.add(plan({{1, {1, 0}}}), execution);  // thread 1 goes first; thread 0 wanted to go on at 11
  const auto worst = places.worst(3);
  ASSERT_EQ(worst.size(), 1u);
  EXPECT_EQ(worst[0].site, 11u);
  EXPECT_EQ(worst[0].address, 0x2000u);
}

TEST(SwitchPlacesTest, AnObjectIsTheSameByItsAddress) {
  Execution execution;
  execution.steps = {step(0, 10, 1), step(1, 20, 1), step(0, 11, 2)};
  execution.objects = {object(1, 0x1000), object(2, 0x2000)};
  SwitchPlaces places;
  places.add(plan({{1, {1, 0}}}), execution);
  execution.steps[2].object = 1;  // the same one, by another number
  execution.objects = {object(1, 0x2000), object(2, 0x1000)};
  places.add(plan({{1, {1, 0}}}), execution);
  EXPECT_EQ(places.worst(1)[0].address, 0x2000u);
  execution.steps[2].object = 2;
  places.add(plan({{1, {1, 0}}}), execution);
  EXPECT_EQ(places.worst(1)[0].address, 0u);
  EXPECT_EQ(places.worst(1)[0].schedules, 3u);
}

TEST(SwitchPlacesTest, OfAThreadThatDoesNotGoOnTheChosenOperationCounts) {
  Execution execution;
  execution.steps = {step(0, 10, 1), step(1, 20, 3)};
  SwitchPlaces places;
  places.add(plan({{1, {1, 0}}}), execution);
  ASSERT_EQ(places.worst(1).size(), 1u);
  EXPECT_EQ(places.worst(1)[0].site, 20u);
}

TEST(SwitchPlacesTest, TheLastDeviationCountsAndTheMostComeFirst) {
  Execution execution;
  execution.steps = {step(0, 10, 1), step(1, 20, 1), step(0, 11, 2), step(1, 21, 1), step(0, 12, 2)};
  SwitchPlaces places;
  places.add(plan({{1, {1, 0}}}), execution);
  places.add(plan({{1, {1, 0}}, {3, {1, 0}}}), execution);
  places.add(plan({{3, {1, 0}}}), execution);
  EXPECT_EQ(places.schedules(), 3u);
  const auto worst = places.worst(2);
  ASSERT_EQ(worst.size(), 2u);
  EXPECT_EQ(worst[0].site, 12u);
  EXPECT_EQ(worst[0].schedules, 2u);
  EXPECT_EQ(worst[1].site, 11u);
}

TEST(SwitchPlacesTest, TheDefaultScheduleAndCutOffOnesDoNotCount) {
  Execution execution;
  execution.steps = {step(0, 10, 1)};
  SwitchPlaces places;
  places.add(plan({}), execution);
  places.add(plan({{7, {1, 0}}}), execution);
  EXPECT_EQ(places.schedules(), 0u);
  EXPECT_TRUE(places.worst(3).empty());
}

}  // namespace
}  // namespace heddle::test
