// What `heddle doctor` says, a line each: a word that scripts and eyes can look for, what is so, what follows from it,
// and what to do.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

enum class FindingKind {
  Ok,
  Slow,     // all works, and takes longer than it need
  Missing,  // Heddle can't run without it
  Note,     // something is not seen, or can't be done
};

struct Finding {
  FindingKind judgement;
  std::string text;
};
using Findings = std::vector<Finding>;

bool any_missing(const Findings& findings);
// With a heading, in lines of at most `width` columns.
std::string text_of(const std::string& heading, const Findings& findings, std::size_t width);

}  // namespace heddle::cli
