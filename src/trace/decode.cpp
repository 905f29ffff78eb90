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

constexpr std::size_t kMaxStackDepth = 256;
std::atomic<std::uint64_t> bookmarks_made{0};  // by all decoders of this process

// In a few instructions: memcmp() is a call.
[[gnu::always_inline]] inline bool is_same(const void* one, const Record& other) {
  std::uint64_t a[4], b[4];
  static_assert(sizeof a == sizeof(Record));
  std::memcpy(a, one, sizeof a);
  std::memcpy(b, &other, sizeof b);
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

bool before(const ObjectRecord& record, ObjectId id) { return record.object < id; }

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

std::size_t ExecutionDecoder::feed(const Record* records, std::size_t count, const Record* written) {
  if (written == nullptr) written = records;
  std::size_t taken = 0;
  complete_ = false;
  while (taken < count && !complete_) {
    const std::size_t first = taken;
    if (following_) taken += follow(records + taken, count - taken);
    taken += take_ordinary(records + taken, count - taken);
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
  while (taken < count && is_next(records[taken])) ++taken;
  records_ += static_cast<std::uint32_t>(taken);
  if (taken < count || records_ == limits_.records) leave();
  return taken;
}

// Is this the record that comes next in the execution that is followed? Then it is passed.
[[gnu::always_inline]] inline bool ExecutionDecoder::is_next(const Record& record) {
  if (record.kind == RecordKind::Step) {
    const auto& steps = execution_->steps;
    if (same_.steps == steps.size() || !is_same(&steps[same_.steps], record)) return false;
    ++same_.steps;
    return true;
  }
  if (record.kind == RecordKind::Changes) return is_next(read_as<ChangesRecord>(record));
  if (record.kind == RecordKind::Task) {
    const auto& tasks = execution_->tasks;
    if (same_.tasks == tasks.size() || !is_same(&tasks[same_.tasks], record)) return false;
    ++same_.tasks;
    return true;
  }
  if (record.kind != RecordKind::Object || same_.objects == emitted_.size()) return false;
  const ObjectRecord* object = execution_->object(emitted_[same_.objects]);
  if (object == nullptr || !is_same(object, record)) return false;
  ++same_.objects;
  return true;
}

[[gnu::always_inline]] inline bool ExecutionDecoder::is_next(const ChangesRecord& record) {
  const auto& changes = execution_->changes;
  if (record.count > ChangesRecord::kCapacity || record.count > changes.size() - same_.changes) return false;
  const StateChange* next = changes.data() + same_.changes;
  for (unsigned i = 0; i < record.count; ++i, ++next)
    if (next->step != same_.steps || next->task != record.changes[i].task || next->state != record.changes[i].state)
      return false;
  same_.changes += record.count;
  return true;
}

// Here it becomes another execution than the one before.
void ExecutionDecoder::leave() {
  HEDDLE_ASSERT(following_, "what was not followed is not left");
  following_ = false;
  keep(same_);
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
  if (++records_ > limits_.records && kind != RecordKind::End) return damage("it has too many records");
  switch (kind) {
    case RecordKind::Changes:
      return add_changes(read_as<ChangesRecord>(record));
    case RecordKind::Task:
      return add_task(read_as<TaskRecord>(record));
    case RecordKind::Object:
      return add_object(read_as<ObjectRecord>(record));
    case RecordKind::Step:
      return add_step(read_as<StepRecord>(record));
    case RecordKind::Stack:
      return add_stack(read_as<StackRecord>(record));
    case RecordKind::Message:
      return add_message(read_as<MessageRecord>(record));
    case RecordKind::Pending:
      return add_pending(read_as<PendingRecord>(record));
    case RecordKind::Race:
      return add_race(read_as<RaceRecord>(record));
    case RecordKind::Bookmark:
      return add_bookmark(read_as<BookmarkRecord>(record));
    case RecordKind::End:
      check(read_as<EndRecord>(record).checksum == checksum_of(sum_, read_as<EndRecord>(record)));
      return finish(read_as<EndRecord>(record));
    default:
      damage("a record is of no known kind");
  }
}

ExecutionDecoder::Identity ExecutionDecoder::identity_of(const Execution& execution) {
  return {execution.plan, execution.steps.size(), execution.changes.size(), execution.tasks.size(),
          execution.objects.size()};
}

std::unique_ptr<Execution> ExecutionDecoder::take() {
  HEDDLE_ASSERT(complete_ && execution_ != nullptr, "an execution is taken when it is complete, and once");
  complete_ = has_previous_ = false;
  lent_ = true;
  previous_ = identity_of(*execution_);
  return std::exchange(execution_, nullptr);
}

void ExecutionDecoder::reuse(std::unique_ptr<Execution> execution) {
  if (execution == nullptr || open_ || complete_ || has_previous_) return;
  has_previous_ = lent_ && identity_of(*execution) == previous_;
  execution_ = std::move(execution);
}

void ExecutionDecoder::close(const EndRecord& end, std::uint64_t sum) {
  if (!open_) return;
  if (following_) leave();
  check(sum == sum_);
  EndRecord full = end;
  full.tasks = static_cast<std::uint16_t>(execution_->tasks.size());
  full.preemptions = count_preemptions(*execution_);
  if (full.task == kNoTask && !execution_->steps.empty()) full.task = execution_->steps.back().task;
  finish(full);
}

void ExecutionDecoder::reset() {
  clear();
  open_ = complete_ = has_previous_ = lent_ = following_ = false;
  states_seen_ = 0;
  flags_seen_ = 0;
  bookmarks_.clear();
}

void ExecutionDecoder::clear() {
  if (execution_ == nullptr) execution_ = std::make_unique<Execution>();
  execution_->clear();
  emitted_.clear();
  path_.clear();
  objects_sorted_ = 0;
}

void ExecutionDecoder::begin(const BeginRecord& record) {
  if (following_) leave();
  if (execution_ == nullptr) clear();
  const bool wants = record.kept_steps != 0;
  records_ = 0;
  const bool from_bookmark = wants && record.bookmark != 0 && go_to_bookmark(record);
  // It may be as the one before even where it was run from the beginning.
  const bool follows = record.bookmark == 0 && (wants ? can_keep(record) : has_previous_ && !execution_->damaged);
  const bool was_damaged = execution_->damaged;
  if (follows) {
    begin_to_follow(record);
  } else if (!from_bookmark) {
    clear();
  }
  stack_.clear();
  open_ = true;
  complete_ = has_previous_ = lent_ = message_open_ = false;
  message_bytes_ = 0;
  for (const ExecutionMessage& message : execution_->messages)
    message_bytes_ += static_cast<std::uint32_t>(message.text.size());
  execution_->plan = record.plan;
  if (wants && !from_bookmark && !follows) damage("what it goes on from is not there");
  if ((from_bookmark || follows) && was_damaged) damage("what it goes on from is damaged");
}

bool ExecutionDecoder::can_keep(const BeginRecord& record) const {
  if (!has_previous_ || record.kept_steps > execution_->steps.size()) return false;
  if (record.kept_tasks > execution_->tasks.size() || record.kept_objects > emitted_.size()) return false;
  if (record.kept_changes > execution_->changes.size()) return false;
  return record.kept_changes == 0 || execution_->changes[record.kept_changes - 1].step <= record.kept_steps;
}

// What the execution shares with the one before is found as its records come: until then that one stays as it is.
void ExecutionDecoder::begin_to_follow(const BeginRecord& record) {
  following_ = true;
  same_ = counts_of(record);
  begin_behind_previous();
  execution_->resumed_at = record.kept_steps;
  const auto is_later = [&record](std::uint32_t step) { return record.kept_steps == 0 || step > record.kept_steps; };
  std::erase_if(execution_->messages, [&](const ExecutionMessage& message) {
    return is_later(message.step) || ends_execution(message.kind);
  });
  std::erase_if(execution_->races, [&](const ExecutionRace& race) { return is_later(race.later.step); });
}

// What every execution has of its own.
void ExecutionDecoder::begin_behind_previous() {
  execution_->bookmark = 0;
  execution_->bookmarks_made.clear();
  execution_->kept_of = execution_->plan;
  execution_->pending.clear();
  execution_->stacks.clear();
  execution_->pending_stacks.clear();
  execution_->end = EndRecord();
  execution_->output.clear();
  execution_->damaged = false;
}

// Makes of the execution before what the present one shares with it; takes no time for that.
void ExecutionDecoder::keep(const RecordCounts& same) {
  if (same.steps == 0) execution_->kept_of = 0;
  execution_->kept_steps = same.steps;
  execution_->kept_changes = same.changes;
  execution_->steps.resize(same.steps);
  execution_->changes.resize(same.changes);
  execution_->landmarks.truncate(same.changes);
  execution_->tasks.resize(same.tasks);
  drop_objects(same.objects);
  path_.truncate(same);
}

void ExecutionDecoder::add_bookmark(const BookmarkRecord& record) {
  if (record.number >= kMaxBookmarks) return damage("a bookmark's number can't be");
  if (record.number >= bookmarks_.size()) bookmarks_.resize(record.number + 1u);
  Bookmark& bookmark = bookmarks_[record.number];
  bookmark = {};
  // What goes on from one that is not kept will be damaged.
  if (execution_->damaged || !execution_->stacks.empty()) return;
  if (objects_sorted_ != execution_->objects.size()) sort_objects();
  path_.extend(*execution_, emitted_);
  if (kept_->bytes + message_bytes_ > limits_.bookmark_bytes) return path_.clear();
  bookmark.prefix = path_;
  bookmark.messages = execution_->messages;
  bookmark.races = execution_->races;
  bookmark.records = records_;
  bookmark.number = bookmarks_made.fetch_add(1) + 1;
  execution_->bookmarks_made.push_back({bookmark.number, static_cast<std::uint32_t>(execution_->steps.size())});
}

// Makes of the execution before what is kept under a bookmark. False: there is no such bookmark, or another.
bool ExecutionDecoder::go_to_bookmark(const BeginRecord& record) {
  if (record.bookmark > bookmarks_.size()) return false;
  const Bookmark& bookmark = bookmarks_[record.bookmark - 1u];
  if (bookmark.number == 0 || !(counts_of(record) == bookmark.prefix.counts())) return false;
  if (!has_previous_ || execution_->damaged) clear();
  const RecordCounts common = path_.in_common(bookmark.prefix);
  begin_behind_previous();
  keep(common);
  bookmark.prefix.append(common, *execution_, [this](const ObjectRecord& object) { add_object(object); });
  execution_->landmarks.extend(execution_->changes);
  path_ = bookmark.prefix;
  records_ = bookmark.records;
  execution_->messages = bookmark.messages;
  execution_->races = bookmark.races;
  execution_->bookmark = bookmark.number;
  execution_->resumed_at = record.kept_steps;
  return true;
}

// Leaves those that came first; the others mostly have the highest ids.
void ExecutionDecoder::drop_objects(std::size_t kept) {
  auto& objects = execution_->objects;
  if (kept < emitted_.size()) {
    const auto first_dropped = emitted_.begin() + static_cast<std::ptrdiff_t>(kept);
    std::sort(first_dropped, emitted_.end());
    const auto from = std::lower_bound(objects.begin(), objects.end(), *first_dropped, before);
    const auto dropped = [&](const ObjectRecord& record) {
      return std::binary_search(first_dropped, emitted_.end(), record.object);
    };
    objects.erase(std::remove_if(from, objects.end(), dropped), objects.end());
    emitted_.resize(kept);
  }
  objects_sorted_ = objects.size();
}

void ExecutionDecoder::add_changes(const ChangesRecord& record) {
  if (record.count > ChangesRecord::kCapacity) return damage("a list of changes is too long");
  const auto step = static_cast<std::uint32_t>(execution_->steps.size());
  if (execution_->changes.size() >= limits_.changes) return damage("it has too many changes");
  for (unsigned i = 0; i < record.count; ++i) {
    const auto& change = record.changes[i];
    if (change.task >= limits_.tasks) return damage("a change names a thread that can't be");
    execution_->changes.push_back({step, change.task, change.state});
    states_seen_ |= bit_of_state(change.state);
  }
  if (execution_->changes.size() >= execution_->landmarks.due()) execution_->landmarks.extend(execution_->changes);
}

void ExecutionDecoder::add_task(const TaskRecord& record) {
  if (record.task >= limits_.tasks) return damage("a thread's number can't be");
  if (record.task >= execution_->tasks.size()) execution_->tasks.resize(record.task + 1u);
  execution_->tasks[record.task] = record;
}

void ExecutionDecoder::add_object(const ObjectRecord& record) {
  if (record.object == kNoObject || record.object_kind > kLastObjectKind) return damage("an object can't be");
  auto& objects = execution_->objects;
  if (objects.size() >= limits_.objects) return damage("it has too many objects");
  const bool in_order = objects_sorted_ == objects.size() && (objects.empty() || before(objects.back(), record.object));
  objects_sorted_ += in_order ? 1 : 0;
  objects.push_back(record);
  emitted_.push_back(record.object);
}

void ExecutionDecoder::add_step(const StepRecord& record) {
  if (record.task >= limits_.tasks || !known(record.operation)) return damage("a step can't be");
  if (execution_->steps.size() >= limits_.steps) return damage("it has too many steps");
  take_stack(execution_->stacks, execution_->steps.size());
  execution_->steps.push_back(record);
  flags_seen_ |= flags_to_see(record);
}

void ExecutionDecoder::add_stack(const StackRecord& record) {
  if (record.count > StackRecord::kCapacity) return damage("a call stack is too long");
  for (unsigned i = 0; i < record.count && stack_.size() < kMaxStackDepth; ++i) stack_.push_back(record.sites[i]);
}

void ExecutionDecoder::add_message(const MessageRecord& record) {
  if (record.count > MessageRecord::kCapacity || record.message > MessageKind::Memory)
    return damage("a message can't be");
  if (execution_->messages.size() >= limits_.messages) return damage("it has too many messages");
  if (message_open_ && (message_.kind != record.message || message_.task != record.task)) flush_message();
  if (!message_open_) {
    message_ = {record.message, record.task, static_cast<std::uint32_t>(execution_->steps.size()), {}};
    message_open_ = true;
  }
  const std::uint32_t room = limits_.message_bytes - message_bytes_;
  const std::uint32_t taken = std::min<std::uint32_t>(record.count, room);
  message_.text.append(record.text, taken);
  message_bytes_ += taken;
  if (record.last != 0) flush_message();
}

void ExecutionDecoder::add_pending(const PendingRecord& record) {
  if (record.task >= limits_.tasks || !known(record.operation)) return damage("a pending operation can't be");
  if (execution_->pending.size() >= limits_.tasks) return damage("it has too many pending operations");
  take_stack(execution_->pending_stacks, execution_->pending.size());
  execution_->pending.push_back(record);
}

void ExecutionDecoder::add_race(const RaceRecord& record) {
  if (record.task >= limits_.tasks || record.step > execution_->steps.size()) return damage("a race can't be");
  if ((record.flags & RaceFlags::Later) == 0) {
    race_ = {record, {}, std::exchange(stack_, {}), {}};
    return;
  }
  if (execution_->races.size() >= limits_.races) return damage("it has too many races");
  race_.later = record;
  race_.later_stack = std::exchange(stack_, {});
  execution_->races.push_back(std::move(race_));
}

void ExecutionDecoder::check(bool is_right) {
  if (!is_right) damage("its records are not those that were written");
}

void ExecutionDecoder::finish(const EndRecord& record) {
  if (message_open_) flush_message();
  if (objects_sorted_ != execution_->objects.size()) sort_objects();
  if (!execution_->stacks.empty()) execution_->stacks.resize(execution_->steps.size());
  if (!execution_->pending_stacks.empty()) execution_->pending_stacks.resize(execution_->pending.size());
  execution_->states_seen = states_seen_;
  execution_->step_flags_seen = static_cast<std::uint8_t>(flags_seen_);
  execution_->end = record;
  if (record.end > EndKind::GoodSamaritan) {
    damage("its end is of no known kind");
    execution_->end.end = EndKind::Killed;
  }
  const auto steps = static_cast<std::uint32_t>(execution_->steps.size());
  if (record.loop_from >= steps && record.loop_from != 0) damage("its loop begins behind its end");
  execution_->end.steps = steps;
  open_ = false;
  complete_ = has_previous_ = true;
}

// The stack collected so far belongs to entry `index`; entries before it that had none get an empty one.
void ExecutionDecoder::take_stack(std::vector<std::vector<Site>>& stacks, std::size_t index) {
  if (stack_.empty()) return;
  stacks.resize(index + 1);
  stacks[index] = std::exchange(stack_, {});
}

// Puts the unsorted rest into its place. Of two with one id the first counts.
void ExecutionDecoder::sort_objects() {
  constexpr std::ptrdiff_t kFew = 16;
  auto& objects = execution_->objects;
  const auto less = [](const ObjectRecord& a, const ObjectRecord& b) { return a.object < b.object; };
  const auto same = [](const ObjectRecord& a, const ObjectRecord& b) { return a.object == b.object; };
  auto rest = objects.begin() + static_cast<std::ptrdiff_t>(objects_sorted_);
  if (objects.end() - rest <= kFew) {  // without the allocations of the algorithms
    for (; rest != objects.end(); ++rest)
      std::rotate(std::upper_bound(objects.begin(), rest, *rest, less), rest, rest + 1);
  } else {
    std::stable_sort(rest, objects.end(), less);
    std::inplace_merge(objects.begin(), rest, objects.end(), less);
  }
  objects.erase(std::unique(objects.begin(), objects.end(), same), objects.end());
  objects_sorted_ = objects.size();
}

void ExecutionDecoder::flush_message() {
  execution_->messages.push_back(std::move(message_));
  message_ = {};
  message_open_ = false;
}

void ExecutionDecoder::damage(const char* what) {
  if (execution_->damaged) return;
  execution_->damaged = true;
  const auto step = static_cast<std::uint32_t>(execution_->steps.size());
  std::string text = "what was recorded is damaged after step " + std::to_string(step) + ": " + what +
                     "; most likely the program wrote into memory that is not its own";
  execution_->messages.push_back({MessageKind::Note, kNoTask, step, std::move(text)});
}

}  // namespace heddle
