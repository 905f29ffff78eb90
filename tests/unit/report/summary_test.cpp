// The summary of a run: what it counts.
#include "report/summary.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Summary, ASearchThatBeganAnewTellsOfWhatItRanBefore) {
  Report report;
  report.verdict = Verdict::Bug;
  report.bugs.resize(1);
  report.bugs[0].schedule = 7;
  report.stop_reason = StopReason::Time;
  report.schedules_given_up = 7;
  const std::string text = summary(report, Style());
  EXPECT_NE(text.find("(0 schedules and 7 before the search began anew, in"), std::string::npos) << text;
  report.schedules = 7;
  EXPECT_EQ(summary(report, Style()).find("anew"), std::string::npos);
}

}  // namespace
}  // namespace heddle
