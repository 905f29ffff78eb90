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
  EXPECT_NE(text.find("(7 schedules, all before the search began anew, in"), std::string::npos) << text;
  report.schedules = 9;
  const std::string both = summary(report, Style());
  EXPECT_NE(both.find("(16 schedules, 7 of them before the search began anew, in"), std::string::npos) << both;
  report.distinct = 5;
  const std::string some = summary(report, Style());
  EXPECT_NE(some.find("(16 schedules, 7 of them before the search began anew, 5 of the others different up to"),
            std::string::npos)
      << some;
}

}  // namespace
}  // namespace heddle
