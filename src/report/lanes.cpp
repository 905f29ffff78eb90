// Drawing threads side by side; see lanes.h.
#include "report/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/columns.h"

namespace heddle {
namespace {

constexpr std::size_t kMarginWidth = 7;      // "  123  "
constexpr std::size_t kLeastColumnWidth = 27;  // with the gap
constexpr std::size_t kMostColumnWidth = 62;
constexpr std::size_t kGap = 2;
constexpr std::size_t kMostNameWidth = 16;
constexpr std::size_t kDetailIndent = 2;

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
    for (std::size_t i = stretch.first; i < stretch.last && !stretch.folded; ++i) tasks.insert(execution_.steps[i].task);
  for (const TaskId task : tasks) name_width_ = std::max(name_width_, std::min(kMostNameWidth, shown_width(names_.task(task))));
  const std::size_t room = width_ - std::min(width_ / 2, kMarginWidth);
  column_width_ = std::min(kMostColumnWidth, room / std::max<std::size_t>(1, tasks.size()));
  if (column_width_ >= kLeastColumnWidth) {
    columns_.assign(tasks.begin(), tasks.end());
  } else {
    column_width_ = room - name_width_;
  }
}

std::string Lanes::draw() {
  draw_head();
  for (const Stretch& stretch : stretches_) {
    if (stretch.folded) {
      draw_fold(stretch);
      continue;
    }
    for (std::size_t i = stretch.first; i < stretch.last; ++i) {
      draw_switch(i);
      draw_step(i);
    }
  }
  return std::move(out_);
}

void Lanes::draw_head() {
  if (columns_.empty()) {
    out_ += style_.bold(" step  thread and what it does") + "\n";
    return;
  }
  std::string heads = " step  ", rule = " ────  ";
  for (const TaskId task : columns_) {
    heads += padded(cut(names_.task(task), column_width_ - kGap), column_width_);
    std::string line;
    for (std::size_t i = 0; i + kGap < column_width_; ++i) line += "─";
    rule += padded(line, column_width_);
  }
  out_ += style_.bold(heads) + "\n" + rule + "\n";
}

std::string Lanes::looking(const std::string& text, Cell::Look look) const {
  switch (look) {
    case Cell::Look::Source:
      return style_.dim(text);
    case Cell::Look::Mark:
      return style_.yellow(text);
    case Cell::Look::Plain:
      break;
  }
  return text;
}

void Lanes::row(const std::string& margin_text, TaskId task, const std::string& text, Cell::Look look, std::size_t indent) {
  const auto column = std::find(columns_.begin(), columns_.end(), task);
  const std::string name = columns_.empty() ? padded(cut(names_.task(task), name_width_), name_width_) + "  " : "";
  const std::size_t before = columns_.empty() ? 0 : static_cast<std::size_t>(column - columns_.begin()) * column_width_;
  const std::size_t room = column_width_ - kGap - indent;
  const auto lines = look == Cell::Look::Source ? std::vector<std::string>{cut(text, room)} : wrapped(text, room, kDetailIndent);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool first = i == 0 && indent == 0;
    out_ += (i == 0 ? margin_text : no_margin()) + (first || look == Cell::Look::Mark ? name : std::string(name.size(), ' ')) +
            std::string(before + indent, ' ') + looking(lines[i], look) + "\n";
  }
}

void Lanes::draw_step(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  row(margin(index), step.task, phrases_.step(index), Cell::Look::Plain, 0);
  const bool bare = step.operation == OperationKind::ThreadStart || step.operation == OperationKind::ThreadExit;
  const Location location = names_.location_of_step(index);
  const std::string place = bare ? std::string() : names_.place(location);
  if (place.empty() || (place == last_place_ && step.task == last_task_)) return;
  last_place_ = place;
  last_task_ = step.task;
  row(no_margin(), step.task, place, Cell::Look::Plain, kDetailIndent);
  const std::string& source = sources_.line(location.frame.file, location.frame.line);
  if (!source.empty()) row(no_margin(), step.task, source, Cell::Look::Source, kDetailIndent);
}

void Lanes::draw_fold(const Stretch& stretch) {
  std::map<TaskId, std::size_t> counts;
  for (std::size_t i = stretch.first; i < stretch.last; ++i) ++counts[execution_.steps[i].task];
  std::string who;
  for (const auto& [task, count] : counts) who += fmt::format("{}{} {}", who.empty() ? "" : ", ", names_.task(task), count);
  out_ += fmt::format("    …  {}\n", style_.dim(cut(fmt::format("{} left out ({})", counted(stretch.last - stretch.first, "step"), who),
                                                    width_ - kMarginWidth)));
  last_place_.clear();
}

void Lanes::draw_switch(std::size_t index) {
  if (index == 0) return;
  const TaskId before = execution_.steps[index - 1].task, now = execution_.steps[index].task;
  const bool timeout_in_place = before == now && execution_.steps[index].variant == kTimeout;
  if (before == now && !timeout_in_place) return;
  bool preempted = false;
  const std::string text = why_it_stops(index, preempted);
  if (text.empty()) return;
  row(no_margin(), before, text, preempted ? Cell::Look::Mark : Cell::Look::Plain, 0);
  last_place_.clear();
}

std::string Lanes::why_it_stops(std::size_t index, bool& preempted) {
  const StepRecord& step = execution_.steps[index];
  const StepRecord& before = execution_.steps[index - 1];
  const std::string intention = next_intention(before.task, index);
  if ((step.flags & StepFlags::Preemption) != 0) {
    preempted = true;
    if (step.variant == kTimeout) return fmt::format("── time passes for {} ──", names_.task(step.task));
    return fmt::format("── {} is preempted here{} ──", names_.task(before.task),
                       intention.empty() ? "" : ", before it can " + intention);
  }
  if (before.task == step.task || before.operation == OperationKind::ThreadExit || intention.empty()) return {};
  if ((step.flags & StepFlags::Yielded) != 0) return "(gives way)";
  if (before.operation == OperationKind::ConditionWait || before.operation == OperationKind::FutexWait) return "(waits)";
  return fmt::format("(has to wait: can't {} now)", intention);
}

// What a task does at its next step, or was about to do at the end.
std::string Lanes::next_intention(TaskId task, std::size_t from) {
  for (std::size_t i = from; i < execution_.steps.size(); ++i)
    if (execution_.steps[i].task == task) return phrases_.intention(execution_.steps[i].operation, execution_.steps[i].object);
  const PendingRecord* pending = pending_of(execution_, task);
  return pending == nullptr || pending->operation == OperationKind::None ? std::string()
                                                                         : phrases_.intention(pending->operation, pending->object);
}

}  // namespace heddle
