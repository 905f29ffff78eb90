// The bugs of one report, or of the tests of a suite, as --sarif and the annotations of CI systems show them. All comes
// from the JSON (report/json.h): of a suite's tests nothing else is at hand.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/settings.h"

namespace heddle::cli {

// All must outlive what is made of them.
struct NamedReport {
  std::string test;  // empty: it is none of a suite
  const nlohmann::json& report;
};

struct ReportedBug {
  std::string test;
  std::string program;
  const nlohmann::json& bug;
  bool fails = true;  // it is neither known nor, with --timing-bugs=pass, one that needs only time

  // Empty where the field is null.
  std::string text(const char* field) const;
  // "deadlock in Queue.Drains"
  std::string title() const;
};

std::vector<ReportedBug> bugs_of(const std::vector<NamedReport>& reports, TimingBugs timing_bugs);

// To which paths of sources are told: what GitHub has checked out, else the present folder.
std::string source_root();
// The path without the root's; as it is where it does not lie below.
std::string below_root(const std::string& path, const std::string& root);

}  // namespace heddle::cli
