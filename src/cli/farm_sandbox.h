// The sandbox of a farm's shards: bubblewrap (bwrap), which needs no privileges where user namespaces are allowed. In
// it there is no network and no home, the system can only be read, and memory is all that can be written to. Processes
// in it see no others, and end with it. The environment has no variables but those named here.
#pragma once

#include <string>
#include <vector>

#include "cli/settings.h"

namespace heddle::cli {

// What a shard sees beside the system. Files have the same path inside.
struct Sandbox {
  std::string folder;              // of the shard: kShardFolder inside, where it can write
  std::vector<std::string> files;  // for reading; a folder, too. One that is not there is left out
  std::string data;                // the folder in which the program starts: kWorkFolder inside
  std::vector<std::string> names;  // of what is visible of it, for reading
  std::string libraries;           // a folder of libraries; empty: none
  std::uint64_t files_bytes = 0;   // of files that it makes in /tmp, and of those in /dev/shm
};
inline constexpr const char* kShardFolder = "/tmp/shard";
inline constexpr const char* kWorkFolder = "/tmp/work";

// The command line that runs `command` in it; `bwrap`: the program.
std::vector<std::string> sandboxed(const std::string& bwrap, const Sandbox& sandbox,
                                   const std::vector<std::string>& command);
// Of NAME=value each, those that the program may see. `names`: further ones, with commas between them.
std::vector<std::string> sandbox_environment(const std::vector<std::string>& variables, const std::string& names);

// What stands in front of what needs it. Empty: it is not in PATH.
std::string sandbox_program();
// Tries it. Empty, or why it does not work here, and what to do.
std::string why_no_sandbox();

// What --sandbox says for this worker, once it was tried.
struct SandboxChoice {
  bool use = false;
  std::string refused;  // why it can't be as it was asked for; empty: it can
  std::string note;     // for whoever starts the worker; empty: none
};
SandboxChoice choose_sandbox(const Settings& settings);

}  // namespace heddle::cli
