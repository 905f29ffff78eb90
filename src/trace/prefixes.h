// Prefixes of executions, which the decoder keeps so that later executions can go on from a bookmark
// (protocol/records.h). Many bookmarks lie on few paths, so what two prefixes share is kept once: a prefix is a list of
// stretches of records, and prefixes can share their first stretches. To keep one more prefix costs its new records. To
// go on from it costs the records that the execution before does not share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trace/execution.h"

namespace heddle {

// How many records of each kind a beginning has.
struct RecordCounts {
  std::uint32_t steps = 0, changes = 0, tasks = 0, objects = 0;
  friend bool operator==(const RecordCounts&, const RecordCounts&) = default;
};

// The beginning of an execution.
class Prefix {
 public:
  // Records of one execution that follow each other; not changed while it is part of a beginning.
  struct Stretch {
    RecordCounts begin;
    RecordList<StepRecord> steps;
    RecordList<StateChange> changes;
    std::vector<TaskRecord> tasks;
    std::vector<ObjectRecord> objects;  // in the order in which they came
    std::size_t bytes = 0;
  };
  // What beginnings that share something take, and stretches that wait to be used again.
  struct Memory {
    std::size_t bytes = 0;
    std::vector<std::unique_ptr<Stretch>> spare;
  };

  Prefix() = default;
  explicit Prefix(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}

  // It goes so far.
  RecordCounts counts() const { return pieces_.empty() ? RecordCounts() : pieces_.back().end; }
  void clear() { pieces_.clear(); }
  // Leaves the first so many records of each kind. (They need not be those up to some place: of two executions that
  // part there, both may go on with the same object, but behind different steps.)
  void truncate(const RecordCounts& counts);
  // Goes on to the end of what is there: the execution begins with this beginning. `emitted`: its objects in the order
  // in which their records came.
  void extend(const Execution& execution, const std::vector<ObjectId>& emitted);
  // So much two beginnings are known to have in common.
  RecordCounts in_common(const Prefix& other) const;

  // Adds to an execution, which has the first `from` records of each kind, the others; its objects as
  // add_object(record).
  template <typename AddObject>
  void append(const RecordCounts& from, Execution& execution, AddObject add_object) const {
    for (const Piece& piece : pieces_) {
      const Stretch& stretch = *piece.stretch;
      add(stretch.steps, stretch.begin.steps, from.steps, piece.end.steps, execution.steps);
      add(stretch.changes, stretch.begin.changes, from.changes, piece.end.changes, execution.changes);
      add(stretch.tasks, stretch.begin.tasks, from.tasks, piece.end.tasks, execution.tasks);
      const std::uint32_t first = stretch.begin.objects;
      for (std::uint32_t at = from.objects > first ? from.objects : first; at < piece.end.objects; ++at)
        add_object(stretch.objects[at - first]);
    }
  }

 private:
  // The first records of a stretch: numbers [stretch->begin, end) of each kind. Behind them come those of the next one.
  struct Piece {
    std::shared_ptr<const Stretch> stretch;
    RecordCounts end;
  };

  // Those of a stretch that begin at number `begin`: numbers [from, end) of them.
  template <typename Items>
  static void add(const Items& items, std::uint32_t begin, std::uint32_t from, std::uint32_t end, Items& to) {
    const std::uint32_t first = from > begin ? from : begin;
    if (first < end) heddle::append(to, items.data() + (first - begin), items.data() + (end - begin));
  }

  bool is_scattered(const RecordCounts& counts) const;
  std::shared_ptr<Stretch> new_stretch() const;

  std::vector<Piece> pieces_;
  std::shared_ptr<Memory> memory_;
};

}  // namespace heddle
