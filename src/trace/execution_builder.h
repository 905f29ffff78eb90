// Puts one execution together from its records, which come in the order in which they were written. The records come
// from memory that the program under test can write into: a record that makes no sense is left out, and the execution
// is marked as damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/records.h"
#include "trace/execution.h"
#include "trace/prefixes.h"

namespace heddle {

struct DecodeLimits {
  // Of one execution; what is more is left out.
  std::uint32_t records = 1u << 25;  // of any kind
  std::uint32_t steps = 1u << 24;
  std::uint32_t changes = 1u << 25;
  std::uint32_t objects = 1u << 22;
  std::uint32_t messages = 1u << 12;
  std::uint32_t message_bytes = 1u << 20;  // of all messages together
  std::uint32_t races = 1u << 10;
  std::uint32_t tasks = 16384;                        // numbers at or above make no sense
  std::size_t bookmark_bytes = std::size_t{1} << 30;  // of all that is kept for bookmarks
};

// An execution has its objects in ascending order of their ids; this knows the order in which their records came.
class ObjectOrder {
 public:
  // Ids, in the order of their records.
  const std::vector<ObjectId>& emitted() const { return emitted_; }
  void add(std::vector<ObjectRecord>& objects, const ObjectRecord& record);
  // Leaves the `kept` objects that came first.
  void truncate(std::vector<ObjectRecord>& objects, std::size_t kept);
  // Brings the objects into their order; of two with one id the first counts. It must be called before anybody
  // looks one up.
  void sort(std::vector<ObjectRecord>& objects);
  void clear();

 private:
  std::vector<ObjectId> emitted_;
  std::size_t sorted_ = 0;  // the first so many of the execution's objects are in order
};

// A call stack may come in several records, before the record that it belongs to.
class StackParts {
 public:
  bool empty() const { return stack_.empty(); }
  // False: the record can't be.
  bool add(const StackRecord& record);
  std::vector<Site> take() { return std::exchange(stack_, {}); }
  // The stack becomes entry `index`; entries before it that had none get an empty one.
  void take_to(std::vector<std::vector<Site>>& stacks, std::size_t index);

 private:
  std::vector<Site> stack_;
};

// So may a message.
class MessageParts {
 public:
  // The execution has these messages already.
  void begin(const std::vector<ExecutionMessage>& messages);
  // At most `limit` bytes of all messages are kept. `step`: so many came before it.
  void add(std::vector<ExecutionMessage>& messages, const MessageRecord& record, std::uint32_t step,
           std::uint32_t limit);
  // Ends the message that lacks its last part, where there is one.
  void flush(std::vector<ExecutionMessage>& messages);
  std::uint32_t bytes() const { return bytes_; }  // of all

 private:
  ExecutionMessage message_;  // not yet complete
  bool open_ = false;
  std::uint32_t bytes_ = 0;
};

// Marks the execution as damaged, and says in a message of it what can't be.
void damage(Execution& execution, const char* what);

class ExecutionBuilder {
 public:
  explicit ExecutionBuilder(const DecodeLimits& limits) : limits_(limits) {}

  // False while somebody else has it.
  bool has_execution() const { return execution_ != nullptr; }
  Execution& execution() { return *execution_; }
  const Execution& execution() const { return *execution_; }
  // Puts another one in its stead, or none, and returns the one that it was.
  std::unique_ptr<Execution> replace(std::unique_ptr<Execution> execution) {
    return std::exchange(execution_, std::move(execution));
  }
  const ObjectOrder& objects() const { return objects_; }
  std::uint32_t message_bytes() const { return messages_.bytes(); }

  // The execution becomes an empty one.
  void clear();
  // Forgets which states and flags were seen: what comes is of another process.
  void forget_seen();
  // Leaves what it shares with the next execution.
  void truncate(const RecordCounts& kept);
  // Adds what lies between `from`, which is what the execution has, and the end of `prefix`.
  void extend(const Prefix& prefix, const RecordCounts& from);
  // The prefix goes on to the end of what the execution has.
  void extend_prefix(Prefix& prefix);
  // The records of an execution follow. It may have a beginning already.
  void begin(PlanId plan);

  // Nearly all records are steps and changes of state. Takes them up to the first that is something else, or makes no
  // sense; returns how many it took. Does the same as add(), where no limit is near.
  std::size_t take_ordinary(const Record* records, std::size_t count);
  // Any record but Begin, Bookmark and End.
  void add(const Record& record);
  void finish(const EndRecord& record);

 private:
  std::size_t take_batch(const Record* records, std::size_t count);
  void add(const ChangesRecord& record);
  void add(const TaskRecord& record);
  void add(const ObjectRecord& record);
  void add(const StepRecord& record);
  void add(const StackRecord& record);
  void add(const MessageRecord& record);
  void add(const PendingRecord& record);
  void add(const RaceRecord& record);

  DecodeLimits limits_;
  std::unique_ptr<Execution> execution_ = std::make_unique<Execution>();
  ObjectOrder objects_;
  std::uint64_t states_seen_ = 0;  // of all executions since forget_seen()
  bool gates_seen_ = false;        // likewise
  unsigned flags_seen_ = 0;        // likewise
  StackParts stack_;               // of the next Step, Pending or Race
  ExecutionRace race_;             // only the earlier access is known
  MessageParts messages_;
};

}  // namespace heddle
