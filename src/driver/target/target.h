// Checks the program to be tested before it is started. Whatever is known to go wrong is said here, in one sentence;
// otherwise the target would behave strangely later.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "driver/target/options.h"

namespace heddle {

// Tells whether a file is still the one that it was.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t changed_s = 0, changed_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
// A default one: the file is not there.
FileStamp stamp_of(const std::string& path);

struct Target {
  std::string path;                        // the file to execute
  std::vector<std::string> arguments;      // with the program as the user wrote it in front
  std::string library;                     // libheddle.so
  bool script = false;                     // begins with #!: the program of interest is started by it
  PythonPoints python = PythonPoints::No;  // of a program that an interpreter of Python runs
  bool address_sanitizer = false;
  bool goroutines = false;            // Go's runtime switches them on its threads
  bool linked_to_be_seen = false;     // by heddle-cc, or as it does
  bool has_unseen_locks = false;      // … beside a library whose locks are not seen: races would be false alarms
  std::uint64_t start_at_offset = 0;  // link-time address of --start-at; 0: none
  FileStamp stamp = {};               // of the file to execute
  std::vector<std::string> notes;     // what the user should know; not errors
  std::set<std::string> folder = {};  // what is in the present one, before the program was ever started
};

// Why it can't be run: one sentence on what is wrong, where, and what to do. The command line ends with status 2.
struct TargetError {
  std::string message;
};

// As execvp() finds a name without a slash; empty when it is nowhere.
std::string find_in_path(const std::string& name);

std::variant<Target, TargetError> inspect_target(const RunOptions& options);
// Is the file still the one that was inspected?
bool is_replaced(const Target& target);

}  // namespace heddle
