// Human names for what an execution knows by number: threads, objects and places. A thread is called as the program
// named it, else after the function it runs; an object after its variable, else by kind and number with the place where
// it was first used; a place is the innermost code of the user's own on the call stack.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/symbolizer.h"
#include "analysis/waiting.h"
#include "trace/execution.h"

namespace heddle {

// Where the user's code stands in a call stack.
struct Location {
  Frame frame;          // the innermost frame of user code of which the source is known; else of any user code
  Site site = 0;        // its address
  std::string call;     // what that code called on the way to the operation: "std::future::get"; empty when unknown
  std::string through;  // the same, where it belongs to a library without debug information: "Poco::Event::wait"
};

class Names : public NameSource {
 public:
  // `folder`: paths below it are shown relative to it. Execution and symbolizer must outlive this.
  Names(const Execution& execution, Symbolizer& symbolizer, std::string folder);

  Span task(TaskId task) override;
  Span object(ObjectId object) override;
  Span part(ObjectId object, std::uint8_t offset) override;
  Prose place_of_pending(std::size_t index) override;
  std::string call_of_step(std::size_t index) override { return location_of_step(index).call; }
  std::string call_of_pending(std::size_t index) override { return location_of_pending(index).call; }
  Prose place_of_hold(std::size_t index) override;

  // "created at queue.cpp:33"; empty for main.
  Prose task_origin(TaskId task);
  // "first used at queue.cpp:12" for an object that has no name of its own; else empty.
  Prose object_origin(ObjectId object);

  Location location_of_step(std::size_t index);
  Location location_of_pending(std::size_t index);
  Location location_of_site(Site site) { return locate({site}); }
  Location location_of_stack(const std::vector<Site>& stack) { return locate(stack); }
  // Where memory is accessed: it may be in a header of a library that is compiled in.
  Location location_of_access(const std::vector<Site>& stack) { return locate(stack, Headers::Told); }
  // "function (queue.cpp:33)" for each frame of the user's own code, inlined ones too, innermost first.
  std::vector<Prose> frames_of_stack(const std::vector<Site>& stack);
  // The variable at an address, or what the program calls the memory there (heddle_name); empty when none is known.
  std::string variable(std::uint64_t address);
  // The same of the later access of a race; a variable on a stack comes with its function.
  std::string variable(const RaceRecord& later);
  Span place_of_step(std::size_t index) { return place(location_of_step(index)); }
  // "queue.cpp:33", with its folders only where two files have one name; "drain (queue_test+0x1234)" without debug
  // information.
  Span place(const Location& location);
  // The same with the whole path, relative to our folder where it is below it: for editors to jump to.
  Span full_place(const Location& location) const;

  // Files of the program, and libraries other than those of C and C++, that were not built with heddle-cc; empty where
  // none was.
  std::vector<std::string> uninstrumented_files() const { return symbolizer_.uninstrumented_files(); }

  // The object of this kind at the address, kNoObject: none.
  ObjectId object_at(ObjectKind kind, std::uint64_t address) const;
  bool knows_object_by_name(ObjectId object) const { return variables_.count(object) != 0; }

 private:
  void scan_steps();
  void name_tasks();
  void name_objects();
  void name_memory(const ObjectRecord& object);
  void read_memory_names();
  std::string task_base_name(TaskId task);
  void scan_siblings();
  std::pair<Site, std::vector<Site>> birth(TaskId task) const;
  bool came_from_entry(TaskId task, const std::vector<Site>& stack);
  std::string function_of_task(TaskId task, const std::vector<Site>& stack);
  std::string outermost_function(const std::vector<Site>& stack);
  enum class Headers { PassedOver, Told };
  Location locate(const std::vector<Site>& stack, Headers headers = Headers::PassedOver);
  std::vector<Site> stack_of_step(std::size_t index) const;
  std::optional<std::size_t> first_step_on(ObjectId object) const;
  const std::string& short_path(const std::string& file);
  std::string raw_place(const Location& location) const;

  const Execution& execution_;
  Symbolizer& symbolizer_;
  std::string folder_;
  std::vector<std::string> tasks_;
  std::vector<std::string> functions_;              // per task: the outermost code of the user's own that was seen
  std::map<ObjectId, std::size_t> creation_steps_;  // by the thread's object
  // What the threads do that were created in one way at one place; empty: not all the same.
  std::map<std::pair<Site, std::vector<Site>>, std::string> siblings_;
  std::map<ObjectId, std::string> objects_;
  std::map<ObjectId, TaskId> tasks_of_objects_;  // of threads
  std::map<ObjectId, std::string> variables_;
  // Of pieces of memory, the parts that were accessed, by their offsets. An atomic's neighbour is another variable.
  std::map<ObjectId, std::map<std::uint8_t, std::string>> parts_;
  unsigned unnamed_parts_ = 0;
  std::map<ObjectId, std::size_t> first_steps_;
  struct MemoryName {
    std::uint64_t size = 0;
    std::string name;
  };
  std::map<std::uint64_t, MemoryName> memory_names_;  // by where the memory begins
  std::map<std::string, std::string> short_paths_;    // by whole path
  std::map<std::string, std::string> file_names_;     // file name to the first path that has it
};

}  // namespace heddle
