// Priorities by what reductions would keep. Within a bound they are not sound, so nothing is pruned by them: what they
// would not run comes later. Source: GAMBIT (PPoPP 2010), section 4.1 and figure 4.
#include <memory>

#include "search/priority.h"
#include "search/reversals.h"

namespace heddle {
namespace {

class Dpor : public Priority {
 public:
  explicit Dpor(const PriorityOptions& options) : reversals_(options.early_timeouts) {}
  void begin(const Lookahead& lookahead, std::uint32_t first) override {
    Priority::begin(lookahead, first);
    reversals_.begin(lookahead.execution(), first, [](const Race&) { return true; });
  }
  std::int64_t of(const Deviation& deviation) override { return wanted(deviation) == Wanted::No ? 1 : 0; }
  bool needs_marks() const override { return true; }

 protected:
  using Wanted = Reversals::Wanted;
  Wanted wanted(const Deviation& deviation) const {
    // Another way of the same operation: which waiter wakes, what is drawn.
    if (lookahead().execution().steps[deviation.step].task == deviation.choice.task) return Wanted::Conservatively;
    return reversals_.wanted(deviation.step, deviation.choice.task);
  }

 private:
  Reversals reversals_;
};

class ModifiedDpor final : public Dpor {
 public:
  using Dpor::Dpor;
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
