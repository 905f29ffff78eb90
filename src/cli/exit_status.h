// What heddle's exit status says: the one table, also printed by --help.
#pragma once

#include <array>

namespace heddle::cli {

enum class ExitStatus : int {
  NoBug = 0,
  Bug = 1,
  WrongUse = 2,
  NoVerdict = 3,
  InternalError = 4,
  Interrupted = 130,
};

struct ExitStatusRow {
  ExitStatus status;
  const char* meaning;
};

inline constexpr std::array<ExitStatusRow, 6> kExitStatuses = {{
    {ExitStatus::NoBug,
     "no bug found, or known ones only (replay: the bug was not reproduced; doctor: nothing is missing)"},
    {ExitStatus::Bug, "bug found (replay: the same bug was reproduced)"},
    {ExitStatus::WrongUse,
     "wrong use, or the program can't be run, or the report not be written (doctor: something is missing)"},
    {ExitStatus::NoVerdict,
     "no verdict: behaviour not controlled, no thread created, no test matched, --require-bound not "
     "proved, schedules of dpor lost (replay: diverged)"},
    {ExitStatus::InternalError, "internal error of Heddle"},
    {ExitStatus::Interrupted, "interrupted, no bug found so far"},
}};

}  // namespace heddle::cli
