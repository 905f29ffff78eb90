// Where text goes: results to standard output, progress and notes to standard error; both may be pipes that close
// early.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "cli/exit_status.h"
#include "cli/settings.h"
#include "report/progress.h"
#include "report/wording.h"

namespace heddle::cli {

class Terminal {
 public:
  explicit Terminal(const Settings& settings);

  // A result; goes to standard error when --json=- or the like has taken standard output.
  void result(std::string_view text);
  // One line for whoever watches: "heddle: …".
  void message(const std::string& text);
  // JSON on standard output. Empty, or why it could not be written.
  std::string json(std::string_view text);
  // What the program printed.
  void program_output(std::string_view text);
  // At the end of a command: says it if results could not be written, and then no status promises that all went well.
  ExitStatus finish(ExitStatus status);

  const Style& style() const { return style_; }
  ProgressDisplay& progress() { return progress_; }
  std::size_t width() const;

 private:
  void put_result(std::string_view text);

  std::FILE* results_;
  int error_ = 0;  // of the first result that could not be written
  Style style_;
  ProgressDisplay progress_;
};

// A reader that went away, or a limit on the size of files, must not end a search, nor must the programs that are
// started inherit that.
void survive_failed_writes();

// A standard descriptor that is closed would be that of the next file that is opened, and what is printed would go
// there. Afterwards it is none that can be read (0) or written to (1, 2) either, but taken.
void take_closed_descriptors();

}  // namespace heddle::cli
