// Priorities: which of the schedules that a bounded search knows and has not run comes next.
//
// Source: GAMBIT (PPoPP 2010), section 4. A priority looks at an execution and at a choice that it did not make there,
// and says how urgent the schedule is that makes it. Any function will do: priorities decide the order, and what is run
// in the end is the same. A list of them is hierarchical (section 4.4): where the first ones are equal, the next one
// decides; then the number of preemptions; then the schedule that was found last comes first.
//
// To add a priority: a file with a class derived from Priority and its entry, and a line in priority.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/graph_hash.h"
#include "search/frontier.h"
#include "search/lookahead.h"
#include "trace/execution.h"
#include "trace/state_archive.h"

namespace heddle {

class StatementOrders;

// A choice that an execution did not make.
struct Deviation {
  std::uint32_t step = 0;
  Choice choice;
  unsigned preemptions = 0;  // of the schedule that makes it
  // Is the state that it leads to known, with more preemptions? Not known: nobody can tell yet.
  enum class Ahead { NotKnown, New, Seen } ahead = Ahead::NotKnown;
};

class Priority {
 public:
  virtual ~Priority() = default;
  // An execution has come, of this search or of a walk.
  virtual void learn(const Execution& /*execution*/) {}
  // From here on of() is about this one, and steps from `first` on.
  virtual void begin(const Lookahead& lookahead, std::uint32_t /*first*/) { lookahead_ = &lookahead; }
  // The least comes first.
  virtual std::int64_t of(const Deviation& deviation) = 0;
  // Does it look at races (reversals.h)? Then executions need the marks of PolicyKind::Marked.
  virtual bool needs_marks() const { return false; }
  // Something the user should know, once; empty: there is nothing.
  virtual std::string take_note() { return {}; }
  virtual void save(StateWriter& /*writer*/) const {}
  virtual void restore(StateReader& /*reader*/) {}

 protected:
  const Lookahead& lookahead() const { return *lookahead_; }

 private:
  const Lookahead* lookahead_ = nullptr;
};

struct PriorityOptions {
  std::uint64_t seed = 1;
  bool early_timeouts = true;
  // Is this place in one of the functions of --method? Is this object one of those of --var? Empty: none are given.
  std::function<bool(Site)> is_method = {};
  std::function<bool(const ObjectRecord&)> is_variable = {};
  // What good runs have shown (orders.h); null: the priority keeps its own.
  std::shared_ptr<StatementOrders> orders = nullptr;
  // For a library of the user's: its file, the function at a place, the variable at an address.
  std::string file = {};
  std::function<std::string(Site)> name_place = {};
  std::function<std::string(std::uint64_t)> name_object = {};
};

// What stands for any text with a slash in it.
inline constexpr std::string_view kPriorityFile = "./FILE.so";

struct PriorityEntry {
  std::string_view name;
  const char* help;  // which schedules come first
  std::unique_ptr<Priority> (*make)(const PriorityOptions& options);
  // Of kPriorityFile: what is wrong with a file; empty: nothing.
  std::string (*check)(const std::string& file) = nullptr;
};
// All that there are, in the order in which help names them.
const std::vector<PriorityEntry>& priorities();

// Several priorities as one.
class PriorityList {
 public:
  static constexpr std::size_t kMost = std::tuple_size_v<Cost>;

  // "mdpor,pb". `error`: what is wrong with it, and which there are; then the list is empty.
  PriorityList(std::string_view names, const PriorityOptions& options, std::string& error);

  void learn(const Execution& execution);
  void begin(const Execution& execution, std::uint32_t first);
  Cost of(const Deviation& deviation);
  bool needs_marks() const;
  std::string take_note();
  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  Lookahead lookahead_;
  std::vector<std::unique_ptr<Priority>> list_;
};

// What is wrong with a list of priorities; empty: nothing.
std::string check_priorities(std::string_view names);
// Is this one of the list?
bool lists_priority(std::string_view names, std::string_view name);
// By bound is the order of a search without priorities: then it needs no list.
inline bool is_by_bound(std::string_view names) { return names == "pb"; }

}  // namespace heddle
