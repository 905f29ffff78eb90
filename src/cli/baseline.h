// --baseline: the bugs of an earlier run or suite, which are known. They are told apart by their keys (bug_cause.h).
#pragma once

#include <set>
#include <string>

namespace heddle::cli {

struct Baseline {
  std::set<std::string> keys;
  std::string error;  // empty, or what is wrong with the file and what to do
};

// `path`: what heddle run --json or heddle test --json has written.
Baseline read_baseline(const std::string& path);

}  // namespace heddle::cli
