// Messages of a farm: what is sent comes back, and no bytes do more than be refused.
#include "farm/messages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace heddle::farm {
namespace {

Subtrees some_subtrees() {
  return {{{}, 0},
          {{{3, {1, 0}}, {9, {0, 2}}}, 1},
          {{{3, {1, 0}}, {9, {2, 0}}}, 2},
          {{{3, {1, 0}}}, 1},
          {{{70'000, {400, kTimeout}}}, 7}};
}

ShardResult a_result() {
  ShardResult result;
  result.job = "job";
  result.id = 77;
  result.worker = "host:1";
  result.progress = {some_subtrees(), {1, 20, 300}, true, 2};
  result.steps_max = 12;
  result.tasks_max = 3;
  result.seconds = 1.5;
  result.points = {{"program", 4096}, {"libx.so", 17}};
  result.spins = {{{"program", 5}, 3}};
  for (std::uint64_t i = 0; i < 10; ++i) result.classes.add(i * i);
  result.test = {
      1, "the last line", "/tmp/heddle-shard-x/bugs", {{"report", "0a", 5, false}, {"bug-1.trace", "0b", 9}}};
  result.bugs = {{"key", "deadlock", "two threads wait", "a.c:1", 2, "0a1b", 17}};
  return result;
}

Job a_job() {
  Job job;
  job.id = "job";
  job.heddle = "build";
  job.command = {"./program", "2"};
  job.options = {{"--max-steps", "100"}};
  job.program = {{"./program", "0123abcd", 5, true}};
  job.data = {{"data/x", "ff", 1, false}};
  job.sources = {{"/src/a.cpp", "aa", 9, false}};
  job.keep_going = true;
  job.tests = {{"Queue.drains", {"--gtest_filter=Queue.drains"}}, {"empty", {}}};
  job.framework = "GoogleTest";
  job.probe_test = 1;
  job.probe_class = UINT64_MAX;
  return job;
}

bool equal(const Subtrees& one, const Subtrees& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Subtree& a, const Subtree& b) {
    return a.preemptions == b.preemptions && a.deltas == b.deltas;
  });
}

TEST(Messages, AResultComesBackAsItWas) {
  const ShardResult result = a_result();
  const auto read = result_from(to_bytes(result));
  ASSERT_TRUE(std::holds_alternative<ShardResult>(read)) << std::get<Refused>(read).why;
  const auto& back = std::get<ShardResult>(read);
  EXPECT_TRUE(equal(back.progress.waiting, result.progress.waiting));
  EXPECT_EQ(back.progress.run, result.progress.run);
  EXPECT_EQ(back.points, result.points);
  EXPECT_EQ(back.spins, result.spins);
  EXPECT_EQ(back.classes.hashes(), result.classes.hashes());
  EXPECT_EQ(back.bugs[0].trace, "0a1b");
  EXPECT_EQ(to_bytes(back), to_bytes(result));
}

TEST(Messages, AShardAndAJobComeBackAsTheyWere) {
  Shard shard{5, 3, 10, some_subtrees(), {{"program", 1}}, {{{"program", 5}, 3}}, "job"};
  const auto read = shard_from(to_bytes(shard));
  ASSERT_TRUE(std::holds_alternative<Shard>(read));
  EXPECT_EQ(to_bytes(std::get<Shard>(read)), to_bytes(shard));
  EXPECT_EQ(std::get<Shard>(read).job, "job");
  const auto job = job_from(to_bytes(a_job()));
  ASSERT_TRUE(std::holds_alternative<Job>(job)) << std::get<Refused>(job).why;
  EXPECT_EQ(to_bytes(std::get<Job>(job)), to_bytes(a_job()));
}

std::string why_refused(const ShardResult& result, void (*change)(nlohmann::json&)) {
  auto value = nlohmann::json::from_cbor(to_bytes(result));
  change(value);
  std::string bytes;
  nlohmann::json::to_cbor(value, bytes);
  const auto read = result_from(bytes);
  return std::holds_alternative<Refused>(read) ? std::get<Refused>(read).why : "";
}

nlohmann::json words(std::vector<std::uint32_t> numbers) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return nlohmann::json::binary({bytes, bytes + numbers.size() * 4});
}

TEST(Messages, WhatMakesNoSenseIsRefusedWithAReason) {
  using Json = nlohmann::json;
  const ShardResult good = a_result();
  EXPECT_EQ(why_refused(good, [](Json&) {}), "");
  EXPECT_EQ(why_refused(good, [](Json& json) { json.erase("run"); }), "it has no \"run\"");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["version"] = 99; }), "it is of another version of Heddle");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["is"] = "shard"; }), "it is another kind of message");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["id"] = -1; }), "something that is to be a number is none");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["seconds"] = 1e300; }), "a time makes no sense");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["bugs"][0]["key"] = ""; }), "a bug has no key");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["job"] = std::string(65, 'x'); }), "a text is too long");
  EXPECT_EQ(why_refused(good,
                        [](Json& json) {
                          json["waiting"] = words({1, 0, 0});
                        }),
            "a subtree shares what there is not");
  EXPECT_EQ(why_refused(good,
                        [](Json& json) {
                          json["waiting"] = words({0, 4'000'000'000, 0});
                        }),
            "a subtree is cut off");
  EXPECT_EQ(why_refused(good,
                        [](Json& json) {
                          json["waiting"] = words({0, 2, 0, 5, 0, 5, 0});
                        }),
            "deviations are not in their order");
  EXPECT_EQ(why_refused(good,
                        [](Json& json) {
                          json["waiting"] = words({0, 0, 1001});
                        }),
            "a subtree has too many preemptions");
}

TEST(Messages, FilesOfATestLieInItsFolderAndAreOfABoundedSize) {
  using Json = nlohmann::json;
  const ShardResult good = a_result();
  EXPECT_EQ(std::get<ShardResult>(result_from(to_bytes(good))).test->files[1].path, "bug-1.trace");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["test"] = nullptr; }), "");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["test"]["status"] = 256; }), "a number is too large");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["test"]["folder"] = "/"; }), "a folder has no path");
  EXPECT_EQ(why_refused(good, [](Json& json) { json["test"]["files"][0]["bytes"] = kMostFile_bytes + 1; }),
            "a file of a test is too large");
  for (const char* const name : {"../x", "/etc/passwd", "a/b", "..", ".hidden", ""}) EXPECT_FALSE(is_plain_name(name));
  EXPECT_EQ(why_refused(good, [](Json& json) { json["test"]["files"][1]["path"] = "../bug-1.trace"; }),
            "a file of a test has no plain name");
}

TEST(Messages, AProbeIsOfATestOfTheJob) {
  auto value = nlohmann::json::from_cbor(to_bytes(a_job()));
  value["probe_test"] = 3;
  std::string bytes;
  nlohmann::json::to_cbor(value, bytes);
  EXPECT_EQ(std::get<Refused>(job_from(bytes)).why, "a number is too large");
}

TEST(Messages, AResultOfAnotherJobIsKnownBeforeItIsRead) {
  nlohmann::json value = nlohmann::json::from_cbor(to_bytes(a_result()));
  value["waiting"] = "makes no sense";
  std::string bytes;
  nlohmann::json::to_cbor(value, bytes);
  const auto other = result_from(bytes, "another");
  ASSERT_TRUE(std::holds_alternative<Refused>(other));
  EXPECT_EQ(std::get<Refused>(other).why, "it is of another job");
  EXPECT_EQ(std::get<Refused>(other).of_another, 77u);
  const auto ours = result_from(bytes, "job");
  ASSERT_TRUE(std::holds_alternative<Refused>(ours));
  EXPECT_EQ(std::get<Refused>(ours).why, "something that is to be bytes is none");
  EXPECT_FALSE(std::get<Refused>(ours).of_another);
  EXPECT_TRUE(std::holds_alternative<ShardResult>(result_from(to_bytes(a_result()), "job")));
}

TEST(Messages, FewBytesThatStandForManyDeviationsAreRefused) {
  EXPECT_EQ(why_refused(a_result(),
                        [](nlohmann::json& json) {
                          constexpr std::uint32_t kDepth = 20'000;
                          std::vector<std::uint32_t> numbers{0, kDepth, 0};
                          for (std::uint32_t step = 0; step < kDepth; ++step) numbers.insert(numbers.end(), {step, 0});
                          for (int i = 0; i < 8000; ++i) numbers.insert(numbers.end(), {kDepth, 0, 0});
                          json["waiting"] = words(std::move(numbers));
                        }),
            "there are too many deviations");
}

TEST(Messages, AJobWithAFileNameThatIsNoDigestIsRefused) {
  Job job = a_job();
  job.program[0].digest = "../../etc/passwd";
  const auto read = job_from(to_bytes(job));
  ASSERT_TRUE(std::holds_alternative<Refused>(read));
  EXPECT_EQ(std::get<Refused>(read).why, "a digest is not in hex");
}

TEST(Messages, WhatIsNestedWithoutEndIsRefused) {
  EXPECT_TRUE(std::holds_alternative<Refused>(result_from(std::string(1 << 20, '\x81'))));
  EXPECT_TRUE(std::holds_alternative<Refused>(result_from(std::string(kMostBytes + 1, '\x60'))));
}

// Damaged, cut off, lengthened: nothing is read that can't be written again.
TEST(Messages, DamagedBytesAreRefusedOrMakeSense) {
  std::mt19937_64 draw(1);
  unsigned refused = 0;
  const std::string good[] = {to_bytes(a_result()), to_bytes(Shard{5, 3, 10, some_subtrees(), {}, {}}),
                              to_bytes(a_job())};
  for (unsigned round = 0; round < 30'000; ++round) {
    std::string bytes = good[round % 3];
    for (std::uint64_t changes = 1 + draw() % 4; changes > 0 && !bytes.empty(); --changes) {
      const std::size_t at = draw() % bytes.size();
      switch (draw() % 4) {
        case 0:
          bytes[at] = static_cast<char>(draw());
          break;
        case 1:
          bytes.resize(at);
          break;
        case 2:
          bytes.insert(at, 1 + draw() % 9, static_cast<char>(draw()));
          break;
        default:
          bytes.erase(at, 1 + draw() % 9);
          break;
      }
    }
    const auto check = [&](const auto& read) {
      if (std::holds_alternative<Refused>(read)) {
        EXPECT_NE(std::get<Refused>(read).why, "");
        ++refused;
      } else {
        EXPECT_LE(to_bytes(std::get<0>(read)).size(), 2 * bytes.size() + 1000);
      }
    };
    check(result_from(bytes));
    check(result_from(bytes, "another"));
    check(shard_from(bytes));
    check(job_from(bytes));
  }
  EXPECT_GE(refused, 80'000u);  // each is of one kind only
}

}  // namespace
}  // namespace heddle::farm
