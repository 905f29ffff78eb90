// The regression store: the folder .heddle, with a small file for each cause of a bug that is to be tried again in
// every run. People read these files, keep them in git and compare them, so they hold neither absolute paths nor
// numbers of steps, and a line for each thing.
#pragma once

#include <string>
#include <vector>

#include "trace/trace_file.h"

namespace heddle::cli {

inline constexpr const char* kStoreFolder = ".heddle";

// What a file holds of a trace's header. Its points have files, but no offsets: they are found by their lines.
struct StoredBug {
  std::string key;     // of its cause; with "-2" behind it where two commands, or two checks, have one cause
  TraceHeader header;  // paths are absolute here
};

struct StoreContent {
  std::vector<StoredBug> bugs;        // by key
  std::vector<std::string> problems;  // a sentence on each file that can't be read
};

class RegressionStore {
 public:
  // The nearest one: in this folder, or above it.
  static RegressionStore nearest();
  // The same; where there is none, one that add() will make: at the top of the git working tree, else here.
  static RegressionStore to_add_to();

  bool exists() const { return !root_.empty(); }
  // The folder that holds .heddle.
  const std::string& root() const { return root_; }
  StoreContent read() const;
  // Empty, or what is wrong. `path`: the file. What is there of the same bug is replaced.
  std::string add(const TraceHeader& header, std::string& path) const;
  // Empty, or what is wrong.
  std::string remove(const std::string& key) const;

 private:
  std::string free_key(const TraceHeader& header) const;
  explicit RegressionStore(std::string root) : root_(std::move(root)) {}
  std::string root_;  // empty: there is none
};

// A file's content, and back. `root`: to which its paths are relative.
std::string format_stored(const TraceHeader& header, const std::string& root);
// The error is empty, or one sentence without the file's name.
struct ParsedBug {
  StoredBug bug;
  std::string error;
};
ParsedBug parse_stored(std::string_view text, const std::string& root);

// "build/queue_test --gtest_filter=Queue.Stop", relative to `root`.
std::string command_of(const StoredBug& bug, const std::string& root);

}  // namespace heddle::cli
