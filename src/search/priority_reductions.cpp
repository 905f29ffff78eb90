// Priorities by what reductions would keep. Within a bound they are not sound, so nothing is pruned by them: what they
// would not run comes later. Source: GAMBIT (PPoPP 2010), section 4.1 and figure 4.
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <memory>
#include <utility>

#include "search/priority.h"
#include "search/races.h"

namespace heddle {
namespace {

// What partial-order reduction would try: a choice that leads to the reversal of a race.
//
// Where we deviate: the races are those of races.h. Where the second's task can't go on before the first of a race,
// figure 4 adds all tasks that can (lines 35 to 37); here the first step of a sequence that leads there is added.
class Reversals : public Priority {
 public:
  explicit Reversals(const PriorityOptions& options) : races_(options.early_timeouts) {}

  void begin(const Lookahead& lookahead, std::uint32_t first) override {
    Priority::begin(lookahead, first);
    wanted_.clear();
    led_to_.clear();
    const Execution& execution = lookahead.execution();
    // Of long executions, the first races are looked at.
    constexpr std::size_t kMostReversals = 4'096;
    std::size_t reversals = 0;
    races_.analyse(execution, 0, first);
    for (const Race& race : races_.races()) {
      if (race.first < first) continue;
      wanted_.insert({race.first, race.second.choice.task});
      if (led_to_.contains(race.first) || ++reversals > kMostReversals) continue;
      const std::vector<Event> reversal = races_.reversal(race);
      if (!reversal.empty()) led_to_.emplace(race.first, reversal.front().choice.task);
    }
  }

 protected:
  enum class Wanted { Yes, Conservatively, No };
  Wanted wanted(const Deviation& deviation) const {
    const TaskId task = deviation.choice.task;
    if (wanted_.contains({deviation.step, task})) return Wanted::Yes;
    const auto found = led_to_.find(deviation.step);
    if (found != led_to_.end() && found->second == task) return Wanted::Conservatively;
    // Another way of the same operation: which waiter wakes, what is drawn.
    if (lookahead().execution().steps[deviation.step].task == task) return Wanted::Conservatively;
    return Wanted::No;
  }

 private:
  Races races_;
  absl::flat_hash_set<std::pair<std::uint32_t, TaskId>> wanted_;
  absl::flat_hash_map<std::uint32_t, TaskId> led_to_;  // by the first step of a race
};

class Dpor final : public Reversals {
 public:
  using Reversals::Reversals;
  std::int64_t of(const Deviation& deviation) override { return wanted(deviation) == Wanted::No ? 1 : 0; }
};

class ModifiedDpor final : public Reversals {
 public:
  using Reversals::Reversals;
  std::int64_t of(const Deviation& deviation) override {
    const Wanted how = wanted(deviation);
    if (how == Wanted::No) return 2;
    const bool before_release = is_release(lookahead().made(deviation.step).kind);
    return how == Wanted::Conservatively || before_release ? 1 : 0;
  }
};

// Sleep sets (Godefroid 1996): where a task could have gone on one step earlier, and that step is independent of what
// the task does, the other order has the same effect.
class SleepSets final : public Priority {
 public:
  explicit SleepSets(const PriorityOptions&) {}
  std::int64_t of(const Deviation& deviation) override {
    const auto [step, choice, preemptions, ahead] = deviation;
    if (step == 0 || choice.variant != 0) return 0;
    const NextOperation next = lookahead().next(choice.task, step);
    const StepRecord& before = lookahead().execution().steps[step - 1];
    if (!next.known() || before.task == choice.task) return 0;
    const bool begins = next.kind == OperationKind::ThreadStart && before.operation == OperationKind::ThreadCreate;
    return begins || dependent(next.access(), lookahead().made(step - 1).access()) ? 0 : 1;
  }
};

template <typename One>
std::unique_ptr<Priority> make(const PriorityOptions& options) {
  return std::make_unique<One>(options);
}

}  // namespace

PriorityEntry dpor_priority() { return {"dpor", "what partial-order reduction would run", make<Dpor>}; }
PriorityEntry mdpor_priority() {
  return {"mdpor", "the same; what it adds to be on the safe side, and switches before releases, come later",
          make<ModifiedDpor>};
}
PriorityEntry ss_priority() { return {"ss", "what sleep sets would not prune", make<SleepSets>}; }

}  // namespace heddle
