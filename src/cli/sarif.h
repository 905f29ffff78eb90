// Bugs as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), which code scanning and editors read: a rule
// for each kind of bug, a result for each bug, with its steps as a code flow of one flow per thread.
#pragma once

#include <string>
#include <vector>

#include "cli/reported_bugs.h"

namespace heddle::cli {

struct SarifInput {
  std::string program;        // without folders
  std::string root;           // what the paths of sources are told to (source_root())
  bool has_baseline = false;  // then each result says whether it is new
};

std::string sarif(const std::vector<ReportedBug>& bugs, const SarifInput& input);

}  // namespace heddle::cli
