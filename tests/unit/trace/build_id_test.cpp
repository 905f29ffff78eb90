// Build ids: from the note, or from the content where there is none.
#include "trace/build_id.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace heddle {
namespace {

std::string written(const std::string& content) {
  std::string path = ::testing::TempDir() + "build_id_test." + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(BuildId, OfThisProgram) {
  const std::string id = build_id_of("/proc/self/exe");
  EXPECT_FALSE(id.empty());
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef-cont"), std::string::npos) << id;
  EXPECT_EQ(id, build_id_of("/proc/self/exe"));
}

TEST(BuildId, ContentWhereThereIsNoNote) {
  const std::string one = build_id_of(written("#!/bin/sh\necho 1\n"));
  EXPECT_EQ(one.find("content-"), 0u);
  EXPECT_NE(one, build_id_of(written("#!/bin/sh\necho 2\n")));
}

TEST(BuildId, NothingForWhatCannotBeRead) { EXPECT_EQ(build_id_of("/nowhere/program"), ""); }

TEST(BuildId, DamagedFilesDoNoHarm) {
  std::string elf(64, '\0');
  elf.replace(0, 5,
              "\x7f"
              "ELF\x02");
  for (std::size_t i = 5; i < elf.size(); ++i) {
    std::string damaged = elf;
    damaged[i] = '\xff';
    EXPECT_NE(build_id_of(written(damaged)), "");
  }
}

}  // namespace
}  // namespace heddle
