// See prefixes.h.
#include "trace/prefixes.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kMaxPieces = 32;
constexpr std::size_t kMaxSpare = 16, kMaxSpareBytes = std::size_t{512} << 10;  // of each

RecordCounts least(const RecordCounts& a, const RecordCounts& b) {
  return {std::min(a.steps, b.steps), std::min(a.changes, b.changes), std::min(a.tasks, b.tasks),
          std::min(a.objects, b.objects)};
}

template <typename Items>
void copy(const Items& items, std::uint32_t first, Items& to) {
  to.clear();
  append(to, items.data() + first, items.data() + items.size());
}

std::size_t bytes_of(const RecordCounts& begin, const RecordCounts& end) {
  return (end.steps - begin.steps) * sizeof(StepRecord) + (end.changes - begin.changes) * sizeof(StateChange) +
         (end.tasks - begin.tasks) * sizeof(TaskRecord) + (end.objects - begin.objects) * sizeof(ObjectRecord);
}

}  // namespace

void Prefix::truncate(const RecordCounts& counts) {
  for (Piece& piece : pieces_) piece.end = least(piece.end, counts);
  const auto empty = [](const Piece& piece) { return piece.end == least(piece.end, piece.stretch->begin); };
  while (!pieces_.empty() && empty(pieces_.back())) pieces_.pop_back();
}

// Do its stretches hold much that is not in it? Then they would keep memory that nobody accounts for.
bool Prefix::is_scattered(const RecordCounts& counts) const {
  std::size_t held = 0;
  for (const Piece& piece : pieces_) held += piece.stretch->bytes;
  return pieces_.size() >= kMaxPieces || held > 2 * bytes_of({}, counts);
}

// When nobody has it any more, it waits for its next use: with its memory, which would be dear to get anew.
std::shared_ptr<Prefix::Stretch> Prefix::new_stretch() const {
  std::unique_ptr<Stretch> stretch;
  if (memory_ == nullptr || memory_->spare.empty()) {
    stretch = std::make_unique<Stretch>();
  } else {
    stretch = std::move(memory_->spare.back());
    memory_->spare.pop_back();
  }
  const auto give_back = [memory = memory_](Stretch* gone) {
    std::unique_ptr<Stretch> unused(gone);
    if (memory == nullptr) return;
    memory->bytes -= unused->bytes;
    if (memory->spare.size() < kMaxSpare && unused->bytes <= kMaxSpareBytes) memory->spare.push_back(std::move(unused));
  };
  return {stretch.release(), give_back};
}

void Prefix::extend(const Execution& execution, const std::vector<ObjectId>& emitted) {
  const RecordCounts end{
      static_cast<std::uint32_t>(execution.steps.size()), static_cast<std::uint32_t>(execution.changes.size()),
      static_cast<std::uint32_t>(execution.tasks.size()), static_cast<std::uint32_t>(emitted.size())};
  if (end == counts()) return;
  if (is_scattered(end)) pieces_.clear();
  const std::shared_ptr<Stretch> stretch = new_stretch();
  const RecordCounts begin = stretch->begin = counts();
  copy(execution.steps, begin.steps, stretch->steps);
  copy(execution.changes, begin.changes, stretch->changes);
  copy(execution.tasks, begin.tasks, stretch->tasks);
  stretch->objects.clear();
  for (std::size_t at = begin.objects; at < emitted.size(); ++at) {
    const ObjectRecord* object = execution.object(emitted[at]);
    stretch->objects.push_back(object != nullptr ? *object : ObjectRecord());
  }
  stretch->bytes = sizeof(Stretch) + bytes_of(begin, end);
  if (memory_ != nullptr) memory_->bytes += stretch->bytes;
  pieces_.push_back({stretch, end});
}

RecordCounts Prefix::in_common(const Prefix& other) const {
  RecordCounts common;
  for (std::size_t i = 0; i < std::min(pieces_.size(), other.pieces_.size()); ++i) {
    const Piece &one = pieces_[i], &two = other.pieces_[i];
    if (one.stretch != two.stretch) break;
    common = least(one.end, two.end);
    if (!(one.end == two.end)) break;
  }
  return common;
}

}  // namespace heddle
