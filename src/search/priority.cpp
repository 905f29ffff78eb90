// The table of priorities, and lists of them. To add one: a line here.
#include "search/priority.h"

#include <algorithm>

// Each is the name of a function NAME_priority() in the priority's own file.
#define HEDDLE_PRIORITIES(ONE) \
  ONE(pb)                      \
  ONE(dpor)                    \
  ONE(mdpor)                   \
  ONE(ss)                      \
  ONE(race)                    \
  ONE(new_states)              \
  ONE(hapset)                  \
  ONE(method)                  \
  ONE(var)                     \
  ONE(rand)                    \
  ONE(plugin)

namespace heddle {

#define HEDDLE_DECLARE(name) PriorityEntry name##_priority();
HEDDLE_PRIORITIES(HEDDLE_DECLARE)
#undef HEDDLE_DECLARE

const std::vector<PriorityEntry>& priorities() {
#define HEDDLE_MAKE(name) name##_priority(),
  static const std::vector<PriorityEntry> table = {HEDDLE_PRIORITIES(HEDDLE_MAKE)};
#undef HEDDLE_MAKE
  return table;
}

namespace {

std::string all_names() {
  std::string result;
  for (const PriorityEntry& entry : priorities()) result.append(result.empty() ? "" : ", ").append(entry.name);
  return result;
}

const PriorityEntry* find_priority(std::string_view name) {
  if (name.find('/') != std::string_view::npos) name = kPriorityFile;
  const auto found = std::find_if(priorities().begin(), priorities().end(),
                                  [name](const PriorityEntry& entry) { return entry.name == name; });
  return found != priorities().end() ? &*found : nullptr;
}

struct Listed {
  const PriorityEntry* entry;
  std::string name;  // as it was given
};

// The entries of a list; `error` says what is wrong with it.
std::vector<Listed> entries_of(std::string_view names, std::string& error) {
  std::vector<Listed> result;
  for (bool more = true; more;) {
    const auto comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    const PriorityEntry* const entry = find_priority(name);
    if (entry == nullptr) {
      error = "there is no priority \"" + std::string(name) + "\"; there are " + all_names();
      return {};
    }
    result.push_back({entry, std::string(name)});
    if (entry->check != nullptr) error = entry->check(result.back().name);
    if (!error.empty()) return {};
    more = comma != std::string_view::npos;
    if (more) names.remove_prefix(comma + 1);
  }
  if (result.size() > PriorityList::kMost) {
    error = "it lists more than " + std::to_string(PriorityList::kMost) + " priorities";
    return {};
  }
  return result;
}

}  // namespace

bool lists_priority(std::string_view names, std::string_view name) {
  for (; !names.empty(); names.remove_prefix(std::min(names.find(','), names.size() - 1) + 1))
    if (names.substr(0, names.find(',')) == name) return true;
  return false;
}

std::string check_priorities(std::string_view names) {
  std::string error;
  entries_of(names, error);
  return error;
}

PriorityList::PriorityList(std::string_view names, const PriorityOptions& options, std::string& error) {
  for (const Listed& one : entries_of(names, error)) {
    PriorityOptions own = options;
    own.file = one.name;
    list_.push_back(one.entry->make(own));
  }
}

void PriorityList::learn(const Execution& execution) {
  for (const auto& one : list_) one->learn(execution);
}

void PriorityList::begin(const Execution& execution, std::uint32_t first) {
  lookahead_.begin(execution, first);
  for (const auto& one : list_) one->begin(lookahead_, first);
}

Cost PriorityList::of(const Deviation& deviation) {
  Cost cost{};
  for (std::size_t i = 0; i < list_.size(); ++i) cost[i] = list_[i]->of(deviation);
  return cost;
}

bool PriorityList::needs_marks() const {
  return std::any_of(list_.begin(), list_.end(), [](const auto& one) { return one->needs_marks(); });
}

std::string PriorityList::take_note() {
  for (const auto& one : list_)
    if (std::string note = one->take_note(); !note.empty()) return note;
  return {};
}

void PriorityList::save(StateWriter& writer) const {
  for (const auto& one : list_) one->save(writer);
}

void PriorityList::restore(StateReader& reader) {
  for (const auto& one : list_) one->restore(reader);
}

}  // namespace heddle
