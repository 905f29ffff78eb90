// Turns the records of the execution ring into executions: it finds what an execution shares with the one before it, or
// with a bookmark, and gives the rest to an ExecutionBuilder. It does not trust the records, and DecodeLimits bound its
// memory whatever comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/records.h"
#include "trace/execution.h"
#include "trace/execution_builder.h"
#include "trace/prefixes.h"

namespace heddle {

// Compares an execution's records, as they come, with those of the execution before.
class Follower {
 public:
  // The execution shares `same` with `previous` whatever comes.
  void begin(const RecordCounts& same) { same_ = same; }
  // Is this the record that comes next in `previous`? Then it is passed.
  bool passes(const Record& record, const Execution& previous, const ObjectOrder& objects);
  // How many records they have in common.
  const RecordCounts& same() const { return same_; }

 private:
  bool passes(const ChangesRecord& record, const Execution& previous);

  RecordCounts same_;
};

// The beginnings of executions that later ones go on from, by the number that the target gave them.
class Bookmarks {
 public:
  explicit Bookmarks(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Keeps what the builder has, which are `records` records. False: the record can't be.
  bool add(const BookmarkRecord& record, ExecutionBuilder& builder, std::uint32_t records);
  // How many records there are up to the bookmark that an execution goes on from; none: it is not there, or another.
  std::optional<std::uint32_t> find(const BeginRecord& record) const;
  // Makes of what the builder has the bookmark that find() has found.
  void go_to(const BeginRecord& record, ExecutionBuilder& builder);
  // The builder's execution now has only so much of what it had.
  void truncate(const RecordCounts& kept) { path_.truncate(kept); }
  void clear_path() { path_.clear(); }
  // What comes is of another process, which has none.
  void forget() { bookmarks_.clear(); }

 private:
  // The beginning of an execution, and what it had besides.
  struct Bookmark {
    Prefix prefix;
    std::vector<ExecutionMessage> messages;
    std::vector<ExecutionRace> races;
    std::uint32_t records = 0;
    std::uint64_t number = 0;  // of all that were ever made; 0: there is none
  };

  std::size_t limit_bytes_;
  std::shared_ptr<Prefix::Memory> memory_ = std::make_shared<Prefix::Memory>();
  Prefix path_{memory_};             // of the builder's execution, as far as bookmarks have needed it
  std::vector<Bookmark> bookmarks_;  // most executions make none
};

// A contract for executions that go on from a checkpoint (records.h): they share the beginning of the execution before
// them in the ring, and the decoder does not copy it. So whoever takes an execution gives it back by reuse(), as it
// was, before the next record is fed, and copies what it wants to keep. Where it was not given back, an execution that
// goes on from it comes out as damaged. What an execution shares with a bookmark and not with the execution before it
// the decoder has itself, and copies. Executions that were run from the beginning are compared with the one before as
// their records come, and share what is the same with it as well (Execution::kept_steps).
class ExecutionDecoder {
 public:
  explicit ExecutionDecoder(const DecodeLimits& limits = {})
      : limits_(limits), builder_(limits), bookmarks_(limits.bookmark_bytes) {}
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
  const Execution& current() const { return builder_.execution(); }
  // Ends the open execution in place of a process that is gone: `end` is what is known; steps, tasks and preemptions
  // are filled in from what was decoded. Then take() gives it. `sum` is that of its records as they were written.
  void close(const EndRecord& end, std::uint64_t sum);
  // Forgets everything: the next record comes from another process.
  void reset();

 private:
  // By what the execution before is known again when it is given back.
  struct Identity {
    Identity() = default;
    explicit Identity(const Execution& execution);
    PlanId plan = 0;
    std::size_t steps = 0, changes = 0, tasks = 0, objects = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  Execution& execution() { return builder_.execution(); }
  const Execution& execution() const { return builder_.execution(); }
  std::size_t follow(const Record* records, std::size_t count);
  void leave();
  std::size_t take_ordinary(const Record* records, std::size_t count);
  void add_up(const Record& written);
  void add(const Record& record);
  void begin(const BeginRecord& record);
  bool can_keep(const BeginRecord& record) const;
  void begin_to_follow(const BeginRecord& record);
  void clear();
  void check(bool is_right);
  void finish(const EndRecord& record);

  DecodeLimits limits_;
  ExecutionBuilder builder_;
  bool open_ = false;
  bool complete_ = false;
  bool has_previous_ = false;  // the builder has the execution before, whole
  bool lent_ = false;          // it was taken, and is this:
  Identity previous_;
  bool following_ = false;  // the builder still has the execution before: the present one has been the same so far
  Follower follower_;
  std::uint32_t records_ = 0;
  std::uint64_t sum_ = 0;  // of those that came (protocol/checksum.h)
  Bookmarks bookmarks_;
};

}  // namespace heddle
