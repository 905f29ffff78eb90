// Turns the records of the execution ring into executions. The records come from memory that the program under test can
// write into: nothing here trusts them. A record that makes no sense is left out, the execution is marked as damaged,
// and memory is bounded by DecodeLimits whatever comes.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/records.h"
#include "trace/execution.h"

namespace heddle {

struct DecodeLimits {
  // Of one execution; what is more is left out.
  std::uint32_t records = 1u << 25;  // of any kind
  std::uint32_t steps = 1u << 24;
  std::uint32_t changes = 1u << 25;
  std::uint32_t objects = 1u << 22;
  std::uint32_t messages = 1u << 12;
  std::uint32_t message_bytes = 1u << 20;  // of all messages together
  std::uint32_t tasks = 16384;             // numbers at or above make no sense
};

class ExecutionDecoder {
 public:
  explicit ExecutionDecoder(const DecodeLimits& limits = {}) : limits_(limits) {}

  // Takes the next record. True when it was the End of an execution: take() gives it.
  bool feed(const Record& record);
  Execution take();
  // Gives the memory of an execution back for the next one.
  void reuse(Execution&& execution);

  // True between Begin and End.
  bool open() const { return open_; }
  const Execution& current() const { return execution_; }
  // Ends the open execution in place of a process that is gone: `end` is what is known; steps, tasks and preemptions
  // are filled in from what was decoded. Then take() gives it.
  void close(const EndRecord& end);
  // Forgets what is open.
  void reset();

 private:
  void begin(const BeginRecord& record);
  void add_changes(const ChangesRecord& record);
  void add_task(const TaskRecord& record);
  void add_object(const ObjectRecord& record);
  void add_step(const StepRecord& record);
  void add_stack(const StackRecord& record);
  void add_message(const MessageRecord& record);
  void add_pending(const PendingRecord& record);
  void finish(const EndRecord& record);
  void take_stack(std::vector<std::vector<Site>>& stacks, std::size_t index);
  void sort_objects();
  void flush_message();
  void damage(const char* what);

  DecodeLimits limits_;
  Execution execution_;
  bool open_ = false;
  bool complete_ = false;
  std::uint32_t records_ = 0;
  std::uint32_t message_bytes_ = 0;
  std::vector<Site> stack_;   // of the next Step or Pending
  ExecutionMessage message_;  // not yet complete
  bool message_open_ = false;
  bool objects_sorted_ = true;
};

}  // namespace heddle
