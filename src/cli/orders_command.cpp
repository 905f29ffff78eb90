// `heddle orders`: which orders of statements the runs of a test have shown, and which not.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/command.h"
#include "report/orders_file.h"
#include "trace/printable.h"

namespace heddle::cli {
namespace {

using Pair = OrdersFile::Pair;

std::string list(const char* head, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("\n{}:\n", head);
  for (const std::string& line : lines) text += fmt::format("  {}\n", line);
  return text;
}

std::string in_words(const Pair& pair) { return printable(fmt::format("{}  ->  {}", pair.first, pair.second)); }

ExitStatus orders(Settings& settings, Terminal& terminal) {
  if (settings.operands.size() != 1) {
    terminal.message("heddle orders needs one file, as heddle run --orders=FILE writes it");
    return ExitStatus::WrongUse;
  }
  OrdersFile file;
  std::string error = file.read(settings.operands.front());
  if (error.empty() && file.empty())
    error = fmt::format("{} has no orders: heddle run --orders={} writes them", settings.operands.front(),
                        settings.operands.front());
  if (!error.empty()) {
    terminal.message(error);
    return ExitStatus::WrongUse;
  }
  std::vector<std::string> one_way, never, ends;
  std::size_t both = 0, directions = 0, seen = 0;
  for (const Pair& pair : file.possible()) {
    const Pair back{pair.second, pair.first};
    ++directions;
    const bool there = file.seen().contains(pair), and_back = file.seen().contains(back);
    seen += there ? 1 : 0;
    if (there && and_back) both += pair.first <= pair.second ? 1 : 0;
    if (there && !and_back) one_way.push_back(in_words(pair));
    if (!there && !and_back && pair.first <= pair.second)
      never.push_back(printable(fmt::format("{}  and  {}", pair.first, pair.second)));
  }
  for (const Pair& pair : file.seen())
    if (pair.first.starts_with('(')) ends.push_back(printable(fmt::format("{}  {}", pair.second, pair.first)));
  std::string text =
      fmt::format("{} of {} orders were seen: directly one after the other, in two threads, on the same thing.\n", seen,
                  directions);
  text += fmt::format("Pairs of statements: {} in both orders, {} in one only, {} never\n", both, one_way.size(),
                      never.size());
  text += list("Seen in one order only (the earlier one first)", one_way);
  text += list("Never seen directly one after the other", never);
  text += list("Seen: other ends of a statement", ends);
  terminal.result(text);
  return ExitStatus::NoBug;
}

}  // namespace

const Command kOrdersCommand = {
    "orders", "FILE", "which orders of statements good runs have shown, and which not (run --orders=FILE)",
    0,        false,  orders};

}  // namespace heddle::cli
