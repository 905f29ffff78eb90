// Puts the page together; see text_page.h.
#include "report/text_page.h"

#include <fmt/format.h>

#include <set>

#include "report/call_stacks.h"
#include "report/columns.h"
#include "report/explain.h"
#include "report/lanes.h"
#include "report/step_selection.h"

namespace heddle {
namespace {

constexpr std::size_t kLeastWidth = 40;
constexpr std::size_t kMostNamesListed = 40;
constexpr std::size_t kMostNameWidth = 40;

class Page {
 public:
  Page(const PageInput& input, const Execution& execution, Names& names, SourceText& sources)
      : input_(input),
        execution_(execution),
        names_(names),
        sources_(sources),
        width_(std::max(input.width, kLeastWidth)) {}

  std::string write() {
    headline();
    heading("What went wrong");
    text(what_went_wrong(input_.kind, input_.message, execution_, names_));
    timeouts();
    who_is_who();
    how_it_came();
    final_state();
    if (input_.stacks) out_ += call_stacks(execution_, names_, input_.style);
    again();
    return std::move(out_);
  }

 private:
  void heading(const char* title) { out_ += "\n" + input_.style.bold(title) + "\n"; }
  void text(const std::string& words) { out_ += paragraph(words, width_, "  ", "  "); }

  void headline() {
    std::string command;
    for (const std::string& word : input_.command) command += (command.empty() ? "" : " ") + shell_quoted(word);
    out_ += input_.style.red(fmt::format("{} in {}", capitalized(name(input_.kind)), command)) + "\n";
    for (const std::string& note : input_.notes) out_ += paragraph("note: " + note, width_);
  }

  void timeouts() {
    const auto fired = timeouts_fired(execution_, names_);
    if (fired.empty()) return;
    text("It needs these waits to time out (time is virtual here: it passes at once):");
    for (const std::string& timeout : fired) out_ += paragraph(timeout, width_, "  - ", "    ");
  }

  // The objects that the page speaks of.
  std::set<ObjectId> mentioned() const {
    std::set<ObjectId> objects;
    for (const Stretch& stretch : select_steps(execution_))
      for (std::size_t i = stretch.first; i < stretch.last && stretch.how == Stretch::How::Shown; ++i)
        objects.insert({execution_.steps[i].object, execution_.steps[i].object2});
    for (const PendingRecord& pending : execution_.pending) objects.insert({pending.object, pending.object2});
    return objects;
  }

  void who_is_who() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const TaskRecord& task : execution_.tasks)
      if (task.task != 0 && rows.size() < kMostNamesListed)
        rows.emplace_back(names_.task(task.task), meaning_of(task.task));
    const std::set<ObjectId> objects = mentioned();
    for (const ObjectRecord& object : execution_.objects) {
      if (object.object_kind == ObjectKind::Thread || objects.count(object.object) == 0) continue;
      const std::string origin = names_.object_origin(object.object);
      rows.emplace_back(names_.object(object.object), origin.empty() ? meaning_of(object.object_kind) : origin);
    }
    list_names(rows);
  }

  void list_names(const std::vector<std::pair<std::string, std::string>>& rows) {
    if (rows.empty()) return;
    heading("Names");
    std::size_t widest = 0;
    for (const auto& [name, meaning] : rows) widest = std::max(widest, std::min(shown_width(name), kMostNameWidth));
    for (std::size_t i = 0; i < rows.size() && i < kMostNamesListed; ++i)
      out_ +=
          paragraph(rows[i].second, width_, "  " + padded(rows[i].first, widest) + "  ", std::string(widest + 4, ' '));
    if (rows.size() > kMostNamesListed) text(fmt::format("… and {} more", rows.size() - kMostNamesListed));
  }

  std::string meaning_of(TaskId task) const {
    const std::string origin = names_.task_origin(task);
    const std::string kind = is_timer(execution_, task) ? "a timer" : "a thread";
    return origin.empty() ? kind : kind + ", " + origin;
  }

  static std::string meaning_of(ObjectKind kind) {
    if (kind == ObjectKind::Once) return "a one-time initialization";
    if (kind == ObjectKind::Memory) return "a variable whose accesses are steps";
    return kind == ObjectKind::Futex ? "a value that threads wait on" : fmt::format("a {}", name(kind));
  }

  void how_it_came() {
    heading("How it came to that");
    const std::string preemptions = execution_.end.preemptions == 0
                                        ? std::string("No thread had to be preempted for this.")
                                        : fmt::format(
                                              "A thread that is \"preempted\" is stopped there although it could go "
                                              "on, as the operating system may "
                                              "do at any moment ({} here).",
                                              counted(execution_.end.preemptions, "preemption"));
    text(
        "Time goes down; only one thread runs at a time. Every step has a number; those that say nothing are left "
        "out. " +
        preemptions);
    out_ += "\n" + Lanes(execution_, names_, sources_, width_, input_.style).draw(failure());
  }

  const char* what_it_did() const {
    const bool round = input_.kind == OutcomeKind::Livelock || input_.kind == OutcomeKind::GoodSamaritan;
    return round ? "goes round" : by_itself() ? "ended the program" : "failed";
  }

  bool stands_still() const { return execution_.end.end == EndKind::Deadlock; }

  // For the end of a column: one line, without the path in front of an assertion (the place stands beside it).
  std::string failure() const {
    if (stands_still() || input_.kind == OutcomeKind::Race || input_.kind == OutcomeKind::Ok) return {};
    const std::string line = input_.message.substr(0, input_.message.find('\n'));
    const auto assertion = line.find("Assertion `");
    return assertion == std::string::npos ? line : line.substr(assertion);
  }

  void final_state() {
    heading("At the end");
    std::size_t told = 0, ended = 0;
    for (const TaskRecord& task : execution_.tasks) {
      const auto index = pending_of_task(task.task);
      const bool quiet = !index && task.task != execution_.end.task;
      if (told >= kMostNamesListed || (quiet && execution_.tasks.size() > kMostNamesListed)) {
        ended += index ? 0 : 1;
        continue;
      }
      ++told;
      out_ += paragraph(state_of(task.task), width_, fmt::format("  {}: ", names_.task(task.task)), "      ");
      if (index) source_of(*index);
    }
    if (told + ended < execution_.tasks.size()) text(fmt::format("… {} more", execution_.tasks.size() - told - ended));
    if (ended != 0) text(fmt::format("{} more have ended", ended));
  }

  std::optional<std::size_t> pending_of_task(TaskId task) const {
    for (std::size_t i = 0; i < execution_.pending.size(); ++i)
      if (execution_.pending[i].task == task) return i;
    return {};
  }

  // Did the program come to its own end: exit(), or a return from main()?
  bool by_itself() const { return execution_.end.end == EndKind::Exited; }

  std::string state_of(TaskId task) {
    const auto index = pending_of_task(task);
    if (!index && is_timer(execution_, task)) return "is not set";
    const bool over = task != execution_.end.task || stands_still();
    if (!index) return over ? "has ended" : by_itself() ? "ended the program" : "was running";
    const PendingRecord& pending = execution_.pending[*index];
    const bool known = pending.site != 0 && pending.operation != OperationKind::ThreadStart;
    const Location location = known ? names_.location_of_pending(*index) : Location();
    const std::string inside = location.through.empty() ? "" : fmt::format(" (in {})", location.through);
    const std::string place = known ? names_.full_place(location) + inside : "";
    const bool failed = pending.task == execution_.end.task && !failure().empty();
    return (failed ? what_it_did() : waiting_for(execution_, *index, names_)) + (place.empty() ? "" : ", at " + place);
  }

  void source_of(std::size_t pending) {
    if (execution_.pending[pending].site == 0 || execution_.pending[pending].operation == OperationKind::ThreadStart)
      return;
    const Location location = names_.location_of_pending(pending);
    const std::string& line = sources_.line(location.frame.file, location.frame.line);
    if (!line.empty()) out_ += "      " + input_.style.dim(cut(line, width_ - 6)) + "\n";
  }

  void again() {
    if (input_.trace_path.empty()) return;
    const std::string path = shell_quoted(input_.trace_path);
    heading("To go on");
    out_ += fmt::format("  heddle replay {}      runs exactly this schedule again\n", path);
    out_ += fmt::format("  heddle run --like={}  after a change: searches again with the same settings\n", path);
  }

  const PageInput& input_;
  const Execution& execution_;
  Names& names_;
  SourceText& sources_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string text_page(const PageInput& input, const Execution& execution, Names& names, SourceText& sources) {
  return Page(input, execution, names, sources).write();
}

}  // namespace heddle
