// The checks before a program is started: each kind of wrong program gives its own sentence.
#include "driver/target/target.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "driver/target/elf_file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class TargetTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("heddle-target-test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    setenv("HEDDLE_LIBRARY", "/lib/x86_64-linux-gnu/libm.so.6", 1);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("HEDDLE_LIBRARY");
  }

  std::string make(const std::string& name, const std::string& content, mode_t mode = 0755) {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    chmod(path.c_str(), mode);
    return path;
  }

  // Read at once: with its debug information it is large.
  static std::string own_content() {
    std::string content(fs::file_size("/proc/self/exe"), '\0');
    std::ifstream("/proc/self/exe", std::ios::binary)
        .read(content.data(), static_cast<std::streamsize>(content.size()));
    return content;
  }

  static std::string error_of(const std::string& program, const std::string& start_at = "") {
    RunOptions options;
    options.command = {program, "argument"};
    options.start_at = start_at;
    const auto result = inspect_target(options);
    const auto* error = std::get_if<TargetError>(&result);
    return error != nullptr ? error->message : std::string();
  }

  static Target good(const std::string& program, const std::string& start_at = "") {
    RunOptions options;
    options.command = {program, "argument"};
    options.start_at = start_at;
    auto result = inspect_target(options);
    EXPECT_TRUE(std::holds_alternative<Target>(result)) << error_of(program);
    return std::holds_alternative<Target>(result) ? std::get<Target>(result) : Target();
  }

  fs::path folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(TargetTest, AnOrdinaryProgramPasses) {
  const Target target = good("/proc/self/exe");
  EXPECT_EQ(target.arguments, (std::vector<std::string>{"/proc/self/exe", "argument"}));
  EXPECT_FALSE(target.script);
  EXPECT_EQ(target.library, fs::canonical("/lib/x86_64-linux-gnu/libm.so.6"));
}

TEST_F(TargetTest, NamesWithoutASlashAreLookedUpInPath) {
  EXPECT_TRUE(good("sleep").path.ends_with("/sleep"));
  EXPECT_TRUE(contains(error_of("no-such-program-anywhere"), "no such program in PATH"));
  EXPECT_TRUE(contains(error_of(""), "no such program"));
}

TEST_F(TargetTest, WhatIsNoProgramIsNamed) {
  EXPECT_TRUE(contains(error_of(make("pool.cpp", "int main() {}", 0644)), "source code: compile it"));
  EXPECT_TRUE(contains(error_of(folder_ / "missing"), "there is no such program"));
  EXPECT_TRUE(contains(error_of(folder_), "is a directory"));
  EXPECT_TRUE(contains(error_of("."), "is a directory"));
  EXPECT_TRUE(contains(error_of("/dev/null"), "not a regular file"));
  EXPECT_TRUE(contains(error_of(make("plain", "text", 0644)), "may not be executed"));
  EXPECT_TRUE(contains(error_of(make("text", "some text")), "neither a program nor a script"));
  EXPECT_TRUE(contains(error_of(make("empty", "")), "neither a program nor a script"));
  EXPECT_TRUE(contains(error_of(make("cut", own_content().substr(0, 40))), "damaged"));
}

TEST_F(TargetTest, SetUserIdIsRefused) {
  const std::string path = make("setuid", own_content());
  ASSERT_EQ(chmod(path.c_str(), 04755), 0);
  EXPECT_TRUE(contains(error_of(path), "set-user-id"));
}

TEST_F(TargetTest, AnotherArchitectureIsNamed) {
  std::string content = own_content();
  reinterpret_cast<Elf64_Ehdr*>(content.data())->e_machine = EM_AARCH64;
  EXPECT_TRUE(contains(error_of(make("arm", content)), "another processor (64-bit ARM)"));
}

TEST_F(TargetTest, StaticProgramsAreNamed) {
  std::string content = own_content();
  auto* header = reinterpret_cast<Elf64_Ehdr*>(content.data());
  auto* segments = reinterpret_cast<Elf64_Phdr*>(content.data() + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_INTERP) segments[i].p_type = PT_NULL;
  EXPECT_TRUE(contains(error_of(make("static", content)), "statically linked"));
}

TEST_F(TargetTest, ScriptsAreFollowed) {
  EXPECT_TRUE(good(make("script", "#!/bin/sh\ntrue\n")).script);
  EXPECT_TRUE(contains(error_of(make("script", "#!/bin/sh\ntrue\n"), "main"), "--start-at needs a program"));
}

TEST_F(TargetTest, AnInterpreterThatIsNotThereIsNamed) {
  EXPECT_TRUE(contains(error_of(make("gone", "#! /no/such -x\n")), "can't be run: /no/such: No such file"));
  EXPECT_TRUE(contains(error_of(make("windows", "#!/bin/sh\r\ntrue\r\n")), "the first one, /bin/sh, is not found"));
  EXPECT_TRUE(contains(error_of(make("nothing", "#! \n")), "names no interpreter"));
  EXPECT_EQ(error_of(make("without_an_end_of_line", "#!/bin/sh")), "");
}

TEST_F(TargetTest, AProgramThatIsCutOffIsDamaged) {
  const std::string whole = own_content();
  for (const std::size_t size : {5000, 100'000})
    EXPECT_TRUE(contains(error_of(make("cut", whole.substr(0, size))), "it is damaged")) << size;
}

TEST_F(TargetTest, StartAtFindsFunctionsByTheirPlainNames) {
  EXPECT_NE(good("/proc/self/exe", "main").start_at_offset, 0u);
  EXPECT_NE(good("/proc/self/exe", "heddle::inspect_target").start_at_offset, 0u);
  EXPECT_TRUE(contains(error_of("/proc/self/exe", "heddle::no_such"), "has no function"));
}

TEST_F(TargetTest, TheLibraryMustBeThere) {
  setenv("HEDDLE_LIBRARY", "/nonexistent/libheddle.so", 1);
  EXPECT_TRUE(contains(error_of("/proc/self/exe"), "/nonexistent/libheddle.so"));
  setenv("HEDDLE_LIBRARY", "/usr", 1);
  EXPECT_TRUE(contains(error_of("/proc/self/exe"), "/usr, which HEDDLE_LIBRARY names: it is a directory"));
  const std::string spaced = make("with space.so", "");
  setenv("HEDDLE_LIBRARY", spaced.c_str(), 1);
  EXPECT_TRUE(contains(error_of("/proc/self/exe"), "space or a colon"));
}

}  // namespace
}  // namespace heddle
