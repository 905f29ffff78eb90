// Places that race, as addresses in one process.
#include "runtime/detect/point_sites.h"

#include <gtest/gtest.h>

#include <memory>

namespace heddle::runtime {
namespace {

class PointSitesTest : public testing::Test {
 protected:
  PointSitesTest() { sites_.set_memory(memory_.get()); }
  void name(std::uint64_t file, std::uint64_t offset) { points_->points[points_->count++] = {file, offset}; }

  const std::unique_ptr<PointSites::Memory> memory_ = std::make_unique<PointSites::Memory>();
  const std::unique_ptr<PointSet> points_ = std::make_unique<PointSet>();
  PointSites sites_;
};

TEST_F(PointSitesTest, FilesAreKnownByTheirNames) {
  EXPECT_EQ(file_key("/tmp/scratch-1/libx.so"), file_key("./libx.so"));
  EXPECT_EQ(file_key("/tmp/scratch-1/libx.so"), file_key("libx.so"));
  EXPECT_NE(file_key("libx.so"), file_key("liby.so"));
  EXPECT_NE(file_key("libx.so"), file_key("libx.so.1"));
  EXPECT_NE(file_key(""), 0u);
}

TEST_F(PointSitesTest, PlacesLieWhereTheirFileIs) {
  name(file_key("program"), 0x1100);
  name(file_key("libx.so"), 0x1100);
  name(0, 0x7f0000001234);
  EXPECT_TRUE(sites_.add(*points_, 0, 0));
  EXPECT_TRUE(sites_.add(*points_, file_key("/home/me/program"), 0x550000000000));
  EXPECT_TRUE(sites_.add(*points_, file_key("/lib/libc.so.6"), 0x7f1000000000));
  EXPECT_EQ(sites_.count(), 2u);
  EXPECT_TRUE(sites_.contains(0x7f0000001234));
  EXPECT_TRUE(sites_.contains(0x550000001100));
  EXPECT_FALSE(sites_.contains(0x1100));
  EXPECT_FALSE(sites_.contains(0x7f1000001100));
}

// A library that is loaded twice, and one that another execution has elsewhere.
TEST_F(PointSitesTest, WhatAnExecutionLoadsIsTakenOutAgain) {
  name(file_key("program"), 0x10);
  name(file_key("libx.so"), 0x20);
  sites_.add(*points_, file_key("program"), 0x1000);
  const std::uint32_t at_start = sites_.count();
  for (const std::uint64_t base : {0x2000u, 0x3000u, 0x2000u}) {
    EXPECT_TRUE(sites_.add(*points_, file_key("libx.so"), base));
    EXPECT_TRUE(sites_.contains(base + 0x20));
  }
  EXPECT_EQ(sites_.count(), at_start + 2);
  sites_.keep(at_start);
  EXPECT_TRUE(sites_.contains(0x1010));
  EXPECT_FALSE(sites_.contains(0x2020));
  EXPECT_FALSE(sites_.contains(0x3020));
}

TEST_F(PointSitesTest, TooManyAreSaid) {
  for (std::uint64_t i = 0; i < kMaxPoints; ++i) name(file_key("libx.so"), i * 8);
  unsigned files = 0;
  while (sites_.add(*points_, file_key("libx.so"), (files + 1) * 0x100000ull)) ++files;
  EXPECT_EQ(files, PointSites::kMax / kMaxPoints);
  EXPECT_TRUE(sites_.contains(0x100000));
  sites_.keep(0);
  for (std::uint64_t i = 0; i < kMaxPoints; ++i) EXPECT_FALSE(sites_.contains(0x100000 + i * 8));
}

}  // namespace
}  // namespace heddle::runtime
