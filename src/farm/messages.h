// What the coordinator and the workers of a farm send each other, as values and as bytes (CBOR, RFC 8949).
//
// Bytes come from a server that others may write to. So each reader checks what it reads: sizes, ranges and order. What
// is not as it must be is refused as a whole, with a reason.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/smallest_hashes.h"
#include "search/shard.h"
#include "trace/code_place.h"

namespace heddle::farm {

// Of one message: what a server of NATS takes that was not told otherwise.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 20;

using ShardId = std::uint64_t;

// Part of a bound, or a hunt (hunts.h); and what is known by then.
struct Shard {
  ShardId id = 0;
  unsigned bound = 0;             // all with at most so many preemptions are to be run
  double budget_s = 0;            // what was not run by then is left
  Subtrees subtrees;              // none of a hunt
  std::vector<CodePlace> points;  // racing places that are scheduling points
  std::vector<SpinLoop> spins;    // loops that count as yielding
  std::string job = {};           // Job::id
  std::string search = {};        // by which a hunt draws schedules; empty: it is no hunt
  std::uint64_t seed = 0;         // of a hunt, beside that of the job
};

// A file that travels, by its content.
struct FarmFile {
  std::string path;    // as the coordinator names it
  std::string digest;  // hex
  std::uint64_t bytes = 0;
  bool executable = false;
};

struct FarmBug {
  std::string key;                  // Bug::key: equal for the same cause
  std::string kind, message, site;  // as in reports
  unsigned preemptions = 0;
  std::string trace;  // digest of the file in hex; empty: there is none
  std::uint64_t trace_bytes = 0;
};

// How the run of one test has ended (heddle run).
struct TestRun {
  std::uint32_t status = 0;     // with which it ended
  std::string said;             // its last line
  std::string folder;           // where the worker had `files`: their texts name it
  std::vector<FarmFile> files;  // the report (kReportName), and what is kept of bugs; all have plain names
};
inline constexpr const char* kReportName = "report";
inline constexpr std::uint64_t kMostFile_bytes = std::uint64_t{64} << 20;  // of those of a run
// The name of a file, and nothing that leads elsewhere.
bool is_plain_name(std::string_view name);

// What a worker has made of a shard.
struct ShardResult {
  std::string job;  // Job::id
  ShardId id = 0;
  std::string worker;
  std::string failed;  // why it could not be run; empty: it was
  ShardProgress progress;
  std::uint32_t steps_max = 0, tasks_max = 0;  // of one schedule
  double seconds = 0;
  std::vector<CodePlace> points;  // with those that were known
  std::vector<SpinLoop> spins;    // likewise
  SmallestHashes classes;
  std::vector<FarmBug> bugs;
  // A file that holds progress.waiting (subtrees_to_bytes()) where that is too long for a message; none: it is not.
  std::vector<FarmFile> waiting_file = {};
  bool broke_down = false;           // it failed since its process broke down: with another one it may not
  std::uint64_t cut_off = 0;         // schedules that did not end within the limit of steps
  std::optional<TestRun> test = {};  // where the shard is a test
};

// One test of a suite.
struct FarmTest {
  std::string name;
  std::vector<std::string> words;  // behind the command, they choose it
};

// One search of one program, or the tests of one suite. The shard with the number n is the test n - 1, modulo their
// number: a test may be run again, for longer.
struct Job {
  std::string id;
  std::string heddle;  // which build of it
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> options;  // of the search
  std::vector<FarmFile> program;                             // the program, then libraries
  std::vector<FarmFile> data;                                // for the folder in which it runs
  std::vector<FarmFile> sources;                             // whose lines tell causes of bugs apart
  std::uint32_t processors = 0;                              // that the program sees
  bool keep_going = false;
  std::uint64_t pieces = 8;  // Merge::Options
  double shard_s = 10;       // likewise
  // Hunts::Options: none where only a bound is searched.
  std::vector<std::string> hunts = {};
  std::uint64_t hunts_waiting = 1;
  bool over = false;                 // no more shards will come
  std::vector<FarmTest> tests = {};  // of a suite; empty: it is a search
  std::string framework = {};        // of the tests; empty: none that is known
  std::uint64_t probe_test = 0;      // the test whose first schedule is the probe; all of them: there is none
  // Of the first schedule, of a suite in one of its tests: what must be the same on each machine.
  std::uint64_t probe_class = 0;
  std::uint32_t probe_steps = 0, probe_tasks = 0;
};

std::string subtrees_to_bytes(const Subtrees& subtrees);
std::string to_bytes(const Shard& shard);
std::string to_bytes(const ShardResult& result);
std::string to_bytes(const Job& job);

struct Refused {
  std::string why;
  std::optional<ShardId> of_another = {};  // it is a result of another job; of this shard
};
std::variant<Subtrees, Refused> subtrees_from_bytes(std::string_view bytes);
std::variant<Shard, Refused> shard_from(std::string_view bytes);
// `job`: Job::id. A result of another job is refused before anything is built of it; empty: any job will do.
std::variant<ShardResult, Refused> result_from(std::string_view bytes, const std::string& job = {});
std::variant<Job, Refused> job_from(std::string_view bytes);

}  // namespace heddle::farm
