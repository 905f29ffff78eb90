// `heddle debug`: gdb on the schedule of a trace, stopped at the step that matters most.
//
// The schedule is run once without gdb: so all steps are known in advance, and gdb only has to say before which of them
// the program is to stop. gdb starts the program itself, through us: `heddle --start-for-gdb TRACE` does all that a
// replay does, and then becomes the program. There is no driver beside it; to go back to an earlier step is to start
// again.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "analysis/source_text.h"
#include "cli/command.h"
#include "cli/find_trace.h"
#include "cli/options.h"
#include "cli/replayed.h"
#include "cli/trust.h"
#include "driver/explore/self_check.h"
#include "driver/process/descriptor.h"
#include "driver/process/own_process.h"
#include "report/debug_session.h"
#include "report/page.h"
#include "report/wording.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// Beside libheddle.so: the same without debug information, which gdb would read at each start; and beside that, our
// extension.
constexpr const char *kLibrary = "gdb/libheddle.so", *kExtension = "heddle_gdb.py";

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

// While it lives, whatever is started reads nothing: our input has the commands for gdb.
class NoInput {
 public:
  NoInput() : input_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    dup2(nothing.get(), STDIN_FILENO);
  }
  ~NoInput() { dup2(input_.get(), STDIN_FILENO); }
  NoInput(const NoInput&) = delete;
  NoInput& operator=(const NoInput&) = delete;

 private:
  Descriptor input_;
};

std::string beside(const std::string& library, const char* name) {
  return (fs::path(library).parent_path() / name).string();
}

// As a replay is run, but with a kernel thread for each thread: the debugger knows these.
PreparedReplay prepare(const Trace& trace, const Settings& settings) {
  PreparedReplay prepared = prepare_replay(trace, settings);
  prepared.options.carrier = CarrierKind::Thread;
  if (const std::string small = beside(prepared.target.library, kLibrary); access(small.c_str(), R_OK) == 0)
    prepared.target.library = small;
  return prepared;
}

Plan plan_of(const Trace& trace) {
  Plan plan = trace.plan;
  plan.stacks = true;
  return plan;
}

// The page's first section, as text.
std::string what_went_wrong(Replayed& replayed, const Moment& moment) {
  constexpr std::size_t kWidth = 100;
  SourceText sources;
  PageInput input;
  input.kind = replayed.outcome().kind;
  input.message = replayed.outcome().message;
  input.moment = moment;
  const Document page = make_page(input, replayed.execution(), replayed.names(), sources);
  const std::string text = write_text(Document{{}, {}, {page.sections.front()}}, PageLayout{kWidth, Style()});
  return text.substr(std::min(text.size(), text.find_first_not_of('\n')));
}

std::string session_of(const std::string& path, const Moment& moment, const PreparedReplay& prepared,
                       Replayed& replayed) {
  DebugSession session;
  session.program = prepared.target.path;
  session.wrapper =
      fmt::format("{} {} {}", shell_quoted(own_executable()), kStartForGdbCommand.name, shell_quoted(path));
  session.kind = replayed.outcome().kind;
  session.message = replayed.outcome().message;
  session.why = what_went_wrong(replayed, moment);
  session.moment = moment;
  return debug_session(session, replayed.execution(), replayed.names());
}

// A file in memory, which whoever we become has, too. Less than 0: there is no memory for it.
int file_with(const std::string& text) {
  const int file = memfd_create("heddle-session", 0);
  std::size_t written = 0;
  while (file >= 0 && written < text.size()) {
    const ssize_t more = write(file, text.data() + written, text.size() - written);
    if (more <= 0) return -1;
    written += static_cast<std::size_t>(more);
  }
  return file;
}

// Becomes gdb. Returns only if that fails.
ExitStatus become_gdb(const std::string& gdb, const Target& target, const std::string& session,
                      const std::vector<std::string>& environment, Terminal& terminal) {
  const std::string extension = beside(target.library, kExtension);
  if (access(extension.c_str(), R_OK) != 0)
    return wrong_use(terminal, fmt::format("{} was not found: {}", extension, std::strerror(errno)));
  const int file = file_with(session);
  if (file < 0) return wrong_use(terminal, fmt::format("no memory for what gdb is told: {}", std::strerror(errno)));
  const std::string begin = fmt::format("heddle begin /proc/self/fd/{}", file);
  std::vector<std::string> words{gdb, "-q", "-x", extension, "-ex", begin, target.path};
  std::vector<char*> arguments, variables;
  for (std::string& word : words) arguments.push_back(word.data());
  for (const std::string& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  execve(gdb.c_str(), arguments.data(), variables.data());
  return wrong_use(terminal, fmt::format("{} could not be started: {}", gdb, std::strerror(errno)));
}

ExitStatus debug(Settings& settings, Terminal& terminal) {
  const FoundTrace found = find_trace(settings.operands);
  if (found.path.empty()) return wrong_use(terminal, found.error);
  const ReadTrace read = read_trace(found.path);
  if (!read.trace) return wrong_use(terminal, read.error);
  if (has_scripts(read.trace->modules))
    return wrong_use(terminal,
                     "a bug of a Python program can't be followed in gdb: nothing there tells Heddle at which line a "
                     "thread stands. heddle show --full shows every step; heddle replay runs them again");
  const std::string gdb = find_in_path("gdb");
  if (gdb.empty()) return wrong_use(terminal, "gdb is needed for this, and was not found in PATH: apt install gdb");
  terminal.message(fmt::format("replaying {}", found.path));
  if (!may_run(*read.trace, found.path, settings, terminal)) return ExitStatus::WrongUse;
  const std::string path = fs::absolute(found.path).string();
  std::vector<std::string> environment = own_environment();  // the user's, for gdb
  const PreparedReplay prepared = prepare(*read.trace, settings);
  for (const std::string& note : prepared.notes) terminal.message(note);
  if (!prepared.error.empty()) return wrong_use(terminal, prepared.error);
  if (prepared.target.script || !prepared.options.target.empty() || prepared.options.follow_fork)
    return wrong_use(terminal,
                     "gdb starts the program itself, and here another process starts it (a script, --target or "
                     "--follow-fork): run heddle replay --carrier=thread --execution-timeout=1h in gdb");
  std::optional<Replayed> replayed;
  {
    const NoInput scope;
    replayed.emplace(*read.trace, prepared, plan_of(*read.trace));
  }
  for (const std::string& note : replayed->notes()) terminal.message(note);
  if (!replayed->ran()) {
    terminal.result(fmt::format("no verdict: {}\n", replayed->problem()));
    return ExitStatus::NoVerdict;
  }
  terminal.result(capitalized(replayed->judgement().text) + "\n");
  // Of another execution it says nothing.
  const bool is_same = !prepared.rebuilt && replayed->judgement().status == ExitStatus::Bug;
  const Moment moment = is_same ? read.trace->header.moment : Moment();
  if (terminal.finish(ExitStatus::NoBug) != ExitStatus::NoBug) return ExitStatus::WrongUse;
  return become_gdb(gdb, prepared.target, session_of(path, moment, prepared, *replayed), environment, terminal);
}

// The trace, and what gdb adds.
ExitStatus start_for_gdb(Settings& settings, Terminal& terminal) {
  if (settings.operands.empty()) return wrong_use(terminal, "this command is for heddle debug");
  const ReadTrace read = read_trace(settings.operands.front());
  if (!read.trace) return wrong_use(terminal, read.error);
  const PreparedReplay prepared = prepare(*read.trace, settings);
  if (!prepared.error.empty()) return wrong_use(terminal, prepared.error);
  const NoInput scope;
  return wrong_use(
      terminal, become_replay(prepared.target, prepared.options, plan_of(*read.trace), read.trace->header.own_folder));
}

}  // namespace

const Command kDebugCommand = {
    "debug",
    "[options] [TRACE | FOLDER | BUG-NUMBER]",
    "replay a bug in gdb, stopped at the step that decides it (default: the latest); in gdb, "
    "help heddle lists what goes from step to step, and back",
    For::Debug,
    false,
    debug};

const Command kStartForGdbCommand = {"--start-for-gdb", "TRACE", "become the program of a trace", 0, false,
                                     start_for_gdb};

}  // namespace heddle::cli
