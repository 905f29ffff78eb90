// Priorities that look at one thing each. Source: GAMBIT (PPoPP 2010), sections 4.1 to 4.3.
#include <absl/container/flat_hash_set.h>

#include "protocol/mix.h"
#include "search/priority.h"

namespace heddle {
namespace {

class FewPreemptions final : public Priority {
 public:
  explicit FewPreemptions(const PriorityOptions&) {}
  std::int64_t of(const Deviation& deviation) override { return deviation.preemptions; }
};

// Where we deviate: there are 64 classes, not as many as numbers. Within a class the search goes deep, so it keeps
// less.
class Drawn final : public Priority {
 public:
  explicit Drawn(const PriorityOptions& options) : seed_(options.seed) {}
  std::int64_t of(const Deviation&) override {
    constexpr std::uint64_t kClasses = 64;
    return static_cast<std::int64_t>(scrambled(seed_ * kGoldenRatio + ++drawn_) % kClasses);
  }
  void save(StateWriter& writer) const override { writer(drawn_); }
  void restore(StateReader& reader) override { reader(drawn_); }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

// How many of two are not what is wanted: 0 is high, 1 medium, 2 low (section 4.3).
std::int64_t missing(bool one, bool other) { return (one ? 0 : 1) + (other ? 0 : 1); }

// The function that is preempted, and the one that comes instead.
class Methods final : public Priority {
 public:
  explicit Methods(const PriorityOptions& options) : is_method_(options.is_method) {}
  std::int64_t of(const Deviation& deviation) override {
    if (!is_method_) return 0;
    return missing(is_method_(lookahead().made(deviation.step).site),
                   is_method_(lookahead().next(deviation.choice.task, deviation.step).site));
  }

 private:
  std::function<bool(Site)> is_method_;
};

class Variables final : public Priority {
 public:
  explicit Variables(const PriorityOptions& options) : is_variable_(options.is_variable) {}
  std::int64_t of(const Deviation& deviation) override {
    if (!is_variable_) return 0;
    return missing(names_one(lookahead().made(deviation.step)),
                   names_one(lookahead().next(deviation.choice.task, deviation.step)));
  }

 private:
  bool names_one(const NextOperation& operation) const {
    const auto is_one = [&](ObjectId id) {
      const ObjectRecord* const object = id != kNoObject ? lookahead().execution().object(id) : nullptr;
      return object != nullptr && is_variable_(*object);
    };
    return is_one(operation.object) || is_one(operation.object2);
  }
  std::function<bool(const ObjectRecord&)> is_variable_;
};

// Places of data races that were seen.
class RacingPlaces final : public Priority {
 public:
  explicit RacingPlaces(const PriorityOptions&) {}
  void learn(const Execution& execution) override {
    for (const ExecutionRace& race : execution.races) places_.insert({race.earlier.site, race.later.site});
  }
  std::int64_t of(const Deviation& deviation) override {
    return missing(places_.contains(lookahead().made(deviation.step).site),
                   places_.contains(lookahead().next(deviation.choice.task, deviation.step).site));
  }
  void save(StateWriter& writer) const override { writer(places_); }
  void restore(StateReader& reader) override { reader(places_); }

 private:
  absl::flat_hash_set<Site> places_;
};

// What the search has not seen the state of comes first; then what may lead to such a one.
class NewStates final : public Priority {
 public:
  explicit NewStates(const PriorityOptions&) {}
  std::int64_t of(const Deviation& deviation) override {
    if (deviation.ahead == Deviation::Ahead::New) return 0;
    return deviation.ahead == Deviation::Ahead::NotKnown ? 1 : 2;
  }
};

template <typename One>
std::unique_ptr<Priority> make(const PriorityOptions& options) {
  return std::make_unique<One>(options);
}

}  // namespace

PriorityEntry pb_priority() { return {"pb", "few preemptions", make<FewPreemptions>}; }
PriorityEntry rand_priority() { return {"rand", "drawn ones", make<Drawn>}; }
PriorityEntry method_priority() { return {"method", "switches between the functions of --method", make<Methods>}; }
PriorityEntry var_priority() { return {"var", "switches at the variables of --var", make<Variables>}; }
PriorityEntry race_priority() { return {"race", "switches at places where data races were seen", make<RacingPlaces>}; }
PriorityEntry new_states_priority() { return {"new", "what leads to a state that was not seen", make<NewStates>}; }

}  // namespace heddle
