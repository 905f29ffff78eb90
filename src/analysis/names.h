// Human names for what an execution knows by number: threads, objects and places. A thread is called as the program
// named it, else after the function it runs; an object after its variable, or the member that it is of a class on the
// heap, else by kind and number with the place where it was first used; a place is the innermost code of the user's own
// on the call stack.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory_names.h"
#include "analysis/places.h"
#include "analysis/symbolizer.h"
#include "analysis/thread_names.h"
#include "analysis/waiting.h"
#include "trace/execution.h"

namespace heddle {

class Names : public NameSource {
 public:
  // `folder`: paths below it are shown relative to it. Execution and symbolizer must outlive this.
  Names(const Execution& execution, Symbolizer& symbolizer, std::string folder);

  Span task(TaskId task) override;
  Span object(ObjectId object) override;
  Span part(ObjectId object, std::uint8_t offset) override;
  Prose place_of_pending(std::size_t index) override;
  std::string call_of_step(std::size_t index) override { return places_.of_step(index).call; }
  std::string call_of_pending(std::size_t index) override { return places_.of_pending(index).call; }
  Prose place_of_hold(std::size_t index) override;

  Places& places() { return places_; }
  const Execution& execution() const { return execution_; }

  // "created at queue.cpp:33"; empty for main.
  Prose task_origin(TaskId task);
  // "first used at queue.cpp:12" for an object that has no name of its own, "a variable of main()" for a local one;
  // else empty.
  Prose object_origin(ObjectId object);

  // The variable at an address, or what the program calls the memory there (heddle_name); empty when none is known.
  std::string variable(std::uint64_t address);
  // What a race is about; a variable on a stack comes with its function. `value_type`: gets its type, where that is
  // known.
  std::string variable(const ExecutionRace& race, ValueType* value_type = nullptr);
  // The type of what a step accesses.
  const ValueType& type_of(const StepRecord& step) const override;

  // Files of the program, and libraries other than those of C and C++, that were not built with heddle-cc; empty where
  // none was.
  std::vector<std::string> uninstrumented_files() const { return symbolizer_.uninstrumented_files(); }

  // The object of this kind at the address, kNoObject: none.
  ObjectId object_at(ObjectKind kind, std::uint64_t address) const;
  bool knows_object_by_name(ObjectId object) const { return variables_.count(object) != 0; }

 private:
  void scan_steps();
  void name_objects();
  void name_memory(const ObjectRecord& object);
  // What lies at the address, in the object or at its begin, if that is on a stack.
  std::optional<LocalVariable> local_variable(const ObjectRecord& object, std::uint64_t address);
  // What lies at the address, in the object or at its begin; empty where the type of its block is not known.
  std::string member_of_block(const ObjectRecord& object, std::uint64_t address, ValueType* value_type = nullptr);
  void number_equal_names();
  std::optional<std::size_t> first_step_on(ObjectId object) const;

  const Execution& execution_;
  Symbolizer& symbolizer_;
  Places places_;
  ThreadNames threads_;
  MemoryNames memory_;
  std::map<ObjectId, std::string> objects_;
  // By what members of blocks are called: each place that is called so, with all copies of its name.
  std::map<std::string, std::vector<std::vector<std::string*>>> members_;
  std::map<ObjectId, TaskId> tasks_of_objects_;  // of threads
  std::map<ObjectId, std::string> variables_;
  std::map<ObjectId, std::string> functions_;  // of local variables
  // Of pieces of memory, the parts that were accessed, by their offsets. An atomic's neighbour is another variable.
  std::map<ObjectId, std::map<std::uint8_t, std::string>> parts_;
  std::map<std::pair<ObjectId, std::uint8_t>, ValueType> types_;  // of these parts
  unsigned unnamed_parts_ = 0;
  ObjectId fences_ = kNoObject;  // stands for all fences, where memory is weak
  std::map<ObjectId, std::size_t> first_steps_;
};

}  // namespace heddle
