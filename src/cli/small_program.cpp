// A correct program with two threads, in a few lines: `heddle doctor` has Heddle explore it. So what a machine allows
// is tried, by the same code as for any other program, and not guessed from versions.
#include <mutex>
#include <thread>

#include "cli/command.h"

namespace heddle::cli {
namespace {

ExitStatus small_program(Settings&, Terminal&) {
  std::mutex mutex;
  int count = 0;
  const auto add = [&] {
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard lock(mutex);
      ++count;
    }
  };
  std::thread one(add), other(add);
  one.join();
  other.join();
  return count == 4 ? ExitStatus::NoBug : ExitStatus::Bug;
}

}  // namespace

const Command kSmallProgramCommand = {"--small-program", "", "what heddle doctor explores", 0, false, small_program};

}  // namespace heddle::cli
