// See decode.h.
#include "trace/decode.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "protocol/assert.h"
#include "protocol/checksum.h"
#include "trace/read_record.h"

namespace heddle {
namespace {

std::atomic<std::uint64_t> bookmarks_made{0};  // by all decoders of this process

// In a few instructions: memcmp() is a call.
[[gnu::always_inline]] inline bool is_same(const void* one, const Record& other) {
  std::uint64_t a[4], b[4];
  static_assert(sizeof a == sizeof(Record));
  std::memcpy(a, one, sizeof a);
  std::memcpy(b, &other, sizeof b);
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

// Messages that come after the last decision, so that nothing goes on behind them.
bool ends_execution(MessageKind kind) {
  return kind == MessageKind::AssertionFailed || kind == MessageKind::Misuse || kind == MessageKind::Divergence ||
         kind == MessageKind::Signal;
}

RecordCounts counts_of(const BeginRecord& record) {
  return {record.kept_steps, record.kept_changes, record.kept_tasks, record.kept_objects};
}

std::uint16_t count_preemptions(const Execution& execution) {
  return static_cast<std::uint16_t>(std::count_if(execution.steps.begin(), execution.steps.end(), [](const auto& step) {
    return (step.flags & StepFlags::Preemption) != 0;
  }));
}

}  // namespace

// --- what it shares with the execution before

[[gnu::always_inline]] inline bool Follower::passes(const ChangesRecord& record, const Execution& previous) {
  const auto& changes = previous.changes;
  if (record.count > ChangesRecord::kCapacity || record.count > changes.size() - same_.changes) return false;
  const StateChange* next = changes.data() + same_.changes;
  for (unsigned i = 0; i < record.count; ++i, ++next)
    if (next->step != same_.steps || next->task != record.changes[i].task || next->state != record.changes[i].state ||
        next->yields != record.changes[i].yields)
      return false;
  same_.changes += record.count;
  return true;
}

[[gnu::always_inline]] inline bool Follower::passes(const Record& record, const Execution& previous,
                                                    const ObjectOrder& objects) {
  if (record.kind == RecordKind::Step) {
    const auto& steps = previous.steps;
    if (same_.steps == steps.size() || !is_same(&steps[same_.steps], record)) return false;
    ++same_.steps;
    return true;
  }
  if (record.kind == RecordKind::Changes) return passes(read_as<ChangesRecord>(record), previous);
  if (record.kind == RecordKind::Task) {
    const auto& tasks = previous.tasks;
    if (same_.tasks == tasks.size() || !is_same(&tasks[same_.tasks], record)) return false;
    ++same_.tasks;
    return true;
  }
  if (record.kind != RecordKind::Object || same_.objects == objects.emitted().size()) return false;
  const ObjectRecord* object = previous.object(objects.emitted()[same_.objects]);
  if (object == nullptr || !is_same(object, record)) return false;
  ++same_.objects;
  return true;
}

// --- what it shares with a bookmark

bool Bookmarks::add(const BookmarkRecord& record, ExecutionBuilder& builder, std::uint32_t records) {
  if (record.number >= kMaxBookmarks) return false;
  if (record.number >= bookmarks_.size()) bookmarks_.resize(record.number + 1u);
  Bookmark& bookmark = bookmarks_[record.number];
  bookmark = {};
  Execution& execution = builder.execution();
  // What goes on from one that is not kept will be damaged.
  if (execution.damaged || !execution.stacks.empty()) return true;
  builder.extend_prefix(path_);
  if (memory_->bytes + builder.message_bytes() > limit_bytes_) return path_.clear(), true;
  bookmark.prefix = path_;
  bookmark.messages = execution.messages;
  bookmark.races = execution.races;
  bookmark.records = records;
  bookmark.number = bookmarks_made.fetch_add(1) + 1;
  execution.bookmarks_made.push_back({bookmark.number, static_cast<std::uint32_t>(execution.steps.size())});
  return true;
}

std::optional<std::uint32_t> Bookmarks::find(const BeginRecord& record) const {
  if (record.bookmark == 0 || record.bookmark > bookmarks_.size()) return std::nullopt;
  const Bookmark& bookmark = bookmarks_[record.bookmark - 1u];
  if (bookmark.number == 0 || !(counts_of(record) == bookmark.prefix.counts())) return std::nullopt;
  return bookmark.records;
}

void Bookmarks::go_to(const BeginRecord& record, ExecutionBuilder& builder) {
  const Bookmark& bookmark = bookmarks_[record.bookmark - 1u];
  Execution& execution = builder.execution();
  const RecordCounts common = path_.in_common(bookmark.prefix);
  execution.clear_own();
  builder.truncate(common);
  builder.extend(bookmark.prefix, common);
  path_ = bookmark.prefix;
  execution.messages = bookmark.messages;
  execution.races = bookmark.races;
  execution.bookmark = bookmark.number;
  execution.resumed_at = record.kept_steps;
}

// --- many records at once

std::size_t ExecutionDecoder::feed(const Record* records, std::size_t count, const Record* written) {
  if (written == nullptr) written = records;
  std::size_t taken = 0;
  complete_ = false;
  while (taken < count && !complete_) {
    const std::size_t first = taken;
    if (following_) taken += follow(records + taken, count - taken);
    if (open_ && !following_) taken += take_ordinary(records + taken, count - taken);
    sum_ += sum_of(written + first, taken - first);
    if (taken == count) break;
    add_up(written[taken]);
    add(records[taken++]);
  }
  return taken;
}

// Takes records as long as they are those that the execution before had here, too.
std::size_t ExecutionDecoder::follow(const Record* records, std::size_t count) {
  count = std::min<std::size_t>(count, limits_.records - records_);
  std::size_t taken = 0;
  while (taken < count && follower_.passes(records[taken], execution(), builder_.objects())) ++taken;
  records_ += static_cast<std::uint32_t>(taken);
  if (taken < count || records_ == limits_.records) leave();
  return taken;
}

std::size_t ExecutionDecoder::take_ordinary(const Record* records, std::size_t count) {
  if (records_ >= limits_.records) return 0;
  count = std::min<std::size_t>(count, limits_.records - records_);
  const std::size_t taken = builder_.take_ordinary(records, count);
  records_ += static_cast<std::uint32_t>(taken);
  return taken;
}

// Here it becomes another execution than the one before.
void ExecutionDecoder::leave() {
  HEDDLE_ASSERT(following_, "what was not followed is not left");
  following_ = false;
  builder_.truncate(follower_.same());
  bookmarks_.truncate(follower_.same());
}

// End, whose checksum is in it, is not changed by anybody.
void ExecutionDecoder::add_up(const Record& written) {
  if (written.kind == RecordKind::Begin) sum_ = 0;
  if (written.kind != RecordKind::End) sum_ += sum_of(written);
}

void ExecutionDecoder::add(const Record& record) {
  const RecordKind kind = record.kind;
  if (kind == RecordKind::Begin) return begin(read_as<BeginRecord>(record));
  if (!open_) return;  // the rest of something whose Begin was lost
  if (++records_ > limits_.records && kind != RecordKind::End) return damage(execution(), "it has too many records");
  if (kind == RecordKind::Bookmark) {
    if (!bookmarks_.add(read_as<BookmarkRecord>(record), builder_, records_))
      damage(execution(), "a bookmark's number can't be");
    return;
  }
  if (kind != RecordKind::End) return builder_.add(record);
  const auto end = read_as<EndRecord>(record);
  check(end.checksum == checksum_of(sum_, end));
  finish(end);
}

ExecutionDecoder::Identity::Identity(const Execution& execution)
    : plan(execution.plan),
      steps(execution.steps.size()),
      changes(execution.changes.size()),
      tasks(execution.tasks.size()),
      objects(execution.objects.size()) {}

std::unique_ptr<Execution> ExecutionDecoder::take() {
  HEDDLE_ASSERT(complete_ && builder_.has_execution(), "an execution is taken when it is complete, and once");
  complete_ = has_previous_ = false;
  lent_ = true;
  previous_ = Identity(execution());
  return builder_.replace(nullptr);
}

void ExecutionDecoder::reuse(std::unique_ptr<Execution> execution) {
  if (execution == nullptr || open_ || complete_ || has_previous_) return;
  has_previous_ = lent_ && Identity(*execution) == previous_;
  builder_.replace(std::move(execution));
}

void ExecutionDecoder::close(const EndRecord& end, std::uint64_t sum) {
  if (!open_) return;
  if (following_) leave();
  check(sum == sum_);
  EndRecord full = end;
  full.tasks = static_cast<std::uint16_t>(execution().tasks.size());
  full.preemptions = count_preemptions(execution());
  if (full.task == kNoTask && !execution().steps.empty()) full.task = execution().steps.back().task;
  finish(full);
}

void ExecutionDecoder::reset() {
  clear();
  open_ = complete_ = has_previous_ = lent_ = following_ = false;
  builder_.forget_seen();
  bookmarks_.forget();
}

void ExecutionDecoder::clear() {
  builder_.clear();
  bookmarks_.clear_path();
}

void ExecutionDecoder::begin(const BeginRecord& record) {
  if (following_) leave();
  if (!builder_.has_execution()) clear();
  const bool wants = record.kept_steps != 0;
  const std::optional<std::uint32_t> from_bookmark = wants ? bookmarks_.find(record) : std::nullopt;
  records_ = from_bookmark.value_or(0);
  if (from_bookmark) {
    if (!has_previous_ || execution().damaged) clear();
    bookmarks_.go_to(record, builder_);
  }
  // It may be as the one before even where it was run from the beginning.
  const bool follows = record.bookmark == 0 && (wants ? can_keep(record) : has_previous_ && !execution().damaged);
  const bool was_damaged = execution().damaged;
  if (follows) {
    begin_to_follow(record);
  } else if (!from_bookmark) {
    clear();
  }
  open_ = true;
  complete_ = has_previous_ = lent_ = false;
  builder_.begin(record.plan);
  if (wants && !from_bookmark && !follows) damage(execution(), "what it goes on from is not there");
  if ((from_bookmark || follows) && was_damaged) damage(execution(), "what it goes on from is damaged");
}

bool ExecutionDecoder::can_keep(const BeginRecord& record) const {
  if (!has_previous_ || record.kept_steps > execution().steps.size()) return false;
  if (record.kept_tasks > execution().tasks.size() || record.kept_objects > builder_.objects().emitted().size())
    return false;
  if (record.kept_changes > execution().changes.size()) return false;
  return record.kept_changes == 0 || execution().changes[record.kept_changes - 1].step <= record.kept_steps;
}

// What the execution shares with the one before is found as its records come: until then that one stays as it is.
void ExecutionDecoder::begin_to_follow(const BeginRecord& record) {
  following_ = true;
  follower_.begin(counts_of(record));
  execution().clear_own();
  execution().resumed_at = record.kept_steps;
  const auto is_later = [&record](std::uint32_t step) { return record.kept_steps == 0 || step > record.kept_steps; };
  std::erase_if(execution().messages, [&](const ExecutionMessage& message) {
    return is_later(message.step) || ends_execution(message.kind);
  });
  std::erase_if(execution().races, [&](const ExecutionRace& race) { return is_later(race.later.step); });
}

void ExecutionDecoder::check(bool is_right) {
  if (!is_right) damage(execution(), "its records are not those that were written");
}

void ExecutionDecoder::finish(const EndRecord& record) {
  builder_.finish(record);
  open_ = false;
  complete_ = has_previous_ = true;
}

}  // namespace heddle
