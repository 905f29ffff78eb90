// Which data races are not reported: a file of lines as ThreadSanitizer's users write them.
//
//   # a comment
//   race:ClassName::function     a function, file, module or variable whose name contains this
//   race:^begins*middle$         ^ and $: only at the beginning, only at the end; *: any text
//
// A race is suppressed when the variable matches, or any frame of the call stack of either access. race_top: matches
// the innermost frame only. Lines for ThreadSanitizer's other reports (deadlock:, thread:, signal:, mutex:) and for its
// interceptors (called_from_lib:) are read and do nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/symbolizer.h"

namespace heddle {

class Suppressions {
 public:
  // Empty, or what is wrong with the line.
  std::string add(std::string_view line);
  bool empty() const { return rules_.empty(); }
  // Those about races, as they were written: "race:counter".
  std::vector<std::string> rules() const;
  // A call stack, innermost first. The rule that matches; empty: none.
  std::string match_code(const std::vector<Site>& stack, Symbolizer& symbolizer) const;
  // The name of a variable.
  std::string match(std::string_view name) const { return match_any(name, false); }

 private:
  struct Rule {
    std::string text, pattern;
    bool only_innermost = false;
  };
  std::string match_any(std::string_view text, bool innermost) const;
  std::vector<Rule> rules_;
};

struct ReadSuppressions {
  Suppressions suppressions;
  std::string error;  // one sentence, with the line
};
// Of no file: none.
ReadSuppressions read_suppressions(const std::string& path);

// Does `pattern` (with ^, $ and *) match somewhere in `text`?
bool matches_suppression(std::string_view pattern, std::string_view text);

}  // namespace heddle
