// The isolation under which executions run now: the one that was asked for, or the one that the program has shown to
// need. It only changes from snapshots to forks to fresh starts.
#pragma once

#include <string>
#include <vector>

#include "driver/target/options.h"
#include "driver/target/target.h"
#include "trace/execution.h"

namespace heddle {

class Isolation {
 public:
  Isolation(const Target& target, const RunOptions& options);

  IsolationKind kind() const { return kind_; }
  // It was not asked for, and may change.
  bool is_automatic() const { return options_.isolation == IsolationChoice::Auto; }
  // Does every execution have a scratch folder of its own?
  bool in_own_folder() const { return own_folder_; }
  // What the program made in the present folder before its first thread. It stays there: only in a folder of its own,
  // without these, does a fresh start find what the first one found.
  const std::vector<std::string>& made_files() const { return made_files_; }

  // To be called when the first event has come. What the program makes before its first thread is made in the user's
  // folder: only later it shows that it needs one of its own. Nothing, or a note on it.
  std::string find_new_files();
  // `execution` was stopped at an effect of this level. A note on what it leads to.
  std::string change_for(EffectLevel level, const Execution& execution);
  // Putting memory back was seen not to be enough.
  void change_to_fork() { kind_ = IsolationKind::Fork; }

 private:
  const Target& target_;
  const RunOptions& options_;
  IsolationKind kind_;
  bool own_folder_;
  bool changed_ = false;  // at an effect, and said so
  bool searched_for_files_ = false;
  std::vector<std::string> made_files_;
};

}  // namespace heddle
