// Places of steps that are the same in each process of a program.
#include "driver/execute/same_sites.h"

#include <gtest/gtest.h>

#include <bit>

#include "trace/module_names.h"
#include "trace/state_archive.h"

namespace heddle {
namespace {

constexpr std::uint64_t kSize = 0x4000;

ModuleMap process(FileNumbers& numbers, std::uint64_t program, std::uint64_t library, const std::string& folder) {
  ModuleMap modules;
  modules.add({"/home/me/program", program, program, program + kSize, false, numbers.of("/home/me/program")});
  const std::string path = folder + "/libx.so";
  modules.add({path, library, library, library + kSize, false, numbers.of(path)});
  modules.add({"late.so", library + kSize, library + kSize, library + 2 * kSize});  // loaded later: no number
  return modules;
}

TEST(SameSites, AreTheSameInEachProcess) {
  FileNumbers numbers;
  SameSites one, other;
  const ModuleMap here = process(numbers, 0x550000000000, 0x7f0000000000, "/tmp/scratch-1");
  const ModuleMap there = process(numbers, 0x560000000000, 0x7e0000000000, "/tmp/scratch-2");
  one.enter(here);
  other.enter(there);
  const Site site = one.of(0x550000001234);
  EXPECT_NE(site, 0u);
  EXPECT_EQ(site, other.of(0x560000001234));
  EXPECT_EQ(one.of(0x7f0000000010), other.of(0x7e0000000010));
  EXPECT_NE(one.of(0x7f0000001234), site) << "another file";
  EXPECT_EQ(here.here(site), 0x550000001234u);
  EXPECT_EQ(there.here(site), 0x560000001234u);
  EXPECT_EQ(ModuleNames(there).text(site), "program+0x1234");
}

// It is the same in no other process.
TEST(SameSites, WhatIsNotThereAtTheStartIsMarked) {
  FileNumbers numbers;
  SameSites sites;
  const ModuleMap modules = process(numbers, 0x550000000000, 0x7f0000000000, "/tmp");
  sites.enter(modules);
  EXPECT_EQ(sites.of(0), 0u);
  for (const Site site : {Site{0x10}, Site{0x7f0000000000 + kSize}, Site{0x7d0000000000}}) {
    EXPECT_TRUE(ModuleMap::is_unplaced(sites.of(site))) << site;
    EXPECT_EQ(modules.here(sites.of(site)), site);
  }
  EXPECT_FALSE(ModuleMap::is_unplaced(sites.of(0x550000001234)));
}

TEST(SameSites, FilesKeepTheirNumbers) {
  FileNumbers numbers;
  EXPECT_EQ(numbers.of("/a/program"), 1u);
  EXPECT_EQ(numbers.of("/a/libx.so"), 2u);
  EXPECT_EQ(numbers.of("/b/libx.so"), 2u);
  EXPECT_EQ(numbers.of("program"), 1u);
  StateWriter writer;
  writer(numbers);
  FileNumbers again;
  StateReader reader(writer.written());
  reader(again);
  EXPECT_EQ(again.of("libx.so"), 2u);
  EXPECT_EQ(again.of("liby.so"), 3u);
  for (std::uint32_t i = 3; i < ModuleMap::kMaxNumbers; ++i) again.of("lib" + std::to_string(i));
  EXPECT_EQ(again.of("liblast.so"), 0u);
}

TEST(SameSites, RecordsAreTranslated) {
  FileNumbers numbers;
  SameSites sites;
  sites.enter(process(numbers, 0x550000000000, 0x7f0000000000, "/tmp"));
  StepRecord step;
  step.task = 3;
  step.site = 0x550000001234;
  PendingRecord pending;
  pending.site = 0x7d0000000000;
  pending.held_since = 0x550000001234;
  ObjectRecord object;
  object.address = object.created_at = 0x550000001234;
  RaceRecord race;
  race.site = 0x550000001234;
  const std::vector<Record> records = {std::bit_cast<Record>(step), std::bit_cast<Record>(pending),
                                       std::bit_cast<Record>(object), std::bit_cast<Record>(race)};
  const auto translated = sites.translate(records);
  ASSERT_EQ(translated.size(), records.size());
  const auto same_step = std::bit_cast<StepRecord>(translated[0]);
  EXPECT_EQ(same_step.site, sites.of(0x550000001234));
  EXPECT_EQ(same_step.task, 3u);
  EXPECT_EQ(std::bit_cast<PendingRecord>(translated[1]).site, 0x7d0000000000 | ModuleMap::kUnplaced);
  EXPECT_EQ(std::bit_cast<PendingRecord>(translated[1]).held_since, same_step.site);
  EXPECT_EQ(std::bit_cast<ObjectRecord>(translated[2]).created_at, same_step.site);
  EXPECT_EQ(std::bit_cast<ObjectRecord>(translated[2]).address, 0x550000001234u);
  EXPECT_EQ(std::bit_cast<RaceRecord>(translated[3]).site, 0x550000001234u) << "it has the number of its file instead";
  EXPECT_LE(sites.translate(std::vector<Record>(100'000, records[0])).size(), 1000u) << "not all again for each";
}

TEST(SameSites, ObjectsAreCalledTheSameInEachProcess) {
  FileNumbers numbers;
  SameSites one, other;
  one.enter(process(numbers, 0x550000000000, 0x7f0000000000, "/tmp/scratch-1"));
  other.enter(process(numbers, 0x560000000000, 0x7e0000000000, "/tmp/scratch-2"));
  const auto place = [](SameSites& sites, ObjectKind kind, std::uint64_t address, std::uint32_t place) {
    ObjectRecord object;
    object.object_kind = kind;
    object.address = address;
    object.place = place;
    return std::bit_cast<ObjectRecord>(sites.translate(std::vector{std::bit_cast<Record>(object)})[0]).place;
  };
  constexpr auto kFixed = ObjectPlace::kFixed, kUnknown = ObjectPlace::kUnknown;
  const std::uint32_t mutex = place(one, ObjectKind::Mutex, 0x550000001240, kFixed);
  EXPECT_NE(mutex & ObjectPlace::kNamed, 0u);
  EXPECT_EQ(place(other, ObjectKind::Mutex, 0x560000001240, kFixed), mutex);
  EXPECT_NE(place(other, ObjectKind::Mutex, 0x560000001248, kFixed), mutex);
  EXPECT_EQ(place(one, ObjectKind::Memory, 0x550000001240, kFixed),
            place(other, ObjectKind::Memory, 0x560000001247, kFixed));
  EXPECT_EQ(place(one, ObjectKind::Mutex, 0x7ffc00001000, kFixed), kUnknown) << "on a stack";
  EXPECT_EQ(place(one, ObjectKind::Descriptor, 0x550000001240, kFixed), kFixed) << "a number";
  for (const std::uint32_t from_runtime : {kUnknown, ObjectPlace::kNamed | 7})
    EXPECT_EQ(place(one, ObjectKind::Mutex, 0x550000001240, from_runtime), from_runtime);
}

}  // namespace
}  // namespace heddle
