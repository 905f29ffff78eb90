// Turns the records of the execution ring into executions. The records come from memory that the program under test can
// write into: nothing here trusts them. A record that makes no sense is left out, the execution is marked as damaged,
// and memory is bounded by DecodeLimits whatever comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

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

// A contract for executions that go on from a checkpoint (records.h): they share the beginning of the execution before
// them in the ring, and the decoder does not copy it. So whoever takes an execution gives it back by reuse(), as it
// was, before the next record is fed, and copies what it wants to keep. Where it was not given back, an execution that
// goes on from it comes out as damaged. What an execution shares with a bookmark and not with the execution before it
// the decoder has itself, and copies. Executions that were run from the beginning are compared with the one before as
// their records come, and share what is the same with it as well (Execution::kept_steps).
class ExecutionDecoder {
 public:
  explicit ExecutionDecoder(const DecodeLimits& limits = {}) : limits_(limits) {}
  ExecutionDecoder(const ExecutionDecoder&) = delete;
  ExecutionDecoder& operator=(const ExecutionDecoder&) = delete;

  // Takes records up to the End of an execution, if there is one among them; returns how many it took. When complete(),
  // take() gives the execution, and wants to be called before the next feed(). `written`: how the target has written
  // them, where they were changed since (same_sites.h); null: they were not.
  std::size_t feed(const Record* records, std::size_t count, const Record* written = nullptr);
  // One record; true when complete().
  bool feed(const Record& record) { return feed(&record, 1), complete_; }
  bool complete() const { return complete_; }
  std::unique_ptr<Execution> take();
  // Gives an execution back: its memory, and what the next one may share with it.
  void reuse(std::unique_ptr<Execution> execution);

  // True between Begin and End.
  bool open() const { return open_; }
  const Execution& current() const { return *execution_; }
  // Ends the open execution in place of a process that is gone: `end` is what is known; steps, tasks and preemptions
  // are filled in from what was decoded. Then take() gives it. `sum` is that of its records as they were written.
  void close(const EndRecord& end, std::uint64_t sum);
  // Forgets everything: the next record comes from another process.
  void reset();

 private:
  // By what the execution before is known again when it is given back.
  struct Identity {
    PlanId plan = 0;
    std::size_t steps = 0, changes = 0, tasks = 0, objects = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  // The beginning of an execution, and what it had besides.
  struct Bookmark {
    Prefix prefix;
    std::vector<ExecutionMessage> messages;
    std::vector<ExecutionRace> races;
    std::uint32_t records = 0;
    std::uint64_t number = 0;  // of all that were ever made; 0: there is none
  };
  static Identity identity_of(const Execution& execution);

  std::size_t follow(const Record* records, std::size_t count);
  bool is_next(const Record& record);
  bool is_next(const ChangesRecord& record);
  void leave();
  void begin_to_follow(const BeginRecord& record);
  void begin_behind_previous();
  std::size_t take_ordinary(const Record* records, std::size_t count);
  bool room_for(std::size_t records) const;
  std::size_t take_batch(const Record* records, std::size_t count);
  void add_up(const Record& written);
  void add(const Record& record);
  void begin(const BeginRecord& record);
  bool can_keep(const BeginRecord& record) const;
  void keep(const RecordCounts& same);
  void add_bookmark(const BookmarkRecord& record);
  bool go_to_bookmark(const BeginRecord& record);
  void drop_objects(std::size_t kept);
  void clear();
  void add_changes(const ChangesRecord& record);
  void add_task(const TaskRecord& record);
  void add_object(const ObjectRecord& record);
  void add_step(const StepRecord& record);
  void add_stack(const StackRecord& record);
  void add_message(const MessageRecord& record);
  void add_pending(const PendingRecord& record);
  void add_race(const RaceRecord& record);
  void check(bool is_right);
  void finish(const EndRecord& record);
  void take_stack(std::vector<std::vector<Site>>& stacks, std::size_t index);
  void sort_objects();
  void flush_message();
  void damage(const char* what);

  DecodeLimits limits_;
  std::shared_ptr<Prefix::Memory> kept_ = std::make_shared<Prefix::Memory>();
  std::unique_ptr<Execution> execution_ = std::make_unique<Execution>();  // null while somebody else has it
  bool open_ = false;
  bool complete_ = false;
  bool has_previous_ = false;  // execution_ is the execution before, whole
  bool lent_ = false;          // it was taken, and is this:
  Identity previous_;
  bool following_ = false;         // execution_ is still the execution before: the present one has been the same so far
  RecordCounts same_;              // how many records it has in common with it
  Prefix path_{kept_};             // of execution_, as far as bookmarks have needed it
  std::uint64_t states_seen_ = 0;  // of all executions since reset()
  unsigned flags_seen_ = 0;        // likewise
  std::uint32_t records_ = 0;
  std::uint64_t sum_ = 0;  // of those that came (protocol/checksum.h)
  std::uint32_t message_bytes_ = 0;
  std::vector<Site> stack_;   // of the next Step, Pending or Race
  ExecutionRace race_;        // only the earlier access is known
  ExecutionMessage message_;  // not yet complete
  bool message_open_ = false;
  std::vector<ObjectId> emitted_;    // the objects, in the order in which their records came
  std::size_t objects_sorted_ = 0;   // the first so many are
  std::vector<Bookmark> bookmarks_;  // by their number; most executions make none
};

}  // namespace heddle
