// Where in the program something was done: the innermost frame of the user's own code on a call stack, and how that
// place is written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/prose.h"
#include "analysis/symbolizer.h"
#include "trace/execution.h"

namespace heddle {

// Where the user's code stands in a call stack.
struct Location {
  Frame frame;          // the innermost frame of user code of which the source is known; else of any user code
  Site site = 0;        // its address
  std::string call;     // what that code called on the way to the operation: "std::future::get"; empty when unknown
  std::string through;  // the same, where it belongs to a library without debug information: "Poco::Event::wait"
};

class Places {
 public:
  // `folder`: paths below it are shown relative to it. Execution and symbolizer must outlive this.
  Places(const Execution& execution, Symbolizer& symbolizer, std::string folder);

  Location of_step(std::size_t index);
  Location of_pending(std::size_t index);
  Location of_site(Site site) { return locate({site}); }
  Location of_stack(const std::vector<Site>& stack) { return locate(stack); }
  // Where memory is accessed: it may be in a header of a library that is compiled in.
  Location of_access(const std::vector<Site>& stack) { return locate(stack, Headers::Told); }
  // `stack`: of this access; empty: none was recorded.
  Location of_access(const RaceRecord& access, const std::vector<Site>& stack) {
    return of_access(stack.empty() ? std::vector<Site>{access.site} : stack);
  }

  // "queue.cpp:33", with its folders only where two files have one name; "drain (queue_test+0x1234)" without debug
  // information.
  Span name(const Location& location);
  // The same with the whole path, relative to our folder where it is below it: for editors to jump to.
  Span full_name(const Location& location) const;
  Span name_of_step(std::size_t index) { return name(of_step(index)); }
  // "function (queue.cpp:33)" for each frame of the user's own code, inlined ones too, innermost first.
  std::vector<Prose> frames_of_stack(const std::vector<Site>& stack);
  // The same as places alone.
  std::vector<SourcePosition> positions_of_stack(const std::vector<Site>& stack);

 private:
  enum class Headers { PassedOver, Told };
  Location locate(const std::vector<Site>& stack, Headers headers = Headers::PassedOver);
  const std::string& short_path(const std::string& file);
  std::string raw_name(const Location& location) const;

  const Execution& execution_;
  Symbolizer& symbolizer_;
  std::string folder_;
  std::map<std::string, std::string> short_paths_;  // by whole path
  std::map<std::string, std::string> file_names_;   // file name to the first path that has it
};

// The call stack of a step; where none was recorded, the site alone.
std::vector<Site> stack_of_step(const Execution& execution, std::size_t index);

}  // namespace heddle
