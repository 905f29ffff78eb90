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

OrderKeeper::OrderKeeper(const RunOptions& options, Targets& targets)
    : options_(options),
      targets_(targets),
      active_(!options.orders_file.empty() || names_orders(options, "--guide") || names_orders(options, "--priority")) {
  if (options.orders_file.empty()) return;
  before_.read(options.orders_file);
  if (before_.empty()) return;
  orders_->set_seen_before([this](Site earlier, Site later) {
    const std::string mark = StatementOrders::text_of_mark(earlier);
    return before_.has_seen(mark.empty() ? statement_at(earlier) : mark, statement_at(later));
  });
}

const std::string& OrderKeeper::statement_at(Site site) {
  const auto [entry, added] = statements_.try_emplace(site);
  if (!added) return entry->second;
  const Frame frame = targets_.frame_at(site);
  const std::string& text = sources_.line(frame.file, frame.line);
  const std::string place = text.empty() ? targets_.raw(site) : text;
  return entry->second = frame.function.empty() ? place : fmt::format("{}: {}", frame.function, place);
}

std::string OrderKeeper::keep(bool bug_found) {
  const std::string& path = options_.orders_file;
  if (path.empty()) return {};
  if (bug_found)
    return fmt::format(
        "--orders: nothing was added to {}, since a bug was found: it holds what runs without one showed", path);
  const auto& pairs = orders_->pairs();
  if (pairs.empty() && orders_->possible().empty()) return {};
  const bool known = std::any_of(pairs.begin(), pairs.end(),
                                 [&](const auto& pair) { return before_.names(statement_at(pair.second)); });
  const bool foreign = !before_.empty() && !pairs.empty() && !known;
  OrdersFile file;
  if (const std::string error = file.read(path); !error.empty()) return "--orders: " + error;
  file.add(*orders_, [this](Site site) { return statement_at(site); });
  if (const std::string error = file.write(path); !error.empty()) return "--orders: " + error;
  if (!foreign) return {};
  return fmt::format("--orders: {} had no statement of this run in it: it may be of another program", path);
}

}  // namespace heddle
