// See order_keeper.h.
#include "driver/explore/order_keeper.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/priority.h"

namespace heddle {
namespace {

bool names_orders(const RunOptions& options, const char* option) {
  const auto found = options.search_options.find(option);
  return found != options.search_options.end() && lists_priority(found->second, "hapset");
}

}  // namespace

bool uses_orders(const RunOptions& options) {
  const auto list = options.search_options.find("--priority");
  const bool own = list != options.search_options.end() && list->second.find('/') != std::string::npos;
  return !options.orders_file.empty() || names_orders(options, "--guide") || names_orders(options, "--priority") ||
         (own && options.context > 1);  // a priority of the user's own looks at call stacks
}

OrderKeeper::OrderKeeper(const RunOptions& options, Targets& targets)
    : options_(options), targets_(targets), active_(uses_orders(options)) {
  orders_->set_context(options.context, [this](Site site) { return targets_.is_users(site); });
  if (options.orders_file.empty()) return;
  before_.read(options.orders_file);
  if (before_.empty()) return;
  orders_->set_seen_before([this](StatementOrders::Statement earlier, StatementOrders::Statement later) {
    const std::string mark = StatementOrders::text_of_mark(earlier);
    return before_.has_seen(mark.empty() ? text_of(earlier) : mark, text_of(later));
  });
}

// Of a call stack, the places in functions of the user's: which code of the C++ library lies between them depends on
// how the program is compiled.
const std::string& OrderKeeper::text_of(StatementOrders::Statement statement) {
  const auto [entry, added] = statements_.try_emplace(statement);
  if (!added) return entry->second;
  const std::vector<Site> places = orders_->places_of(statement);
  for (const Site site : places)
    if (places.size() > 1 && targets_.is_users(site))
      entry->second += (entry->second.empty() ? "" : " < ") + text_at(site);
  if (entry->second.empty()) entry->second = text_at(places.front());
  return entry->second;
}

std::string OrderKeeper::text_at(Site site) {
  const Frame frame = targets_.frame_at(site);
  const std::string text = sources_.line(frame.file, frame.line);
  const std::string place = text.empty() ? targets_.raw(site) : text;
  return frame.function.empty() ? place : fmt::format("{}: {}", frame.function, place);
}

std::string OrderKeeper::keep(bool bug_found) {
  const std::string& path = options_.orders_file;
  if (path.empty()) return {};
  if (bug_found)
    return fmt::format(
        "--orders: nothing was added to {}, since a bug was found: it holds what runs without one showed", path);
  const auto& pairs = orders_->pairs();
  if (pairs.empty() && orders_->possible().empty()) return {};
  const bool known =
      std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return before_.names(text_of(pair.second)); });
  const bool foreign = !before_.empty() && !pairs.empty() && !known;
  OrdersFile file;
  file.set_context(options_.context);
  if (const std::string error = file.read(path); !error.empty()) return "--orders: " + error;
  file.add(*orders_, [this](StatementOrders::Statement statement) { return text_of(statement); });
  if (const std::string error = file.write(path); !error.empty()) return "--orders: " + error;
  if (!foreign) return {};
  return fmt::format("--orders: {} had no statement of this run in it: it may be of another program", path);
}

}  // namespace heddle
