// See child_reports.h.
#include "driver/execute/child_reports.h"

#include <utility>

#include "analysis/symbolizer.h"
#include "trace/module_names.h"

namespace heddle {

void ChildReports::take(const ChildNews& news, const std::function<ModuleMap()>& modules,
                        std::vector<std::string>& notes) {
  const auto place = [&](const ChildNews::Item& item) {
    Symbolizer symbolizer(modules());
    const Frame frame = symbolizer.frames(item.site).back();
    if (frame.file.empty()) return symbolizer.raw(item.site);
    return std::string(file_name(frame.file)) + ":" + std::to_string(frame.line);
  };
  if (news.hung.state.load() == ChildNews::kWritten && !std::exchange(told_hung_, true))
    notes.push_back("a child process that the program forked stands still for ever, at " + place(news.hung) + " (" +
                    name(news.hung.operation) +
                    "): fork copies only the thread that calls it, and none of the others can let it go on");
  if (news.threaded.state.load() == ChildNews::kWritten && !std::exchange(told_threads_, true))
    notes.push_back("a child process that the program forked creates threads, at " + place(news.threaded) +
                    ": these are not controlled, but run in one order only");
  if (news.misused.state.load() == ChildNews::kWritten && !std::exchange(told_misuse_, true))
    notes.push_back("a child process that the program forked did what pthreads does not allow, at " +
                    place(news.misused) + " (" + name(news.misused.operation) + "): it was ended with SIGABRT");
}

}  // namespace heddle
