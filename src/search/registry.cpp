// The table of strategies. To add one: a line here.
#include "search/registry.h"

#include <algorithm>
#include <charconv>

// Each is the name of a function NAME_strategy() in the strategy's own file.
#define HEDDLE_STRATEGIES(ONE) \
  ONE(automatic)               \
  ONE(bounded)                 \
  ONE(random)                  \
  ONE(dpor)                    \
  ONE(delay)                   \
  ONE(pos)                     \
  ONE(pct)                     \
  ONE(surw)                    \
  ONE(rff)                     \
  ONE(random_delays)

namespace heddle {

#define HEDDLE_DECLARE(name) StrategyEntry name##_strategy();
HEDDLE_STRATEGIES(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE

const std::vector<StrategyEntry>& strategies() {
#define HEDDLE_MAKE(name) name##_strategy(),
  static const std::vector<StrategyEntry> table = {HEDDLE_STRATEGIES(HEDDLE_MAKE)};
#undef HEDDLE_MAKE
  return table;
}

const StrategyEntry* find_strategy(std::string_view name) {
  const auto found = std::find_if(strategies().begin(), strategies().end(),
                                  [name](const StrategyEntry& entry) { return entry.name == name; });
  return found != strategies().end() ? &*found : nullptr;
}

namespace {

const StrategyOption* option_of(const StrategyEntry& entry, std::string_view name) {
  const auto found = std::find_if(entry.options.begin(), entry.options.end(),
                                  [name](const StrategyOption& option) { return option.name == name; });
  return found != entry.options.end() ? &*found : nullptr;
}

}  // namespace

const StrategyEntry* strategy_with_option(std::string_view option) {
  const auto found = std::find_if(strategies().begin(), strategies().end(),
                                  [option](const StrategyEntry& entry) { return option_of(entry, option) != nullptr; });
  return found != strategies().end() ? &*found : nullptr;
}

std::string StrategyEntry::value(const OptionValues& given, std::string_view option) const {
  if (const auto found = given.find(option); found != given.end()) return found->second;
  const StrategyOption* own = option_of(*this, option);
  return own != nullptr ? own->initial : std::string();
}

bool StrategyEntry::knows(std::string_view option) const {
  return option_of(*this, option) != nullptr || std::find(shared.begin(), shared.end(), option) != shared.end();
}

std::optional<std::uint64_t> StrategyEntry::number(const OptionValues& given, std::string_view option) const {
  const std::string text = value(given, option);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace heddle
