// The table of options; see options.h. Defaults are those of Settings and RunOptions and stand nowhere else.
#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/values.h"
#include "driver/target/declared_services.h"
#include "trace/words.h"

namespace heddle::cli {
namespace {

using Set = std::function<std::string(Settings&, const std::string&)>;
using Get = std::function<std::string(const Settings&)>;
struct Access {
  Set set;
  Get get;
};

constexpr std::uint64_t kMaxBound = 1000;
constexpr std::uint64_t kMaxSteps = 16'000'000;
constexpr std::uint64_t kMaxWorkers = 1024;
constexpr std::uint64_t kMinMemory = std::uint64_t{16} << 20;
constexpr std::uint64_t kMinWorkerMemory = std::uint64_t{256} << 20;  // Heddle takes some of it
constexpr std::uint64_t kMaxChecked = 1'000'000;
constexpr double kMaxTime_s = 30.0 * 24 * 3600;

template <typename Number>
std::string set_number(Number& target, const std::string& text, std::uint64_t least, std::uint64_t most) {
  const auto value = parse_number(text);
  if (!value || *value < least || *value > most)
    return fmt::format("\"{}\" is not a whole number from {} to {}", text, least, most);
  target = static_cast<Number>(*value);
  return {};
}

template <typename Number>
Access number(Number RunOptions::*member, std::uint64_t least, std::uint64_t most) {
  return {[=](Settings& s, const std::string& text) { return set_number(s.run.*member, text, least, most); },
          [=](const Settings& s) { return std::to_string(s.run.*member); }};
}

template <typename Number>
Access number(std::optional<Number> RunOptions::*member, std::uint64_t least, std::uint64_t most) {
  return {[=](Settings& s, const std::string& text) {
            Number value = 0;
            std::string error = set_number(value, text, least, most);
            if (error.empty()) s.run.*member = value;
            return error;
          },
          [=](const Settings& s) { return s.run.*member ? std::to_string(*(s.run.*member)) : std::string(); }};
}

// 0: not given.
Access count(unsigned RunOptions::*member, std::uint64_t most) {
  return {[=](Settings& s, const std::string& text) { return set_number(s.run.*member, text, 1, most); },
          [=](const Settings& s) { return s.run.*member == 0 ? std::string() : std::to_string(s.run.*member); }};
}

Access seconds(double RunOptions::*member, double least) {
  return {[=](Settings& s, const std::string& text) -> std::string {
            const auto value = parse_seconds(text);
            if (!value || *value < least || *value > kMaxTime_s)
              return fmt::format("\"{}\" is not a time from {} to 720h (write 500ms, 60s, 5m or 1h)", text,
                                 format_seconds(least));
            s.run.*member = *value;
            return {};
          },
          [=](const Settings& s) { return format_seconds(s.run.*member); }};
}

Access minimize() {
  const Access time = seconds(&RunOptions::minimize_s, 0.001);
  return {[set = time.set](Settings& s, const std::string& text) -> std::string {
            if (text != "no") return set(s, text);
            s.run.minimize_s = 0;
            return {};
          },
          [](const Settings& s) {
            if (s.run.minimize_s < 0) return std::string();
            return s.run.minimize_s == 0 ? std::string("no") : format_seconds(s.run.minimize_s);
          }};
}

Access bytes(std::uint64_t RunOptions::*member) {
  return {[=](Settings& s, const std::string& text) -> std::string {
            const auto value = parse_bytes(text);
            if (!value || *value < kMinMemory)
              return fmt::format("\"{}\" is not an amount of memory of at least 16M (write 500M or 4G)", text);
            s.run.*member = *value;
            return {};
          },
          [=](const Settings& s) { return s.run.*member == 0 ? std::string() : format_bytes(s.run.*member); }};
}

template <typename Value>
using Words = std::vector<std::pair<const char*, Value>>;
// Those of traces and reports.
template <typename Value, std::size_t kCount>
Words<Value> from_table(const Word<Value> (&table)[kCount]) {
  Words<Value> words;
  for (const Word<Value>& one : table) words.emplace_back(one.text.data(), one.value);
  return words;
}

template <typename Owner, typename Value>
Access word(Owner owner, Value member, auto words) {
  return {[=](Settings& s, const std::string& text) -> std::string {
            std::string known;
            for (const auto& [name, value] : words) {
              if (text == name) return owner(s).*member = value, std::string();
              known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
            }
            return fmt::format("\"{}\" is none of: {}", text, known);
          },
          [=](const Settings& s) -> std::string {
            for (const auto& [name, value] : words)
              if (owner(const_cast<Settings&>(s)).*member == value) return name;
            return {};
          }};
}

RunOptions& run_part(Settings& settings) { return settings.run; }
Settings& whole(Settings& settings) { return settings; }

template <typename Value>
Access run_word(Value RunOptions::*member, Words<Value> words) {
  return word(run_part, member, std::move(words));
}

// A memory model; or, as it was written once, the limit of memory.
Access memory() {
  const Access model = run_word(&RunOptions::memory, from_table(kMemoryModelWords)),
               limit = bytes(&RunOptions::memory_bytes);
  return {
      [=](Settings& s, const std::string& text) { return parse_bytes(text) ? limit.set(s, text) : model.set(s, text); },
      model.get};
}

template <typename Owner>
Access text(Owner owner, auto member, const char* what) {
  return {[=](Settings& s, const std::string& value) -> std::string {
            if (value.empty()) return fmt::format("{} is empty", what);
            owner(s).*member = value;
            return {};
          },
          [=](const Settings& s) { return owner(const_cast<Settings&>(s)).*member; }};
}

template <typename Owner>
Access flag(Owner owner, auto member) {
  return {
      [=](Settings& s, const std::string&) { return owner(s).*member = true, std::string(); },
      [=](const Settings& s) { return owner(const_cast<Settings&>(s)).*member ? std::string("yes") : std::string(); }};
}

// To be told from what else gives no verdict.
Access skip_status() {
  return {[](Settings& s, const std::string& text) {
            unsigned value = 0;
            std::string error = set_number(value, text, 0, 255);
            if (error.empty()) s.skip_status = value;
            return error;
          },
          [](const Settings& s) { return s.skip_status ? std::to_string(*s.skip_status) : std::string(); }};
}

Access ok_exit() {
  return {[](Settings& s, const std::string& value) -> std::string {
            const auto statuses = parse_statuses(value);
            if (!statuses)
              return fmt::format("\"{}\" is not a list of exit statuses from 0 to 255, such as 0,77", value);
            s.run.ok_exit = *statuses;
            return {};
          },
          [](const Settings& s) { return format_statuses(s.run.ok_exit); }};
}

using R = RunOptions;

Access no_preempt() {
  return {[](Settings& s, const std::string& value) {
            NoPreemptRules read = parse_no_preempt(value);
            if (read.error.empty()) s.run.no_preempt = std::move(read.rules);
            return read.error;
          },
          [](const Settings& s) {
            std::string result;
            for (const NoPreemptRule& rule : s.run.no_preempt) result += (result.empty() ? "" : ",") + text_of(rule);
            return result;
          }};
}

// "tick,poll": names of functions or threads.
Access services() {
  return {[](Settings& s, const std::string& value) -> std::string {
            for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
              to = value.find(',', from);
              const std::string name = value.substr(from, to == std::string::npos ? to : to - from);
              if (name.empty()) return "a name of a function is empty";
              s.run.spins.push_back(declared_service(name));
            }
            return {};
          },
          [](const Settings& s) {
            std::string result;
            for (const SpinLoop& loop : s.run.spins)
              if (is_name_of_service(loop)) result += (result.empty() ? "" : ",") + loop.place.file;
            return result;
          }};
}

// Given, it is what the user wants, even if it is the default.
Access max_steps() {
  Access access = number(&R::max_steps, 1, kMaxSteps);
  access.set = [set = access.set](Settings& s, const std::string& value) {
    s.run.max_steps_given = true;
    return set(s, value);
  };
  return access;
}

Access races() {
  Access access = run_word(
      &R::races, Words<RaceMode>{{"bug", RaceMode::Bug}, {"report", RaceMode::Report}, {"ignore", RaceMode::Ignore}});
  access.set = [set = access.set](Settings& s, const std::string& value) {
    std::string error = set(s, value);
    s.run.races_asked_for = s.run.races != RaceMode::Ignore;
    return error;
  };
  return access;
}

// One group of the table.
class Group {
 public:
  Group(std::vector<Option>& table, const char* name) : table_(table), name_(name) {}
  void operator()(unsigned commands, const char* name, const char* value, bool repeat, Access access, const char* help,
                  bool is_list = false) const {
    table_.push_back(
        {commands, name_, name, value, help, repeat, std::move(access.set), std::move(access.get), is_list});
  }

 private:
  std::vector<Option>& table_;
  const char* name_;
};

// One of several words, given as "none|states|all"; empty: it is none of them.
std::string word_error(std::string_view words, const std::string& text) {
  std::string known;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('|', begin), words.size());
    const std::string_view known_word = words.substr(begin, end - begin);
    if (known_word == text) return {};
    known += fmt::format("{}{}", known.empty() ? "" : ", ", known_word);
    begin = end + 1;
  }
  return fmt::format("\"{}\" is none of: {}", text, known);
}

// What --monitor can name: all but the race detector, which --races is for.
struct MonitorWord {
  std::string_view word, says;
  MonitorSet set;
};
#define HEDDLE_WORD(name, word, says) {word, says, set_of(MonitorKind::name)},
constexpr MonitorWord kMonitorWords[] = {HEDDLE_MONITORS(HEDDLE_WORD)};
#undef HEDDLE_WORD

// `text` of each that can be named, with `between` between them.
template <typename Text>
std::string monitor_list(const char* between, Text text) {
  std::string all;
  for (const MonitorWord& monitor : kMonitorWords)
    if (monitor.set != set_of(MonitorKind::Races) && !text(monitor).empty())
      all += (all.empty() ? "" : between) + text(monitor);
  return all;
}

const char* monitor_help() {
  static const std::string help =
      "watch the schedules for something else as well: " +
      monitor_list("; ", [](const MonitorWord& monitor) { return fmt::format("{}: {}", monitor.word, monitor.says); });
  return help.c_str();
}

Access monitors() {
  return {[](Settings& s, const std::string& text) -> std::string {
            const auto known = [](const char* between) {
              return monitor_list(between, [](const MonitorWord& monitor) { return std::string(monitor.word); });
            };
            s.run.monitors = 0;
            for (std::size_t begin = 0; begin <= text.size();) {
              const std::size_t end = std::min(text.find(',', begin), text.size());
              const std::string word = text.substr(begin, end - begin);
              if (std::string error = word_error(known("|"), word); !error.empty()) return error;
              for (const MonitorWord& monitor : kMonitorWords)
                if (monitor.word == word) s.run.monitors |= monitor.set;
              begin = end + 1;
            }
            return {};
          },
          [](const Settings& s) {
            return monitor_list(",", [&](const MonitorWord& monitor) {
              return std::string((s.run.monitors & monitor.set) != 0 ? monitor.word : "");
            });
          }};
}

Access search(const char* names) {
  return {[=](Settings& s, const std::string& text) {
            std::string error = word_error(names, text);
            if (error.empty()) s.run.search = text;
            return error;
          },
          [](const Settings& s) { return s.run.search; }};
}

Access own_option(const StrategyEntry& entry, const StrategyOption& option) {
  return {[&option](Settings& s, const std::string& text) {
            std::uint64_t number = 0;
            std::string error;
            if (option.is_number())
              error = set_number(number, text, 0, option.greatest);
            else if (!option.is_text())
              error = word_error(option.value, text);
            else if (option.check != nullptr)
              error = option.check(text);
            if (error.empty()) s.run.search_options[option.name] = option.is_number() ? std::to_string(number) : text;
            return error;
          },
          [&](const Settings& s) { return entry.value(s.run.search_options, option.name); }};
}

// All that the strategies say of themselves.
void add_strategies(const Group& add) {
  static std::string names, help;
  for (const StrategyEntry& entry : strategies()) {
    names += fmt::format("{}{}", names.empty() ? "" : "|", entry.name);
    help += fmt::format("{}{}: {}", help.empty() ? "" : "; ", entry.name, entry.help);
  }
  add(For::Run, "--search", names.c_str(), true, search(names.c_str()), help.c_str());
  for (const StrategyEntry& entry : strategies())
    for (const StrategyOption& option : entry.options)
      add(For::Run, option.name, option.value, true, own_option(entry, option), option.help);
}

void add_memory(const Group& add) {
  add(For::Run, "--memory", "sc|tso|rc11", true, memory(),
      "which values may an atomic load read, in programs that were built with heddle-cc? sc: the newest; tso: what x86 "
      "allows; rc11: what the C++ memory orders allow");
  add(For::Run, "--max-stale", "N", true, number(&R::max_stale, 0, kMaxBound),
      "with --memory=tso or rc11, up to N atomic accesses per execution read an old value, or stand before a newer "
      "store");
  add(For::Run, "--report-non-sc", "", true, flag(run_part, &R::report_non_sc),
      "with --memory=tso or rc11, name the places where an execution was not sequentially consistent, though nothing "
      "failed; each pair of places once");
  add(For::Run, "--relax", "", true, flag(run_part, &R::relax),
      "with --memory=tso or rc11, where nothing fails: name memory orders that could be weaker, so that every schedule "
      "with at most 2 preemptions still passes");
}

void add_services(const Group& add) {
  add(For::Run, "--service", "FUNCTION", true, services(),
      "threads that only tick or poll there, and let no other thread go on: where only they can, the others are in a "
      "deadlock, and their next wake-up is no free choice; a thread's own name will do, too; may be given several "
      "times; none: no thread counts so only because a long schedule has shown it",
      true);
}

void add_search(const Group& add) {
  add_memory(add);
  add_strategies(add);
  add(For::Run, "--max-schedules", "N", true, number(&R::max_schedules, 1, UINT64_MAX), "stop after N schedules");
  add(For::Run, "--max-steps", "N", true, max_steps(),
      "an execution that takes more steps is cut off, and a warning says so; not given, it is raised up to 2000000 "
      "where "
      "steps are cheap and executions come to their end with it, and lowered where the program never seems to end");
  add(For::Run, "--time", "TIME", true, seconds(&R::time_s, 0.001),
      "stop after this time: 500ms, 60s, 5m, 1h (heddle test, farm test: for all tests, 10m by default)");
  add(For::Run | For::Replay, "--execution-timeout", "TIME", true, seconds(&R::execution_timeout_s, 0.01),
      "give up a schedule that takes longer than this");
  add(For::Run, "--seed", "N", true, number(&R::seed, 0, UINT64_MAX), "where random choices start");
  add(For::Run, "--spurious-wakeups", "N", true, number(&R::spurious_wakeups, 0, kMaxBound),
      "let up to N waits per execution wake up for no reason");
  add(For::Run, "--timeouts", "early|late|ordered", true, run_word(&R::timeouts, from_table(kTimeoutsWords)),
      "when may a wait end by its time? early: also while other threads could still run, and a thread may be a second "
      "late where it reads a clock; each counts as a preemption. late: when no thread can go on. ordered: then, and in "
      "the order of the deadlines, for tests that rely on sleeps");
  add(For::Run, "--early-timeouts", "yes|no", false,
      run_word(&R::timeouts, Words<Timeouts>{{"yes", Timeouts::Early}, {"no", Timeouts::Late}}),
      "the older name of --timeouts=early and --timeouts=late");
  add(For::Run, "--no-preempt", "PLACE", true, no_preempt(),
      "bounded search: don't preempt threads at PLACE, which is function:NAME, file:GLOB or library:GLOB; may be given "
      "several times. Where a thread there has to wait, others go on",
      true);
  add(For::Run, "--minimize", "TIME|no", true, minimize(),
      "so long a bug's schedule is made smaller before it is reported (default: a quarter of the time so far, from 1 s "
      "to 10 s)");
  add(For::Run, "--keep-going", "", true, flag(run_part, &R::keep_going),
      "go on after a bug and collect distinct ones (same kind and same place are one)");
  add(For::Run, "--timing-bugs", "pass|fail", false,
      word(whole, &Settings::timing_bugs, Words<TimingBugs>{{"pass", TimingBugs::Pass}, {"fail", TimingBugs::Fail}}),
      "a failed check needs only time if it comes only where a wait ends out of the order of the deadlines; a second "
      "search with --timeouts=ordered finds that out. pass: such a bug is reported, and the status is 0");
  add(For::Run, "--samaritan", "warn|bug", true,
      run_word(&R::samaritan, Words<SamaritanMode>{{"warn", SamaritanMode::Warn}, {"bug", SamaritanMode::Bug}}),
      "a thread goes round without yielding, while others that could go on wait: warn: it counts as yielding there "
      "from "
      "then on, the search begins anew, and a warning names the place; bug: it is a bug, where it is proved");
  add(For::Run, "--races", "bug|report|ignore", true, races(),
      "data races, in programs that were built with heddle-cc: bug: each pair of lines is a bug, and the search goes "
      "on; report: they are reported, but are no bugs; ignore: they are not looked for, which is faster");
  add(For::Run | For::Replay, "--monitor", "NAME,…", false, monitors(), monitor_help());
  add(For::Run, "--suppressions", "FILE", true, text(run_part, &R::suppressions, "the name of the file"),
      "data races that are not reported, in the format of ThreadSanitizer: lines such as race:FUNCTION, race:FILE, "
      "race:VARIABLE, with * for any text");
  add(For::Run, "--benign", "NAMES", true, text(run_part, &R::benign, "the names of variables"),
      "variables on which data races do no harm: stats.hits,counter; * stands for any text. Such races are not "
      "reported, "
      "and their places are no scheduling points");
  add(For::Run, "--require-bound", "N", true, number(&R::require_bound, 0, kMaxBound),
      "end with status 3 unless every schedule with at most N preemptions was run, as the line Proved: says it (fair "
      "ones, where threads yield)");
  add(For::Run, "--determinism-check", "N", true, number(&R::determinism_check, 0, kMaxChecked),
      "run the first N schedules twice and say where the program does not do the same again; 0: none");
  add(For::Run, "--prime", "N", true, number(&R::prime, 0, kMaxBound),
      "when the first two runs of the first schedule differ, run it up to N times more, until two in a row are alike: "
      "what a program makes once, outside its memory, is there then");
  add(For::Run, "--regressions", "yes|no", false,
      word(whole, &Settings::regressions,
           Words<TryRegressions>{{"yes", TryRegressions::Yes}, {"no", TryRegressions::No}}),
      "yes: before the search, try the schedules that heddle add has kept of this program with these arguments; no: "
      "leave them out");
  add(For::Run, "--like", "TRACE", false, text(whole, &Settings::like, "the name of the trace"),
      "repeat the search that found TRACE: same program, arguments and settings; options given beside it win");
}

void add_orders(const Group& add) {
  add(For::Run, "--orders", "FILE", true, text(run_part, &R::orders_file, "the name of the file"),
      "orders of statements: learn them from each good run, and add them to FILE when no bug was found; those in FILE "
      "count as seen; with --priority=hapset, new ones come first; heddle orders FILE lists them");
  add(For::Run, "--context", "N", true, number(&R::context, 1, 100),
      "orders of statements (hapset, --orders): the same line is another statement where other functions call it, as "
      "far as N functions of the call stack tell, its own included; with more than 1, call stacks are recorded (for "
      "--priority=./FILE.so, too), which makes schedules several times slower");
}

void add_resume(const Group& add) {
  add(For::Run, "--resume", "", false, flag(run_part, &R::resume),
      "go on with the search of this program that was interrupted, stopped or killed: same program, arguments and "
      "search options; nothing that was kept is run twice, and the bugs found before are reported again");
  add(For::Run, "--save-every", "TIME", false, seconds(&R::save_every_s, 0),
      "how often the search is written to heddle-out/PROGRAM.state (DIR.state with -o DIR) for --resume; less often "
      "when that would take more than 4 % of the time; 0: never");
}

void add_control(const Group& add) {
  add(For::Run | For::Replay, "--carrier", "fiber|thread", true, run_word(&R::carrier, from_table(kCarrierWords)),
      "fiber: all threads of the program on one kernel thread (fast); thread: each on its own");
  add(For::Run, "--isolation", "auto|snapshot|fork|exec", true,
      run_word(&R::isolation, Words<IsolationChoice>{{"auto", IsolationChoice::Auto},
                                                     {"snapshot", IsolationChoice::Snapshot},
                                                     {"fork", IsolationChoice::Fork},
                                                     {"exec", IsolationChoice::Exec}}),
      "what makes every execution start alike: memory is restored as it was at the first thread creation, a process is "
      "forked there, or the program is started afresh; auto takes the cheapest that undoes what the program does");
  add(For::Run, "--checkpoints", "auto|never|always", true,
      run_word(&R::checkpoints, Words<CheckpointChoice>{{"auto", CheckpointChoice::Auto},
                                                        {"never", CheckpointChoice::Never},
                                                        {"always", CheckpointChoice::Always}}),
      "under snapshot isolation, schedules may go on from a point of an earlier one; auto: where that saves time; "
      "never: "
      "each is run from the first thread creation on; always: wherever it is possible, for tests");
  add(For::Run, "-j", "N", true, count(&R::workers, kMaxWorkers),
      "workers that run schedules side by side (default: one per processor that the affinity mask and the control "
      "group allow)");
  add(For::Run, "--memory-limit", "SIZE", true, bytes(&R::memory_bytes),
      "end the run, with what was proved, when it takes more memory than this: 500M, 4G");
  add(For::Run, "--start-at", "FUNCTION", true, text(run_part, &R::start_at, "the name of the function"),
      "explore from the first call of FUNCTION instead of the first thread creation");
  add(For::Run, "--clock", "virtual|real", true, run_word(&R::clock, from_table(kClockWords)),
      "virtual: nothing waits for real time, and every execution sees the same clock");
  add(For::Run, "--fill", "left|zero|junk", true, run_word(&R::fill, from_table(kFillWords)),
      "what a block of malloc() holds that the program freed before: what was left there, zeros, or 0xf4 in each byte; "
      "a block that it never had is zero");
  add(For::Run, "--patch", "yes|no", true, run_word(&R::patch, Words<bool>{{"no", false}, {"yes", true}}),
      "yes: in code that was not built with heddle-cc, too, atomic instructions (a lock prefix, xchg, mfence) are "
      "scheduling points; plain loads and stores are not");
  add(For::Run, "--input-seed", "N", true, number(&R::input_seed, 0, UINT64_MAX),
      "another draw of the random numbers that the program gets from the system (getrandom, /dev/urandom, "
      "std::random_device …); every execution gets the same");
  add(For::Run, "--target", "NAME", true, text(run_part, &R::target, "the name of the program"),
      "when PROGRAM is a script or wrapper: the program that it starts and that is to be explored");
  add(For::Run, "--python", "line|opcode|no", true, run_word(&R::python, from_table(kPythonWords)),
      "when PROGRAM is Python: a scheduling point before each line, or each instruction, of the files that are not "
      "Python's own or installed; an exception that ends a thread ends the program; no: only calls of the C library "
      "are "
      "scheduling points");
  add(For::Run, "--follow-fork", "parent|child", true,
      run_word(&R::follow_fork, Words<bool>{{"parent", false}, {"child", true}}),
      "child: where the program forks before it creates a thread, explore whichever process creates one first; parent: "
      "threads of the children run in one order only");
  add(For::Run | For::Replay | For::Debug, "--ok-exit", "LIST", true, ok_exit(),
      "exit statuses that are no bug, such as 0,77");
  add(For::Run, "--skip-status", "N", false, skip_status(),
      "end with status N instead of 3 where the program ends well without creating a thread: Meson and Automake take "
      "77 for a test that was skipped");
}

void add_format(const Group& add) {
  static std::string names, help = "medium of the page";  // options hold pointers to them
  Words<const PageWriter*> words;
  for (const PageWriter& writer : page_writers()) {
    names += (words.empty() ? "" : "|") + std::string(writer.name);
    help += fmt::format("{} {}: {}", words.empty() ? ":" : ";", writer.name, writer.help);
    words.emplace_back(writer.name, &writer);
  }
  add(For::Show, "--format", names.c_str(), false, word(whole, &Settings::page_writer, words), help.c_str());
}

void add_output(const Group& add) {
  add(For::Run, "-o", "DIR", false, text(run_part, &R::output_directory, "the name of the folder"),
      "where to keep bugs (made when there is one; default: heddle-out/PROGRAM-N, heddle-out/latest being the newest)");
  add(For::Run, "--json", "FILE", false, text(whole, &Settings::json, "the name of the file"),
      "write the report as JSON; - is standard output, everything else then goes to standard error");
  add(For::Run, "--sarif", "FILE", false, text(whole, &Settings::sarif, "the name of the file"),
      "write the bugs as SARIF 2.1.0, for code scanning, with their steps; - is standard output");
  add(For::Run, "--baseline", "FILE", false, text(whole, &Settings::baseline, "the name of the file"),
      "a report that run or test wrote earlier with --json: a bug with a cause that is in it is known, and no failure; "
      "the search goes on behind it");
  add(For::Run | For::Replay, "--output", "failing|all|none", true,
      run_word(
          &R::output,
          Words<OutputMode>{{"failing", OutputMode::Failing}, {"all", OutputMode::All}, {"none", OutputMode::None}}),
      "which executions' own output is shown");
  add(For::Replay, "--exec", "COMMAND", false, text(whole, &Settings::exec, "a command"),
      "when the bug has come again, run its schedule once more below a command that runs programs, such as "
      "\"strace -f -o calls.txt\"; each thread is one of the kernel's then");
  add(For::Run, "--execution-log", "FILE", false, text(run_part, &R::execution_log, "the name of the file"),
      "write a line per schedule: number, steps, end, status, and a hash of all that was recorded");
  add(For::Run | For::Replay | For::Debug, "--yes", "", false, flag(whole, &Settings::yes),
      "don't ask before a trace (replay, debug, --like) runs a program that may not be the one that you built");
  add(For::Run, "--explain", "", false, flag(whole, &Settings::explain),
      "say at length what each line means of what was proved, not checked and assumed");
  add(For::Run | For::Replay, "-q", "", false, flag(whole, &Settings::quiet), "no progress, no notes");
  add(For::All, "--color", "auto|always|never", false,
      word(whole, &Settings::color,
           Words<ColorMode>{{"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}}),
      "colours; auto: on a terminal, unless NO_COLOR is set");
  add(For::Show, "--full", "", false, flag(whole, &Settings::full),
      "every step that matters in a column of its thread, with its source line");
  add(For::Show, "--stacks", "", false, flag(whole, &Settings::stacks), "add the call stack of every step to the page");
  add_format(add);
  add(For::Show, "--width", "COLUMNS", false,
      {[](Settings& s, const std::string& value) { return set_number(s.width, value, 40, 500); },
       [](const Settings& s) { return s.width == 0 ? std::string() : std::to_string(s.width); }},
      "width of the page (default: the terminal's, else 100)");
}

void add_tests(const Group& add) {
  add(For::Test, "--list", "COMMAND", false, text(whole, &Settings::list, "a command"),
      "a command for the shell that prints the names of the tests, a line each (default: as the test framework does)");
  add(For::Test, "--select", "WORDS", false, text(whole, &Settings::select, "words for the program"),
      "with --list: what runs one test; {} stands for its name");
  add(For::Test, "--list-only", "", false, flag(whole, &Settings::list_only),
      "print the names of the tests, a line each, and run none; --json=FILE also writes the words that choose each");
  add(For::Test, "--junit", "FILE", false, text(whole, &Settings::junit, "the name of the file"),
      "write the results as JUnit XML, a case per test; - is standard output");
}

FarmSettings& farm_part(Settings& settings) { return settings.farm; }

// It becomes part of names on the server.
Access farm_name() {
  return {[](Settings& s, const std::string& value) -> std::string {
            const bool fits = !value.empty() && value.size() <= 64 &&
                              value.find_first_not_of(
                                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
                                  "") == std::string::npos;
            if (!fits) return fmt::format("\"{}\" is not a name of up to 64 letters, digits, - and _", value);
            s.farm.name = value;
            return {};
          },
          [](const Settings& s) { return s.farm.name; }};
}

Access shard_time() {
  return {[](Settings& s, const std::string& text) -> std::string {
            const auto value = parse_seconds(text);
            if (!value || *value < 0.1 || *value > 3600)
              return fmt::format("\"{}\" is not a time from 100ms to 1h", text);
            s.farm.shard_s = *value;
            return {};
          },
          [](const Settings& s) { return format_seconds(s.farm.shard_s); }};
}

Access farm_time(double FarmSettings::*member) {
  return {[=](Settings& s, const std::string& text) -> std::string {
            const auto value = parse_seconds(text);
            if (!value || *value < 1 || *value > kMaxTime_s)
              return fmt::format("\"{}\" is not a time from 1s to 720h (write 60s, 5m or 1h)", text);
            s.farm.*member = *value;
            return {};
          },
          [=](const Settings& s) { return format_seconds(s.farm.*member); }};
}

Access worker_memory() {
  return {[](Settings& s, const std::string& text) -> std::string {
            const auto value = parse_bytes(text);
            if (!value || *value < kMinWorkerMemory)
              return fmt::format("\"{}\" is not an amount of memory of at least 256M (write 500M or 4G)", text);
            s.farm.worker_memory_bytes = *value;
            return {};
          },
          [](const Settings& s) { return format_bytes(s.farm.worker_memory_bytes); }};
}

Access worker_processes() {
  return {[](Settings& s, const std::string& text) { return set_number(s.farm.worker_processes, text, 10, 100'000); },
          [](const Settings& s) { return std::to_string(s.farm.worker_processes); }};
}

// How workers run what they are sent. Those that a coordinator starts get it from there.
void add_limits(const Group& add) {
  constexpr unsigned kWhoRuns = For::FarmRun | For::FarmTest | For::FarmAttach | For::Worker;
  add(kWhoRuns, "--sandbox", "auto|yes|no", false,
      word(farm_part, &FarmSettings::sandbox,
           Words<SandboxMode>{{"auto", SandboxMode::Auto}, {"yes", SandboxMode::Yes}, {"no", SandboxMode::No}}),
      "workers run the program in bubblewrap: without network, home, other processes and variables of the environment, "
      "and with a system that can only be read; auto: where a server is named and bubblewrap works");
  add(kWhoRuns, "--sandbox-variable", "NAME", false,
      text(farm_part, &FarmSettings::sandbox_variables, "the name of the variable"),
      "a variable of the worker's environment that the program sees in the sandbox, too; may be given several times",
      true);
  add(kWhoRuns, "--worker-memory", "SIZE", false, worker_memory(),
      "a shard is given up when its processes, and the files that they made, take more memory than this: 500M, 4G");
  add(kWhoRuns, "--worker-processes", "N", false, worker_processes(),
      "a shard is given up when it has more processes and threads than this at once");
  add(kWhoRuns, "--worker-time", "TIME", false, farm_time(&FarmSettings::worker_over_s),
      "a shard is given up when its process has not ended so long after the time of --shard-time");
  add(kWhoRuns, "--wait-for-server", "TIME", false, farm_time(&FarmSettings::server_wait_s),
      "how long coordinator and workers wait for a server that is gone before they end");
}

void add_farm(const Group& add) {
  add(For::Farm, "--farm", "local|URL", false, text(farm_part, &FarmSettings::url, "the address of the server"),
      "the server of NATS, with JetStream, by which coordinator and workers meet: nats://HOST:PORT, tls://HOST:PORT; "
      "local: one is started for this farm, which only this machine reaches");
  add(For::Farm, "--farm-name", "NAME", false, farm_name(), "tells farms on one server apart");
  add(For::Farm, "--credentials", "FILE", false, text(farm_part, &FarmSettings::credentials, "the name of the file"),
      "the user's credentials (JWT and key) for the server of NATS");
  add(For::Farm, "--tls-ca", "FILE", false, text(farm_part, &FarmSettings::ca, "the name of the file"),
      "who must have signed the certificate of the server (default: who the system trusts)");
  add(For::Farm, "--tls-certificate", "FILE", false,
      text(farm_part, &FarmSettings::certificate, "the name of the file"),
      "the certificate that is shown to the server; with --tls-key");
  add(For::Farm, "--tls-key", "FILE", false, text(farm_part, &FarmSettings::key, "the name of the file"),
      "the private key of --tls-certificate");
  add(For::FarmRun | For::FarmTest, "--with-file", "FILE", false,
      text(farm_part, &FarmSettings::with_files, "the name of the file"),
      "a file that the program reads: workers that don't have it get it, too; may be given several times", true);
  add(For::FarmRun, "--shard-time", "TIME", false, shard_time(),
      "how long a worker searches a part before it returns what is left of it; a worker that dies costs so much");
  add(For::FarmStatus, "--prometheus", "", false, flag(farm_part, &FarmSettings::prometheus),
      "print the figures in the text format of Prometheus");
}

// Those of a search that mean the same in parts of it.
void offer_to_farms(std::vector<Option>& table) {
  constexpr std::string_view kSearch[] = {"--search",
                                          "--seed",
                                          "--max-preemptions",
                                          "--max-steps",
                                          "--execution-timeout",
                                          "--races",
                                          "--spurious-wakeups",
                                          "--timeouts",
                                          "--keep-going",
                                          "--benign",
                                          "--carrier",
                                          "--isolation",
                                          "--checkpoints",
                                          "--start-at",
                                          "--fill",
                                          "--input-seed",
                                          "--ok-exit",
                                          "--no-preempt",
                                          "--memory",
                                          "--max-stale",
                                          "--report-non-sc",
                                          "--service",
                                          "--samaritan",
                                          "--patch",
                                          "--python",
                                          "--follow-fork",
                                          "--target",
                                          "--clock"};
  for (Option& option : table) {
    const std::string_view name = option.name;
    if (std::find(std::begin(kSearch), std::end(kSearch), name) != std::end(kSearch)) option.commands |= For::FarmRun;
    if (name == "--time" || name == "-o") option.commands |= For::FarmRun | For::FarmAttach;
    if (name == "-q") option.commands |= For::FarmRun | For::FarmAttach | For::Worker;
    if (name == "--json") option.commands |= For::FarmRun | For::FarmAttach | For::FarmStatus;
    if (name == "-j") option.commands |= For::FarmRun | For::FarmAttach | For::Worker;
  }
}

// A suite hands what it is given on to the run of each test. What is about one search has no meaning there.
void offer_to_suites(std::vector<Option>& table) {
  for (Option& option : table) {
    const std::string_view name = option.name;
    const bool is_of_one = name == "--like" || name == "--resume" || name == "--execution-log" || name == "--orders" ||
                           name == "--skip-status";
    if ((option.commands & For::Run) != 0 && !is_of_one) option.commands |= For::Test;
  }
}

// A suite on a farm takes what a suite takes. What a search leaves behind, and the regression store, don't travel.
void offer_to_farms_of_tests(std::vector<Option>& table) {
  constexpr std::string_view kHere[] = {"--regressions", "--save-every"};
  for (Option& option : table) {
    const std::string_view name = option.name;
    if ((option.commands & For::Test) != 0 && std::find(std::begin(kHere), std::end(kHere), name) == std::end(kHere))
      option.commands |= For::FarmTest;
    if (name == "--junit" || name == "--sarif" || name == "--explain") option.commands |= For::FarmAttach;
  }
}

std::vector<Option> make_options() {
  std::vector<Option> table;
  add_search({table, "Search"});
  add_orders({table, "Search"});
  add_services({table, "Search"});
  add_resume({table, "Search"});
  add_control({table, "Control"});
  add_output({table, "Output"});
  add_tests({table, "Tests"});
  add_farm({table, "Farm"});
  add_limits({table, "Farm"});
  offer_to_suites(table);
  offer_to_farms(table);
  offer_to_farms_of_tests(table);
  return table;
}

}  // namespace

const std::vector<Option>& options() {
  static const std::vector<Option> table = make_options();
  return table;
}

const Option* option_named(std::string_view name) {
  const auto& all = options();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Option& option) { return name == option.name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> words_of_limits(const Settings& settings) {
  std::vector<std::string> words;
  for (const char* const name :
       {"--sandbox-variable", "--worker-memory", "--worker-processes", "--worker-time", "--wait-for-server"})
    if (std::string value = option_named(name)->get(settings); !value.empty())
      words.push_back(fmt::format("{}={}", name, value));
  return words;
}

std::vector<NamedText> search_to_repeat(const Settings& settings) {
  const Settings defaults;
  std::vector<NamedText> result;
  for (const Option& option : options())
    if (option.repeatable_search &&
        (option.name == std::string_view("--search") || option.get(settings) != option.get(defaults)))
      result.emplace_back(option.name, option.get(settings));
  return result;
}

std::string apply_search(const std::vector<NamedText>& search, Settings& settings) {
  settings.run.search = "bounded";  // where older traces name none
  for (const auto& [name, value] : search) {
    const Option* option = option_named(name);
    if (option == nullptr || !option->repeatable_search) return fmt::format("there is no option {}", name);
    const std::string error = option->set(settings, value);
    if (!error.empty()) return fmt::format("{}: {}", name, error);
  }
  return {};
}

}  // namespace heddle::cli
