// A strategy's entry: its name, its help, its own options, what it promises and what it can't handle. Each strategy
// defines its entry in its own file. The command line, the checks of options, the words of reports and the table in the
// guide all come from it; nothing else compares strategies.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/strategy.h"
#include "search/walk_knowledge.h"

namespace heddle {

// An option of a strategy's own. Its value is a whole number ("N"), one of several words ("none|states|all"), or
// a text of another name ("LIST").
struct StrategyOption {
  const char* name;  // "--max-preemptions"
  const char* value;
  const char* help;
  const char* initial = "";       // empty: it is not set
  std::uint64_t greatest = 1000;  // of a number
  // Of a text: what is wrong with it; empty: nothing.
  std::string (*check)(std::string_view text) = nullptr;
  bool is_text() const { return !is_number() && std::string_view(value).find('|') == std::string_view::npos; }
  bool is_number() const { return std::string_view(value) == "N"; }
};

// An option that would have no effect on the strategy, and why, as the user is told.
struct UnfitOption {
  const char* option;
  std::string why;
};

// The values of strategies' own options that were given, by the names of these.
using OptionValues = std::map<std::string, std::string, std::less<>>;

// Makes the plan of a walk (walks.h).
class Draws;
class StatementOrders;
using Sampler = void (*)(Plan& plan, const Walk& walk, WalkKnowledge& knowledge, Draws& draws);

struct StrategyOptions {
  std::uint64_t seed = 1;
  bool early_timeouts = true;
  bool spurious_wakeups = false;
  bool weak_memory = false;  // how many old values are read in an execution is limited
  // Instructions of code whose plain accesses are not seen are steps (--patch=yes): which steps are independent is not
  // known.
  bool patched = false;
  // Is this a place where threads are not to be preempted? Empty: there is none.
  std::function<bool(Site)> no_preempt = {};
  // Is this a place in a file of the program that is not instrumented?
  std::function<bool(Site)> is_plain_code = {};
  // Is this a place in a file whose accesses to memory are not seen, and which is no library of the language? Empty:
  // there is none.
  std::function<bool(Site)> is_unseen_code = {};
  // Is this place in one of the functions that were named? Is this object one of the variables? Empty: none are.
  std::function<bool(Site)> is_method = {};
  std::function<bool(const ObjectRecord&)> is_variable = {};
  // The function at a place, and the variable at an address; empty where it is not known.
  std::function<std::string(Site)> name_place = {};
  std::function<std::string(std::uint64_t)> name_object = {};
  // How much memory the run may take; 0: there is no limit. Where what waits to be run goes beyond that; empty:
  // nowhere.
  std::uint64_t memory_bytes = 0;
  std::string frontier_file = {};
  std::shared_ptr<StatementOrders> orders = nullptr;  // that good runs have shown; null: none are kept
  OptionValues own = {};
  std::shared_ptr<const Subtrees> shard = nullptr;     // null: everything is searched
  PlanId first_plan = 1;                               // its plans are counted from here
  std::shared_ptr<WalkKnowledge> knowledge = nullptr;  // shared with other walks; null: the strategy has its own
};

struct StrategyEntry {
  std::string_view name = {};  // as after --search=
  const char* help = "";       // what it runs, in one sentence
  std::vector<StrategyOption> options = {};
  // Options of another strategy that it knows, too.
  std::vector<std::string_view> shared = {};
  // The one of them that says at which bound the search ends; empty: there is none.
  std::string_view limit = {};
  Promise promise = {};
  std::vector<UnfitOption> unfit = {};  // besides the options of other strategies
  // What it has to remember grows with the choices of an execution: one of too many is not learned.
  bool remembers_choices = true;
  Sampler sampler = nullptr;  // of a strategy that draws
  // Each schedule is drawn like every other, whatever came before.
  bool independent = false;
  bool any_stale = false;  // of weak memory: --max-stale does not hold, each old value is read that may be read
  double share = 0;        // what it has of the default search at first (automatic.cpp); 0: it is no part of it
  // After so many schedules the places that were seen to race become scheduling points, and the search begins anew.
  std::uint64_t races_collected_in = 64;
  std::unique_ptr<Strategy> (*make)(const StrategyEntry& entry, const StrategyOptions& options) = nullptr;

  // Of an option of its own: what was given, else what it is at first.
  std::string value(const OptionValues& given, std::string_view option) const;
  // Has it such an option, of its own or another strategy's?
  bool knows(std::string_view option) const;
  std::optional<std::uint64_t> number(const OptionValues& given, std::string_view option) const;
};

}  // namespace heddle
