// Everything a command line can say, as values; options.cpp says how it is said.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/target/options.h"
#include "report/page_writers.h"

namespace heddle::cli {

enum class ColorMode { Auto, Always, Never };

// Is a bug that needs only time (Bug::only_time) a failure?
enum class TimingBugs : std::uint8_t { Pass, Fail };

// Are the bugs of the regression store tried before the search?
enum class TryRegressions : std::uint8_t { Yes, No };

// Do the programs of a farm run in a sandbox? Auto: where a server was named and a sandbox works.
enum class SandboxMode : std::uint8_t { No, Yes, Auto };

// Of heddle farm and heddle worker.
struct FarmSettings {
  std::string url = "local";  // of the server; local: one of our own, on this machine
  std::string name = "heddle";
  std::string credentials, ca, certificate, key;  // files; empty: none
  std::string with_files;                         // that the program reads: names with commas between them
  double shard_s = 10;                            // how long a worker takes for one shard at most
  bool prometheus = false;
  SandboxMode sandbox = SandboxMode::Auto;
  std::string sandbox_variables;  // of the environment, that the program sees, too: names with commas between them
  std::uint64_t worker_memory_bytes = std::uint64_t{2} << 30;  // for what runs of one shard, in all
  unsigned worker_processes = 5000;                            // likewise, with threads
  double worker_over_s = 600;                                  // how long it may go on after the shard's time
  double server_wait_s = 300;                                  // for a server that is gone
};

struct Settings {
  using Clock = std::chrono::steady_clock;

  RunOptions run;
  FarmSettings farm;
  Clock::time_point started = Clock::now();  // --time counts from here
  std::string json;                          // file name, "-" = standard output, empty = none
  std::string sarif;                         // likewise
  std::string baseline;                      // a report of an earlier run or suite; empty: none
  std::set<std::string> known_keys;          // of the bugs in it (Bug::key)
  std::string junit;                         // file name, "-" = standard output, empty = none
  std::string list;                          // a command that lists the tests of a program
  std::string select;                        // words that choose one of them
  TimingBugs timing_bugs = TimingBugs::Fail;
  TryRegressions regressions = TryRegressions::Yes;
  bool list_only = false;
  std::optional<unsigned> skip_status;  // of a program that creates no thread
  bool quiet = false;
  bool explain = false;  // say at length what was proved
  bool yes = false;      // to what would be asked
  ColorMode color = ColorMode::Auto;
  std::string like;     // trace whose search is to be repeated
  std::string exec;     // a command for the shell that runs a replay; empty: none
  bool full = false;    // all that a page can say
  bool stacks = false;  // of every step, on the page
  unsigned width = 0;   // of pages, in columns; 0 = the terminal's
  const PageWriter* page_writer = page_writers().data();
  std::string output_root = "heddle-out";
  std::vector<std::string> given;     // names of the options that were given
  std::vector<std::string> operands;  // what is no option: a trace, a bug's number

  double seconds_passed() const { return std::chrono::duration<double>(Clock::now() - started).count(); }
  double seconds_left() const { return run.time_s - seconds_passed(); }
};

}  // namespace heddle::cli
