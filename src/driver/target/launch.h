// From what the user asked for to a running program: the config for the runtime, the environment, descriptors.
#pragma once

#include <string>
#include <vector>

#include "driver/process/output_capture.h"
#include "driver/process/process.h"
#include "driver/process/scratch.h"
#include "driver/process/shared_region.h"
#include "driver/target/options.h"
#include "driver/target/target.h"

namespace heddle {

class FileNumbers;
class LoadedFiles;

PointSet point_set(const std::vector<CodePlace>& places);

// What one worker needs to start its program, as often as it wants.
struct LaunchOptions {
  const Target& target;
  const RunOptions& run;
  IsolationKind isolation = IsolationKind::Fork;
  int pin_to_cpu = -1;
  bool scratch = false;                // in a folder of its own, afresh for each start
  FileNumbers* numbers = nullptr;      // of the search that it is for: then places are the same in each process
  const LoadedFiles* files = nullptr;  // of that search: they must be the ones that they were
  bool debugger = false;               // it is started by one, and nobody reads what it records
};

// Is that file of the present folder one that the run itself writes, or another run of Heddle may?
bool is_written_by_heddle(const RunOptions& options, const std::string& name);

class Launcher {
 public:
  explicit Launcher(const LaunchOptions& options);

  // Config for SharedRegion::config(), without descriptors.
  Config config() const;
  // Starts the program on `region`. Empty, or why it could not be started.
  std::string start(Process& process, SharedRegion& region, const OutputCapture& output);
  // Makes the calling process the program; for a debugger, which has started it. Returns only if that fails: why.
  std::string become(SharedRegion& region, const OutputCapture& output);
  // Could address randomization not be switched off at the start?
  bool randomized() const { return randomized_; }
  // What the user should know about how it was started; complete after the first start.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void check_input();
  std::string prepare(SharedRegion& region, const OutputCapture& output, ProcessRequest& request);
  std::string replaced() const;
  Descriptor open_input() const;

  LaunchOptions options_;
  bool file_input_ = false;  // standard input is a regular file
  bool randomized_ = false;
  std::vector<std::string> notes_;
  ScratchDirectory scratch_;
};

// The environment for the target: this process's, with the library preloaded and the region's descriptor.
std::vector<std::string> target_environment(const char* const* environment, const Target& target, int control);

}  // namespace heddle
