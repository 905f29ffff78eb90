// Bugs as annotations of GitHub Actions: a line each, which GitHub shows beside the source
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
#pragma once

#include <string>
#include <vector>

#include "cli/reported_bugs.h"

namespace heddle::cli {

// Is this a step of GitHub Actions?
bool is_github_step();

// "::error file=src/queue.cpp,line=33,title=deadlock::…", a warning where it is no failure.
std::string annotations(const std::vector<ReportedBug>& bugs, const std::string& root);

}  // namespace heddle::cli
