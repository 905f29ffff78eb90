// See orders_file.h. One order in a line: a word, the earlier statement, the later one, with tabs between them. Before
// them a line with the context, where it is not 1.
#include "report/orders_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "trace/atomic_file.h"

namespace heddle {
namespace {

constexpr std::string_view kHead = "# heddle orders 1: seen or possible, the earlier statement, the later one\n";
constexpr std::string_view kSeen = "seen", kPossible = "possible", kContext = "context\t";

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char one) { return one == '\t' || one == '\n' || one == '\r'; }, ' ');
  return text;
}

}  // namespace

void OrdersFile::add(bool seen, Pair pair) {
  statements_.insert(pair.first);
  statements_.insert(pair.second);
  (seen ? seen_ : possible_).insert(std::move(pair));
}

std::string OrdersFile::read(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return {};
  const FileContent file = read_file(path);
  if (!file.error.empty()) return file.error;
  std::string_view rest = file.content;
  if (!rest.starts_with(kHead)) return fmt::format("{} is no file of heddle run --orders, or of another version", path);
  rest.remove_prefix(kHead.size());
  context_ = 1;
  for (std::size_t number = 2; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.size() == rest.size()) return fmt::format("{} is cut off in line {}", path, number);
    rest.remove_prefix(line.size() + 1);
    const auto first = line.find('\t'), second = line.find('\t', first == line.npos ? first : first + 1);
    if (number == 2 && line.starts_with(kContext)) {
      const std::string_view digits = line.substr(kContext.size());
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), context_);
      if (error != std::errc() || end != digits.data() + digits.size() || context_ < 2)
        return fmt::format("{} is damaged in line {}", path, number);
      continue;
    }
    const std::string_view word = line.substr(0, first);
    if (second == line.npos || (word != kSeen && word != kPossible))
      return fmt::format("{} is damaged in line {}", path, number);
    add(word == kSeen, {std::string(line.substr(first + 1, second - first - 1)), std::string(line.substr(second + 1))});
  }
  return {};
}

void OrdersFile::add(const StatementOrders& orders, const std::function<std::string(Site)>& name) {
  const auto statement = [&](Site site) {
    const std::string mark = StatementOrders::text_of_mark(site);
    return one_line(mark.empty() ? name(site) : mark);
  };
  for (const auto& [earlier, later] : orders.pairs()) add(true, {statement(earlier), statement(later)});
  for (const auto& [earlier, later] : orders.possible()) add(false, {statement(earlier), statement(later)});
}

std::string OrdersFile::write(const std::string& path) const {
  std::string text(kHead);
  if (context_ != 1) text += fmt::format("{}{}\n", kContext, context_);
  for (const auto& [earlier, later] : seen_) text += fmt::format("{}\t{}\t{}\n", kSeen, earlier, later);
  for (const auto& [earlier, later] : possible_) text += fmt::format("{}\t{}\t{}\n", kPossible, earlier, later);
  return write_file(path, text);
}

}  // namespace heddle
