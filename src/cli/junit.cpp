// See junit.h. The format: https://github.com/testmoapp/junitxml, the part that all readers know.
#include "cli/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/markup.h"
#include "report/wording.h"
#include "trace/printable.h"

namespace heddle::cli {
namespace {

// XML has no control characters, not even escaped ones.
std::string escaped(std::string_view text) { return escaped_markup(printable(text)); }

std::string text_of(const nlohmann::json& bug, const char* field) {
  return bug.contains(field) && bug[field].is_string() ? bug[field].get<std::string>() : std::string();
}

std::string failure(const nlohmann::json& bug) {
  const std::string kind = text_of(bug, "kind"), message = text_of(bug, "message"), trace = text_of(bug, "trace");
  const std::string head = message.substr(0, message.find('\n'));
  std::string body = message;
  if (const std::string site = text_of(bug, "site"); !site.empty()) body += "\nat " + site;
  if (!trace.empty()) body += fmt::format("\nheddle show {}\nheddle replay {}", trace, trace);
  return fmt::format("    <failure type=\"{}\" message=\"{}\">{}</failure>\n", escaped(kind), escaped(head),
                     escaped(body));
}

std::string skipped(const std::string& why) { return fmt::format("    <skipped message=\"{}\"/>\n", escaped(why)); }

// What --baseline knows is told, and is no failure.
std::string known(const TestResult& result) {
  std::string lines;
  for (const nlohmann::json& bug : result.report["bugs"]) {
    const std::string message = text_of(bug, "message");
    if (bug.value("known", false))
      lines += fmt::format("known {}: {}\n", text_of(bug, "kind"), message.substr(0, message.find('\n')));
  }
  return lines.empty() ? lines : fmt::format("    <system-out>{}</system-out>\n", escaped(lines));
}

std::string outcome(const TestResult& result) {
  switch (result.verdict) {
    case TestVerdict::Bug: {
      std::string text;
      for (const nlohmann::json& bug : result.report["bugs"]) text += bug.value("known", false) ? "" : failure(bug);
      return text + known(result);
    }
    case TestVerdict::Timing:
      for (const nlohmann::json& bug : result.report["bugs"])
        if (!bug.value("known", false))
          return skipped("it fails only where a wait ends by its time out of order: " + text_of(bug, "message"));
      return known(result);
    case TestVerdict::Known:
      return known(result);
    case TestVerdict::NoThreads:
      return skipped("it creates no thread");
    case TestVerdict::NotRun:
      return skipped("it was not run");
    case TestVerdict::NoVerdict:
      return skipped(result.reason);
    case TestVerdict::Failed:
      return fmt::format("    <error message=\"{}\"/>\n", escaped(result.reason));
    default:
      return fmt::format("    <system-out>{}: {}</system-out>\n", counted(result.schedules(), "schedule"),
                         escaped(what_was_proved(result)));
  }
}

std::size_t count(const std::vector<TestResult>& results, std::initializer_list<TestVerdict> verdicts) {
  return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [&](const TestResult& one) {
    return std::find(verdicts.begin(), verdicts.end(), one.verdict) != verdicts.end();
  }));
}

}  // namespace

std::string junit(const std::string& suite, const std::vector<TestResult>& results) {
  double seconds = 0;
  for (const TestResult& result : results) seconds += result.seconds();
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  text += fmt::format(
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
      escaped(suite), results.size(), count(results, {TestVerdict::Bug}), count(results, {TestVerdict::Failed}),
      count(results, {TestVerdict::Timing, TestVerdict::NoThreads, TestVerdict::NotRun, TestVerdict::NoVerdict}),
      seconds);
  for (const TestResult& result : results)
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}  </testcase>\n", escaped(suite),
                        escaped(result.test.name), result.seconds(), outcome(result));
  return text + "</testsuite>\n</testsuites>\n";
}

}  // namespace heddle::cli
