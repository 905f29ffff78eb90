// See page.h.
#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/interpreter_lock.h"
#include "analysis/old_values.h"
#include "analysis/source_text.h"
#include "analysis/symbolizer.h"
#include "report/aftermath.h"
#include "report/chart.h"
#include "report/explain.h"
#include "report/explain_moment.h"
#include "report/patterns/patterns.h"
#include "report/step_selection.h"
#include "report/story.h"
#include "report/wording.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxThreads = 40;   // whose names and states are told
constexpr std::size_t kMaxStacks = 1000;  // of a longer execution those of the last steps

// Of a page that fits a screen.
constexpr std::size_t kFewItems = 4, kFewFrames = 2, kWidestNames = 30;

void keep_few(std::vector<Prose>& items) {
  if (items.size() <= kFewItems) return;
  const std::size_t more = items.size() - (kFewItems - 1);
  items.resize(kFewItems - 1);
  items.push_back(prose("and {} more", more));
}

// Of each call stack the innermost ones.
void keep_few_frames(Paragraph& paragraph) {
  std::size_t frames = 0;
  std::erase_if(paragraph.lines, [&](const Line& line) {
    frames = line.kind == Line::Kind::Frame ? frames + 1 : 0;
    return frames > kFewFrames;
  });
}

// Names with one meaning are one entry.
void put_together(Glossary& names) {
  std::vector<Glossary::Entry> entries;
  for (Glossary::Entry& entry : names.entries) {
    const auto same = std::find_if(entries.begin(), entries.end(), [&](const Glossary::Entry& other) {
      return other.meaning.text() == entry.meaning.text() && other.name.kind == entry.name.kind &&
             other.name.text.size() < kWidestNames;
    });
    if (same == entries.end())
      entries.push_back(std::move(entry));
    else
      same->name.text += ", " + entry.name.text;
  }
  constexpr std::size_t kFewNames = 8;
  if (const std::size_t all = entries.size(); all > kFewNames) {
    entries.resize(kFewNames - 1);
    entries.push_back({{SpanKind::Plain, "…"}, prose("and {} more", all - (kFewNames - 1))});
  }
  names.entries = std::move(entries);
}

class PageBuilder {
 public:
  PageBuilder(const PageInput& input, const Execution& execution, Names& names, SourceText& sources)
      : input_(input), execution_(execution), names_(names), sources_(sources), told_steps_(steps_told()) {}

  Document build();

 private:
  using Blocks = std::vector<Block>;
  struct SectionEntry {
    const char* id;
    const char* title;
    Blocks (PageBuilder::*blocks)();  // none: the section is left out
  };
  static const SectionEntry kSections[];

  Blocks what_went_wrong();
  Blocks who_is_who();
  Blocks how_it_came();
  Prose left_out_services();
  Blocks final_state();
  Blocks final_state_in_brief();
  Blocks stacks();
  Blocks again();

  Prose headline() const;
  bool brief() const { return input_.detail == Detail::Brief; }
  std::optional<std::uint32_t> decisive_step() const;
  std::size_t steps_told();
  std::vector<Stretch> shown_steps() const;
  std::set<ObjectId> mentioned() const;
  std::set<TaskId> taking_part() const;
  Prose meaning_of(TaskId task) const;
  bool hangs() const { return execution_.end.end == EndKind::Deadlock; }
  // Did the program come to its own end: exit(), or a return from main()?
  bool by_itself() const { return execution_.end.end == EndKind::Exited; }
  const char* what_it_did() const;
  std::string failure() const;
  std::optional<std::size_t> pending_of_task(TaskId task) const;
  Prose state_of(TaskId task);
  std::string source_of(std::size_t pending);

  const PageInput& input_;
  const Execution& execution_;
  Names& names_;
  SourceText& sources_;
  std::size_t told_steps_;  // of a brief page: without what comes after the failure
};

// In the order in which they are read.
constexpr PageBuilder::SectionEntry PageBuilder::kSections[] = {
    {"what-went-wrong", "What went wrong", &PageBuilder::what_went_wrong},
    {"names", "Names", &PageBuilder::who_is_who},
    {"how-it-came", "How it came to that", &PageBuilder::how_it_came},
    {"at-the-end", "At the end", &PageBuilder::final_state},
    {"call-stacks", "Call stacks", &PageBuilder::stacks},
    {"to-go-on", "To go on", &PageBuilder::again},
};

Document PageBuilder::build() {
  Document document{headline(), input_.notes, {}};
  for (const SectionEntry& entry : kSections)
    if (Blocks blocks = (this->*entry.blocks)(); !blocks.empty())
      document.sections.push_back({entry.id, entry.title, std::move(blocks)});
  return document;
}

Prose PageBuilder::headline() const {
  std::string command;
  for (const std::string& word : input_.command) command += (command.empty() ? "" : " ") + shell_quoted(word);
  return prose("{} in {}", capitalized(name(input_.kind)), Span{SpanKind::Command, command});
}

PageBuilder::Blocks PageBuilder::what_went_wrong() {
  Blocks blocks;
  const auto pattern = recognize_pattern(input_.kind, execution_, names_);
  if (pattern) {
    Paragraph paragraph;
    paragraph.add(prose("{}: {}", capitalized(pattern->name), pattern->text));
    blocks.emplace_back(std::move(paragraph));
  }
  if (!input_.repair.empty()) {
    Paragraph paragraph;
    paragraph.add(prose("Repair: {}", input_.repair));
    blocks.emplace_back(std::move(paragraph));
  }
  Paragraph facts = heddle::what_went_wrong(input_.kind, input_.message, execution_, names_);
  if (brief()) keep_few_frames(facts);
  blocks.emplace_back(std::move(facts));
  if (WaitGraph graph = wait_graph(execution_, names_); !graph.edges.empty()) blocks.emplace_back(std::move(graph));
  if (!brief() || !pattern)  // a pattern says what matters of the signals
    if (Paragraph signals = last_signals(input_.kind, execution_, names_); !signals.lines.empty())
      blocks.emplace_back(std::move(signals));
  const auto add = [&](const char* words, std::vector<Prose> what) {
    if (what.empty()) return;
    if (brief()) keep_few(what);
    Paragraph heading;
    heading.add(words);
    blocks.emplace_back(std::move(heading));
    blocks.emplace_back(Bullets{std::move(what)});
  };
  add("It needs these waits to time out (time is virtual here: it passes at once):",
      timeouts_fired(input_.kind, execution_, names_));
  add("It needs a thread that is delayed, as on a busy machine (time is virtual here, the delay takes none):",
      slow_threads(input_.kind, execution_, names_));
  if (Paragraph moment = when_it_became_likely(input_.moment, execution_, names_); !moment.lines.empty())
    blocks.emplace_back(std::move(moment));
  return blocks;
}

std::optional<std::uint32_t> PageBuilder::decisive_step() const {
  const auto decisive = input_.moment.decisive(execution_.steps);
  return decisive ? std::optional(decisive->step) : std::nullopt;
}

std::size_t PageBuilder::steps_told() {
  std::size_t told = execution_.steps.size();
  if (!brief()) return told;
  told = steps_before_aftermath(input_.kind, input_.message, execution_, names_);
  for (const std::uint32_t step : steps_named(input_.moment, execution_)) told = std::max<std::size_t>(told, step + 1);
  return std::min(told, execution_.steps.size());
}

// The one that the words on the memory order are about.
void add_last_old_value(const Execution& execution, std::vector<std::uint32_t>& steps) {
  const std::vector<OldValue> all = old_values(execution);
  if (all.empty()) return;
  const OldValue& last = all.back();
  for (const std::size_t step : {last.step, last.missed, last.read.value_or(last.step)})
    steps.push_back(static_cast<std::uint32_t>(step));
}

std::vector<Stretch> PageBuilder::shown_steps() const {
  std::vector<std::uint32_t> always = steps_named(input_.moment, execution_);
  if (!brief()) add_last_old_value(execution_, always);
  std::vector<Stretch> shown = select_steps(execution_, always, input_.detail);
  std::erase_if(shown, [this](const Stretch& stretch) { return stretch.first >= told_steps_; });
  if (!shown.empty()) shown.back().last = std::min(shown.back().last, told_steps_);
  return shown;
}

// The threads that the story is about.
std::set<TaskId> PageBuilder::taking_part() const {
  std::set<TaskId> tasks{execution_.end.task};
  for (const Stretch& stretch : shown_steps())
    for (std::size_t i = stretch.first; i < stretch.last && stretch.how == Stretch::How::Shown; ++i)
      tasks.insert(execution_.steps[i].task);
  for (const PendingRecord& pending : execution_.pending) tasks.insert(pending.task);
  for (const ExecutionRace& race : execution_.races) tasks.insert({race.earlier.task, race.later.task});
  return tasks;
}

// The objects that the page speaks of.
std::set<ObjectId> PageBuilder::mentioned() const {
  std::set<ObjectId> objects;
  for (const Stretch& stretch : shown_steps())
    for (std::size_t i = stretch.first; i < stretch.last && stretch.how == Stretch::How::Shown; ++i)
      objects.insert({execution_.steps[i].object, execution_.steps[i].object2});
  for (const PendingRecord& pending : execution_.pending) objects.insert({pending.object, pending.object2});
  std::erase_if(objects, [this](ObjectId object) { return is_wait_of_script(execution_, object); });
  return objects;
}

std::string meaning_of(ObjectKind kind) {
  if (kind == ObjectKind::Once) return "a one-time initialization";
  if (kind == ObjectKind::Memory) return "a variable whose accesses are steps";
  return kind == ObjectKind::Futex ? "a value that threads wait on" : fmt::format("a {}", name(kind));
}

Prose PageBuilder::meaning_of(TaskId task) const {
  const Prose origin = names_.task_origin(task);
  const char* kind = is_timer(execution_, task) ? "a timer" : "a thread";
  return origin.empty() ? Prose(kind) : prose("{}, {}", kind, origin);
}

PageBuilder::Blocks PageBuilder::who_is_who() {
  Glossary names;
  const std::set<TaskId> tasks = taking_part();
  for (const TaskRecord& task : execution_.tasks)
    if (task.task != 0 && names.entries.size() < kMaxThreads && (!brief() || tasks.count(task.task) != 0))
      names.entries.push_back({names_.task(task.task), meaning_of(task.task)});
  const std::set<ObjectId> objects = mentioned();
  for (const ObjectRecord& object : execution_.objects) {
    if (object.object_kind == ObjectKind::Thread || objects.count(object.object) == 0) continue;
    // What stands for accesses that are not seen is no variable of the program.
    if (object.object_kind == ObjectKind::Memory && names_.object(object.object).text == kLocksOfItsOwn) continue;
    const Prose origin = names_.object_origin(object.object);
    if (brief() && origin.empty()) continue;  // what was done with it says what it is
    names.entries.push_back(
        {names_.object(object.object), origin.empty() ? Prose(heddle::meaning_of(object.object_kind)) : origin});
  }
  if (brief()) put_together(names);
  if (names.entries.empty()) return {};
  return {std::move(names)};
}

// "Steps of ticker are left out: it only ticks." Those that the page speaks of are told.
Prose PageBuilder::left_out_services() {
  const std::set<TaskId> services = services_of(execution_);
  if (services.empty()) return {};
  return prose("Steps of {} are left out: {}.", listed({services.begin(), services.end()}, names_),
               services.size() == 1 ? "it only ticks" : "they only tick");
}

PageBuilder::Blocks PageBuilder::how_it_came() {
  Chart chart = ChartBuilder(execution_, shown_steps(), names_, sources_).build(failure());
  if (brief()) {
    Paragraph how_to_read;
    const bool preempts = execution_.end.preemptions != 0;
    how_to_read.add(fmt::format("Time goes down; only one thread runs at a time. {}",
                                preempts ? "There " + std::string(execution_.end.preemptions == 1 ? "is " : "are ") +
                                               counted(execution_.end.preemptions, "preemption") +
                                               ", as an operating system may make one at any moment."
                                         : "No thread had to be preempted."));
    Story story = story_of(chart, decisive_step(), steps_named(input_.moment, execution_));
    if (const auto decisive = input_.moment.decisive(execution_.steps)) story.mark = what_it_does(*decisive);
    if (told_steps_ < execution_.steps.size()) add_aftermath(story, execution_.steps.size() - told_steps_);
    how_to_read.add(left_out_services());
    return {std::move(how_to_read), std::move(story)};
  }
  const std::string preemptions =
      execution_.end.preemptions == 0
          ? std::string("No thread had to be preempted for this.")
          : fmt::format(
                "A thread that is \"preempted\" is stopped there although it could go on, as the operating "
                "system may do at any moment ({} here).",
                counted(execution_.end.preemptions, "preemption"));
  Paragraph how_to_read;
  how_to_read.add(
      "Time goes down; only one thread runs at a time. Every step has a number; those that say nothing "
      "are left out. " +
      preemptions);
  how_to_read.add(left_out_services());
  return {std::move(how_to_read), std::move(chart)};
}

const char* PageBuilder::what_it_did() const {
  const bool round = input_.kind == OutcomeKind::Livelock || input_.kind == OutcomeKind::GoodSamaritan;
  return round ? "goes round" : by_itself() ? "ended the program" : "failed";
}

// For the end of a lane: one line, without the path in front of an assertion (the place stands beside it).
std::string PageBuilder::failure() const {
  if (hangs() || is_of_accesses(input_.kind) || input_.kind == OutcomeKind::Ok) return {};
  const std::string line = input_.message.substr(0, input_.message.find('\n'));
  const auto assertion = line.find("Assertion `");
  return assertion == std::string::npos ? line : line.substr(assertion);
}

// Where the others stand; who stands still for ever was told already.
PageBuilder::Blocks PageBuilder::final_state_in_brief() {
  if (hangs() || is_of_accesses(input_.kind)) return {};
  Bullets states;
  for (std::size_t i = 0; i < execution_.pending.size(); ++i) {
    const PendingRecord& pending = execution_.pending[i];
    if (pending.task == execution_.end.task || pending.operation == OperationKind::TimerExpire) continue;
    states.items.push_back(prose("{} {}", names_.task(pending.task), state_of(pending.task)));
  }
  if (states.items.empty()) return {};
  keep_few(states.items);
  return {std::move(states)};
}

PageBuilder::Blocks PageBuilder::final_state() {
  if (brief()) return final_state_in_brief();
  States states;
  std::size_t ended = 0;
  for (const TaskRecord& task : execution_.tasks) {
    const auto index = pending_of_task(task.task);
    const bool quiet = !index && task.task != execution_.end.task;
    if (states.entries.size() >= kMaxThreads || (quiet && execution_.tasks.size() > kMaxThreads)) {
      ended += index ? 0 : 1;
      continue;
    }
    Prose state = state_of(task.task);
    states.entries.push_back({names_.task(task.task), std::move(state), index ? source_of(*index) : std::string()});
  }
  const std::size_t told = states.entries.size();
  Blocks blocks{std::move(states)};
  Paragraph more;
  if (told + ended < execution_.tasks.size()) more.add(prose("… {} more", execution_.tasks.size() - told - ended));
  if (ended != 0) more.add(prose("{} more have ended", ended));
  if (!more.lines.empty()) blocks.emplace_back(std::move(more));
  return blocks;
}

std::optional<std::size_t> PageBuilder::pending_of_task(TaskId task) const {
  for (std::size_t i = 0; i < execution_.pending.size(); ++i)
    if (execution_.pending[i].task == task) return i;
  return {};
}

Prose PageBuilder::state_of(TaskId task) {
  const auto index = pending_of_task(task);
  if (!index && is_timer(execution_, task)) return "is not set";
  const bool over = task != execution_.end.task || hangs();
  if (!index) return over ? "has ended" : by_itself() ? "ended the program" : "was running";
  const PendingRecord& pending = execution_.pending[*index];
  const bool failed = pending.task == execution_.end.task && !failure().empty();
  Prose state = failed ? Prose(what_it_did()) : waiting_for(execution_, *index, names_);
  if (pending.site == 0 || pending.operation == OperationKind::ThreadStart) return state;
  const Location location = names_.places().of_pending(*index);
  const Prose inside = location.through.empty() ? Prose() : prose(" (in {})", call_span(location.through));
  return prose("{}, at {}{}", state, names_.places().full_name(location), inside);
}

std::string PageBuilder::source_of(std::size_t pending) {
  if (execution_.pending[pending].site == 0 || execution_.pending[pending].operation == OperationKind::ThreadStart)
    return {};
  const Location location = names_.places().of_pending(pending);
  return sources_.line(location.frame.file, location.frame.line);
}

PageBuilder::Blocks PageBuilder::stacks() {
  if (!input_.stacks) return {};
  CallStacks result;
  const std::size_t count = std::min(execution_.stacks.size(), execution_.steps.size());
  const std::size_t first = count > kMaxStacks ? count - kMaxStacks : 0;
  if (count == 0)
    result.note = "None were recorded: the bug did not come again when it was run in a fresh process.";
  else if (first != 0)
    result.note = prose("… those of the first {} are left out", counted(first, "step"));
  Phrases phrases(execution_, names_);
  for (std::size_t i = first; i < count; ++i)
    result.entries.push_back(
        {prose("step {}, {}: {}", step_span(i), names_.task(execution_.steps[i].task), phrases.step(i)),
         names_.places().frames_of_stack(execution_.stacks[i])});
  return {std::move(result)};
}

PageBuilder::Blocks PageBuilder::again() {
  if (input_.trace_path.empty()) return {};
  const std::string path = shell_quoted(input_.trace_path);
  Commands commands{
      {{{SpanKind::Command, "heddle replay " + path}, "runs exactly this schedule again"},
       {{SpanKind::Command, "heddle debug " + path}, "the same in gdb, forward and back"},
       {{SpanKind::Command, "heddle run --like=" + path}, "after a change: searches again with the same settings"}}};
  if (brief())
    commands.entries.push_back(
        {{SpanKind::Command, "heddle show --full " + path}, "every step that matters, and the source lines"});
  return {std::move(commands)};
}

}  // namespace

Document make_page(const PageInput& input, const Execution& execution, Names& names, SourceText& sources) {
  return PageBuilder(input, execution, names, sources).build();
}

}  // namespace heddle
