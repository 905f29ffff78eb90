// Drawing threads side by side; see lanes.h.
#include "report/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/columns.h"
#include "report/explain_race.h"

namespace heddle {
namespace {

constexpr std::size_t kMarginWidth = 7;        // "  123  "
constexpr std::size_t kLeastColumnWidth = 27;  // with the gap
constexpr std::size_t kMostColumnWidth = 62;
constexpr std::size_t kGap = 2;
constexpr std::size_t kMostNameWidth = 16;
constexpr std::size_t kDetailIndent = 2;
constexpr std::size_t kMostEndRows = 20;

std::string margin(std::size_t step) { return fmt::format("{:>5}  ", step); }
std::string no_margin() { return std::string(kMarginWidth, ' '); }

}  // namespace

Lanes::Lanes(const Execution& execution, Names& names, SourceText& sources, std::size_t width, const Style& style)
    : execution_(execution),
      names_(names),
      sources_(sources),
      phrases_(execution, names),
      width_(width),
      style_(style),
      stretches_(select_steps(execution)) {
  choose_columns();
}

void Lanes::choose_columns() {
  std::set<TaskId> tasks;
  for (const Stretch& stretch : stretches_)
    for (std::size_t i = stretch.first; i < stretch.last && stretch.how != Stretch::How::Folded; ++i)
      tasks.insert(execution_.steps[i].task);
  for (const ExecutionRace& race : execution_.races) tasks.insert({race.earlier.task, race.later.task});
  for (const TaskId task : tasks)
    name_width_ = std::max(name_width_, std::min(kMostNameWidth, shown_width(names_.task(task))));
  const std::size_t room = width_ - std::min(width_ / 2, kMarginWidth);
  column_width_ = std::min(kMostColumnWidth, room / std::max<std::size_t>(1, tasks.size()));
  if (column_width_ >= kLeastColumnWidth) {
    columns_.assign(tasks.begin(), tasks.end());
  } else {
    column_width_ = room - name_width_;
  }
}

std::string Lanes::draw(const std::string& failure) {
  draw_head();
  for (const Stretch& stretch : stretches_) {
    if (stretch.how == Stretch::How::Folded) {
      draw_fold(stretch);
      for (std::size_t i = stretch.first; i < stretch.last; ++i) draw_racing_accesses(i);
      continue;
    }
    for (std::size_t i = stretch.first; i < stretch.last; ++i) {
      draw_racing_accesses(i);
      draw_switch(i);
      if (stretch.how == Stretch::How::Shown) draw_step(i);
    }
  }
  draw_racing_accesses(execution_.steps.size());
  draw_end(failure);
  return std::move(out_);
}

void Lanes::draw_head() {
  if (columns_.empty()) {
    out_ += style_.bold(" step  thread and what it does") + "\n";
    return;
  }
  std::string heads = " step  ", rule = " ────  ";
  for (const TaskId task : columns_) {
    const std::string gap = task == columns_.back() ? "" : std::string(kGap, ' ');
    const std::string head = cut(names_.task(task), column_width_ - kGap);
    heads += gap.empty() ? head : padded(head, column_width_);
    for (std::size_t i = 0; i + kGap < column_width_; ++i) rule += "─";
    rule += gap;
  }
  out_ += style_.bold(heads) + "\n" + rule + "\n";
}

std::string Lanes::looking(const std::string& text, Look look) const {
  switch (look) {
    case Look::Source:
      return style_.dim(text);
    case Look::Mark:
      return style_.yellow(text);
    case Look::Place:
    case Look::Plain:
      break;
  }
  return text;
}

std::vector<std::string> Lanes::fitted(const std::string& text, Look look, std::size_t room) {
  if (look == Look::Source) return {cut(text, room)};
  if (look == Look::Place) return {cut_front(text, room)};
  return wrapped(text, room, kDetailIndent);
}

void Lanes::row(const std::string& margin_text, TaskId task, const std::string& text, Look look, std::size_t indent) {
  const auto column = std::find(columns_.begin(), columns_.end(), task);
  const std::string name = columns_.empty() ? padded(cut(names_.task(task), name_width_), name_width_) + "  " : "";
  const std::size_t before = columns_.empty() ? 0 : static_cast<std::size_t>(column - columns_.begin()) * column_width_;
  const std::size_t room = column_width_ - kGap - indent;
  const auto lines = fitted(text, look, room);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool first = i == 0 && indent == 0;
    out_ += (i == 0 ? margin_text : no_margin()) +
            (first || look == Look::Mark ? name : std::string(name.size(), ' ')) + std::string(before + indent, ' ') +
            looking(lines[i], look) + "\n";
  }
}

void Lanes::draw_step(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  row(margin(index), step.task, phrases_.step(index), Look::Plain, 0);
  const bool bare = step.operation == OperationKind::ThreadStart || step.operation == OperationKind::ThreadExit;
  const Location location = names_.location_of_step(index);
  if (bare || !is_user_code(location.frame)) return;
  const std::string place = names_.place(location) + location.through;
  if (place == last_place_ && step.task == last_task_) return;
  last_place_ = place;
  last_task_ = step.task;
  draw_place(step.task, location);
}

// Those that come behind the step before `index`: they are no steps themselves.
void Lanes::draw_racing_accesses(std::size_t index) {
  for (const RacingAccessWords& access : racing_accesses(execution_, names_)) {
    if (std::min<std::size_t>(access.step, execution_.steps.size()) != index) continue;
    row(no_margin(), access.task, "✗ " + access.words, Look::Mark, 0);
    if (is_user_code(access.location.frame)) draw_place(access.task, access.location);
    last_place_.clear();
  }
}

void Lanes::draw_place(TaskId task, const Location& location) {
  row(no_margin(), task, names_.place(location), Look::Place, kDetailIndent);
  const std::string& source = sources_.line(location.frame.file, location.frame.line);
  if (!source.empty()) row(no_margin(), task, source, Look::Source, kDetailIndent);
  if (!location.through.empty()) row(no_margin(), task, "in " + location.through, Look::Place, kDetailIndent);
}

void Lanes::draw_fold(const Stretch& stretch) {
  std::map<TaskId, std::size_t> counts;
  for (std::size_t i = stretch.first; i < stretch.last; ++i) ++counts[execution_.steps[i].task];
  std::string who;
  for (const auto& [task, count] : counts)
    who += fmt::format("{}{} by {}", who.empty() ? "" : ", ", count, names_.task(task));
  out_ += fmt::format(
      "    …  {}\n", style_.dim(cut(fmt::format("{} left out ({})", counted(stretch.last - stretch.first, "step"), who),
                                    width_ - kMarginWidth)));
  last_place_.clear();
}

void Lanes::draw_switch(std::size_t index) {
  if (index == 0) return;
  const TaskId before = execution_.steps[index - 1].task, now = execution_.steps[index].task;
  if (execution_.steps[index].variant == kTimeout) return draw_timeout(index);
  if (before == now) return;
  const Intention intention = intention_of(before, index);
  const bool preempted = (execution_.steps[index].flags & StepFlags::Preemption) != 0;
  const std::string text = why_it_stops(index, intention);
  if (text.empty()) return;
  row(no_margin(), before, text, preempted ? Look::Mark : Look::Plain, 0);
  if (preempted && intention.location.site != 0) draw_place(before, intention.location);
  last_place_.clear();
}

// A timeout that fires although somebody else could go on costs a preemption; one that fires when nobody can does not.
void Lanes::draw_timeout(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  const TaskId before = execution_.steps[index - 1].task;
  const bool early = (step.flags & StepFlags::Preemption) != 0;
  const std::string others = before == step.task ? "others" : names_.task(before);
  row(no_margin(), step.task,
      early ? fmt::format("── time passes, before {} can go on ──", others) : "── time passes ──", Look::Mark, 0);
  last_place_.clear();
}

std::string Lanes::why_it_stops(std::size_t index, const Intention& intention) {
  const StepRecord& step = execution_.steps[index];
  const StepRecord& before = execution_.steps[index - 1];
  const std::string words = words_for(intention);
  if ((step.flags & StepFlags::Preemption) != 0) {
    return fmt::format("── {} is preempted here{} ──", names_.task(before.task),
                       words.empty() ? "" : ", before it can " + words);
  }
  if (before.task == step.task || before.operation == OperationKind::ThreadExit || words.empty()) return {};
  if ((step.flags & StepFlags::Yielded) != 0) return "(gives way)";
  if (before.operation == OperationKind::ConditionWait || before.operation == OperationKind::FutexWait)
    return "(waits)";
  if (intention.operation == OperationKind::Sleep) return "(sleeps)";
  if (intention.operation == OperationKind::ThreadJoin)
    return fmt::format("(has to wait until {} ends)", intention.object);
  if (intention.operation == OperationKind::SignalArrive || intention.operation == OperationKind::CancelArrive)
    return "(has to wait)";  // what it was going to do is not recorded
  return fmt::format("(has to wait: can't {} now)", words);
}

Lanes::Intention Lanes::intention_of(TaskId task, std::size_t from) {
  for (std::size_t i = from; i < execution_.steps.size(); ++i) {
    const StepRecord& step = execution_.steps[i];
    if (step.task == task) return {step.operation, names_.accessed(step), names_.location_of_step(i)};
  }
  for (std::size_t i = 0; i < execution_.pending.size(); ++i) {
    const PendingRecord& pending = execution_.pending[i];
    if (pending.task == task && pending.operation != OperationKind::None)
      return {pending.operation, names_.accessed(pending), names_.location_of_pending(i)};
  }
  return {};
}

std::string Lanes::words_for(const Intention& intention) {
  return intention.operation == OperationKind::None ? "" : phrases_.intention(intention.operation, intention.object);
}

void Lanes::draw_end(const std::string& failure) {
  const auto shown = [&](TaskId task) {
    return columns_.empty() || std::find(columns_.begin(), columns_.end(), task) != columns_.end();
  };
  if (!failure.empty() && shown(execution_.end.task))
    row("  end  ", execution_.end.task, "✗ " + failure, Look::Mark, 0);
  std::size_t told = 0;
  for (std::size_t i = 0; i < execution_.pending.size() && failure.empty() && told < kMostEndRows; ++i) {
    const PendingRecord& pending = execution_.pending[i];
    if (!is_blocked(pending) || !shown(pending.task)) continue;
    row("  end  ", pending.task, "✗ " + last_words(i), Look::Mark, 0);
    ++told;
  }
}

// Shorter than what stands below the chart: columns are narrow.
std::string Lanes::last_words(std::size_t pending_index) {
  const PendingRecord& pending = execution_.pending[pending_index];
  const std::vector<TaskId> all = holders(execution_, pending);
  if (all.empty() || pending.operation == OperationKind::ThreadJoin)
    return waiting_for(execution_, pending_index, names_);
  const bool itself = all.size() == 1 && all[0] == pending.task;
  const std::string holder =
      itself ? "it has it itself" : fmt::format("{} {} it", listed(all, names_), all.size() == 1 ? "has" : "have");
  return fmt::format("can't {}: {}", phrases_.intention(pending.operation, names_.accessed(pending)), holder);
}

}  // namespace heddle
