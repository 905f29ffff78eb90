// `heddle add`, `heddle list` and `heddle forget`: what is in the regression store.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "cli/find_trace.h"
#include "cli/regression_store.h"
#include "report/wording.h"
#include "trace/printable.h"

namespace heddle::cli {
namespace {

ExitStatus wrong_use(Terminal& terminal, const std::string& message) {
  terminal.message(message);
  return ExitStatus::WrongUse;
}

// As a user in the present folder would write it.
std::string from_here(const std::string& path) {
  std::error_code error;
  const std::string relative = std::filesystem::relative(path, error).string();
  return error || relative.empty() ? path : relative;
}

ExitStatus add_one(const std::string& trace, Terminal& terminal) {
  const ReadTrace read = read_trace(trace);
  if (!read.trace) return wrong_use(terminal, read.error);
  const TraceHeader& header = read.trace->header;
  if (header.outcome_key.empty() || !header.placed_deltas)
    return wrong_use(terminal,
                     fmt::format("{} does not say where its schedule switches threads: it was made by an older Heddle, "
                                 "or the schedule is too long (more than 64 switches, or 50,000 steps). Find the bug "
                                 "again: heddle run --like={}",
                                 trace, shell_quoted(trace)));
  const RegressionStore store = RegressionStore::to_add_to();
  std::string path;
  if (const std::string error = store.add(header, path); !error.empty()) return wrong_use(terminal, error);
  StoredBug bug{header.outcome_key, header};
  terminal.result(printable(fmt::format("{}: {}\nIt is tried first in each: heddle run {}\n", from_here(path),
                                        header.outcome_cause, command_of(bug, store.root()))));
  return ExitStatus::NoBug;
}

// One that can't be kept does not keep the others out.
ExitStatus add(Settings& settings, Terminal& terminal) {
  const FoundTraces found = find_traces(settings.operands);
  if (found.paths.empty()) return wrong_use(terminal, found.error);
  ExitStatus worst = ExitStatus::NoBug;
  for (const std::string& trace : found.paths)
    if (const ExitStatus status = add_one(trace, terminal); status != ExitStatus::NoBug) worst = status;
  return worst;
}

// Nothing: it was said why.
std::optional<RegressionStore> store_here(Terminal& terminal) {
  RegressionStore store = RegressionStore::nearest();
  if (store.exists()) return store;
  terminal.message(fmt::format("there is no {} in this folder or above it: heddle add makes one", kStoreFolder));
  return {};
}

ExitStatus list(Settings& settings, Terminal& terminal) {
  if (!settings.operands.empty()) return wrong_use(terminal, "list takes no arguments");
  const auto store = store_here(terminal);
  if (!store) return ExitStatus::WrongUse;
  const StoreContent content = store->read();
  for (const std::string& problem : content.problems) terminal.message(problem);
  for (const StoredBug& bug : content.bugs)
    terminal.result(
        printable(fmt::format("{}  {}  [{}]\n", bug.key, bug.header.outcome_cause, command_of(bug, store->root()))));
  if (content.bugs.empty())
    terminal.message(
        fmt::format("{}/{} holds no bug: heddle add puts one there", from_here(store->root()), kStoreFolder));
  return content.problems.empty() ? ExitStatus::NoBug : ExitStatus::WrongUse;
}

// The keys that are meant; one that is not clear is said, and none is returned.
std::optional<std::vector<std::string>> keys_meant(const std::vector<std::string>& words, const StoreContent& content,
                                                   Terminal& terminal) {
  std::vector<std::string> keys;
  for (const std::string& word : words) {
    std::vector<std::string> fit;
    for (const StoredBug& bug : content.bugs)
      if (bug.key == word || (!word.empty() && bug.key.starts_with(word))) fit.push_back(bug.key);
    if (std::find(fit.begin(), fit.end(), word) != fit.end()) fit = {word};
    if (fit.size() != 1) {
      terminal.message(fit.empty() ? fmt::format("the store has no bug \"{}\" (heddle list shows them)", word)
                                   : fmt::format("\"{}\" may be any of {}", word, fmt::join(fit, ", ")));
      return {};
    }
    if (std::find(keys.begin(), keys.end(), fit[0]) == keys.end()) keys.push_back(fit[0]);
  }
  return keys;
}

ExitStatus forget(Settings& settings, Terminal& terminal) {
  if (settings.operands.empty())
    return wrong_use(terminal, "which bug is to be forgotten? heddle forget KEY… (heddle list shows the keys)");
  const auto store = store_here(terminal);
  if (!store) return ExitStatus::WrongUse;
  const auto keys = keys_meant(settings.operands, store->read(), terminal);
  if (!keys) return ExitStatus::WrongUse;
  for (const std::string& key : *keys) {
    if (const std::string error = store->remove(key); !error.empty()) return wrong_use(terminal, error);
    terminal.result(fmt::format("{} is forgotten\n", key));
  }
  return ExitStatus::NoBug;
}

}  // namespace

const Command kAddCommand = {"add",
                             "[TRACE | FOLDER | BUG-NUMBER]",
                             "keep a bug in the regression store (.heddle), of a folder all: its schedule comes first "
                             "in each later run (default: "
                             "the latest)",
                             0,
                             false,
                             add};
const Command kListCommand = {"list", "", "list the bugs in the regression store", 0, false, list};
const Command kForgetCommand = {
    "forget", "KEY…", "take bugs out of the regression store; the begin of a key is enough where it is the only one",
    0,        false,  forget};

}  // namespace heddle::cli
