// See isolation.h.
#include "driver/execute/isolation.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "driver/process/scratch.h"
#include "driver/target/launch.h"
#include "trace/assert.h"
#include "trace/words.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxNamed = 5;  // files in one line

IsolationKind first_kind(const RunOptions& options) {
  // Threads that exist before the start mark are kernel threads under the thread carrier, and fork() would leave them
  // behind.
  const bool threads_before = !options.start_at.empty() && options.carrier == CarrierKind::Thread;
  switch (options.isolation) {
    case IsolationChoice::Snapshot:
      return IsolationKind::Snapshot;
    case IsolationChoice::Fork:
      return IsolationKind::Fork;
    case IsolationChoice::Exec:
      return IsolationKind::Exec;
    case IsolationChoice::Auto:
      break;
  }
  if (threads_before) return IsolationKind::Exec;
  return options.carrier == CarrierKind::Fiber ? IsolationKind::Snapshot : IsolationKind::Fork;
}

std::string text_of_effect(const Execution& execution) {
  const ExecutionMessage* message = execution.message(MessageKind::Effect);
  return message != nullptr ? message->text : "does something that can't be undone";
}

// Others may make files here meanwhile. Only of those with another owner it is certain that they were not made by a
// program that could not have given them away.
bool may_be_ours(const std::string& name) {
  struct stat status {};
  return geteuid() == 0 || lstat(name.c_str(), &status) != 0 || status.st_uid == geteuid();
}

}  // namespace

Isolation::Isolation(const Target& target, const RunOptions& options)
    : target_(target),
      options_(options),
      kind_(first_kind(options)),
      own_folder_(options.isolation == IsolationChoice::Exec) {}

// It gets no link in the scratch folder, so that a fresh start finds what the first one found. Who has made it does not
// show.
std::string Isolation::find_new_files() {
  if (searched_for_files_ || own_folder_) return {};
  searched_for_files_ = true;
  for (const std::string& name : names_here()) {
    if (!is_written_by_heddle(options_, name) && target_.folder.count(name) == 0 && may_be_ours(name))
      made_files_.push_back(name);
  }
  if (made_files_.empty()) return {};
  std::string made;
  for (std::size_t i = 0; i < std::min(made_files_.size(), kMaxNamed); ++i)
    made += (made.empty() ? "" : ", ") + made_files_[i];
  if (made_files_.size() > kMaxNamed) made += " and " + std::to_string(made_files_.size() - kMaxNamed) + " more";
  return "before its first thread the program, or somebody else meanwhile, made this in the present folder, where it "
         "stays: " +
         made +
         "; fresh starts, in a folder of their own, don't find it, unless the program knows it by an absolute path; "
         "--isolation=exec runs it in a folder of its own from the beginning";
}

std::string Isolation::change_for(EffectLevel level, const Execution& execution) {
  std::string why = text_of_effect(execution);
  const bool fresh_starts = level == EffectLevel::Exec || !made_files_.empty();
  if (fresh_starts && level != EffectLevel::Exec) why += ", and has made files that another start would find";
  const bool again = changed_;  // a second line must not read as if it contradicted the first
  changed_ = true;
  kind_ = fresh_starts ? IsolationKind::Exec : IsolationKind::Fork;
  own_folder_ = fresh_starts;
  const std::string how = fresh_starts ? "every execution is a fresh start of the program, in a folder of its own"
                                       : "every execution is a process of its own";
  return "isolation: " + std::string(word_for(kIsolationWords, kind_)) +
         (again ? ", from here on instead of fork: " : ", from here on: ") + how + ", because the program " +
         (again ? "also " : "") + why;
}

}  // namespace heddle
