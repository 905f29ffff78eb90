// The one table of command-line options. Parsing, --help, the GUIDE's table (`heddle help --markdown`) and what a trace
// keeps of a search all come from it.
//
// To add an option: a member in Settings or RunOptions, and a row in options.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/settings.h"
#include "trace/trace_file.h"

namespace heddle::cli {

// Which commands take an option.
struct For {
  enum : unsigned {
    Run = 1,
    Replay = 2,
    Show = 4,
    Test = 8,
    Debug = 16,
    FarmRun = 32,
    FarmAttach = 64,
    FarmStatus = 128,
    Worker = 256,
    FarmTest = 512,
    Farm = FarmRun | FarmTest | FarmAttach | FarmStatus | Worker,
    All = 1023
  };
};

struct Option {
  unsigned commands;
  const char* group;
  const char* name;   // "--seed", "-o"
  const char* value;  // its value in the help: "N"; empty: it takes none
  const char* help;
  bool repeatable_search;  // part of what `--like` repeats
  // Empty, or what is wrong with the text.
  std::function<std::string(Settings&, const std::string&)> set;
  // The text that would set the present value; empty when it is unset.
  std::function<std::string(const Settings&)> get;
  bool is_list = false;  // may be given several times: the values are joined by commas
};

const std::vector<Option>& options();
// Null when there is none.
const Option* option_named(std::string_view name);

// The options of a search that differ from their defaults, for the trace; and back.
std::vector<NamedText> search_to_repeat(const Settings& settings);
// Those by which a worker is limited, for workers that we start.
std::vector<std::string> words_of_limits(const Settings& settings);
// Empty, or what is wrong.
std::string apply_search(const std::vector<NamedText>& search, Settings& settings);

}  // namespace heddle::cli
