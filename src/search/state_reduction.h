// Which states of an execution, and which choices there, a bounded search need not look at, because an equivalent state
// was, or will be, looked at with as much left to spend.
//
// States are equal when the same steps led to them in the same order, as far as it matters (HappensBefore,
// Relation::Careful), and the fair scheduler remembers the same (fairness_state.h). StateTable has the rule on
// preemptions. Often it is known where a choice leads before it is made: the record says what each task did next, and
// an operation with the same past does the same. So most choices that lead to known states never run.
//
// Why nothing is lost. Take any schedule within the bound. Follow it through the search as far as states were expanded,
// up to a state s that was not expanded because it was known. The search has expanded an equal state, or will. From
// that state the rest of the schedule is possible, with no more preemptions in all, and gives an equivalent execution.
// Go on from there: each time more of the schedule has been followed, so in the end there is an execution that was run.
//
// Tasks that are alike (analysis/alike_tasks.h) share a name, and equal states may differ in which of them did what
// (symmetry reduction: Ip and Dill, FMSD 1996; Emerson and Sistla, FMSD 1996). The argument is the same, with the roles
// of tasks exchanged along the way, as long as nobody can tell them apart (distinctions.h). What is kept by the number
// of a task goes by its role, or counts only between states
// where everybody has the same one (Roles::assignment()).
//
// It holds for programs whose steps depend on nothing but the order of dependent steps. Where threads learn of each
// other by memory that Heddle does not see (atomics, races), equal states may differ. Two things watch over this.
// Futexes show that memory decides who waits. And when an execution comes to a known state, its default continuation
// and its end are compared with those of the earlier execution; some known choices run for that alone. If they differ,
// the reduction has to be given up (why_not()).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/happens_before.h"
#include "search/fairness_state.h"
#include "search/state_table.h"
#include "trace/execution.h"

namespace heddle {

class StateReduction {
 public:
  struct Options {
    std::size_t most_states = std::size_t{1} << 24;
    unsigned sample_every = 64;  // of choices that lead to known states, so many are pruned before one is run; 0: none
    // Which tasks that were started alike are told apart; the others are interchangeable. Null: none are.
    const ToldApart* told_apart = nullptr;
  };
  explicit StateReduction(const Options& options);

  // An execution whose states from `first` on are asked for, in order. False: it makes no sense.
  bool begin(const Execution& execution, std::uint32_t first);
  // To the state before `step`.
  void advance_to(std::uint32_t step);

  // There is nothing that the fair scheduler would remember at the present state.
  bool nobody_has_yielded() const { return !failed_ && !fairness_.unknown() && fairness_.empty(); }

  // More than any schedule has: asks for a state, however many preemptions led there.
  static constexpr unsigned kAnyPreemptions = 256;
  enum class Claim { Free, Known, Unsure };
  // Need the present state not be expanded? If it need, it is noted. `claimed`: a choice was claimed that leads here,
  // and this is the execution that made it.
  bool enter(unsigned preemptions, bool claimed);
  // Where a choice leads, if that is known before it is made.
  struct Ahead {
    GraphHash state;
    TaskId last = kNoTask;  // who will have run last, by its role
    bool is_role = false;   // so it does not follow from the choice
    bool known() const { return !(state == GraphHash()); }
  };
  // For a choice at the present state. What is known of the state that it leads to is fetched.
  Ahead ahead(Choice choice);
  // The choice that leads there. Known: it need not be made. Free: whoever asked is to make it. Unsure: it is not known
  // where it leads, or it leads to a known state and is to be made as a sample. With `may_note` false nothing is
  // claimed: what is not known is unsure.
  Claim claim(const Ahead& ahead, unsigned preemptions, bool may_note = true);
  // Only asks.
  bool known(const Ahead& ahead, unsigned preemptions) const;
  // The same for choices that were pruned and are wanted now; none of them is a sample.
  bool claim_later(const Ahead& ahead, unsigned preemptions);
  // After the last state: compares.
  void end();
  // Of an execution that is of no other use: compares what follows the first state from `first` on that has been seen.
  void watch(const Execution& execution, std::uint32_t first);

  // The hash of all of the execution that was looked at last, where it is that of Relation::Graph, too.
  const std::optional<GraphHash>& whole() const { return whole_; }
  void forget_whole() { whole_.reset(); }

  // Null as long as the reduction holds; else why not, in words.
  const char* why_not() const { return why_not_; }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.table_, self.samples_, self.pruned_);
  }
  std::uint64_t pruned() const { return pruned_; }
  std::size_t states() const { return table_.size(); }

 private:
  // What followed a state by default.
  struct Sample {
    std::uint64_t state = 0;
    std::uint64_t followed_by = 0;
  };
  // So many are kept: with few states fewer, but more than there are states, since each has one place only.
  static constexpr std::size_t kFewestSamples = std::size_t{1} << 8, kMaxSamples = std::size_t{1} << 14;
  static constexpr std::size_t kSamplesForState = 8;
  Sample& sample_of(std::uint64_t state) { return samples_[state & (samples_.size() - 1)]; }
  void grow();

  void look_ahead(std::uint32_t first);
  GraphHash present() const;
  std::uint64_t sample_key(const GraphHash& state) const;
  std::uint64_t result() const;
  void compare_outcome();
  bool predict(Choice choice, StepRecord& step) const;

  Options options_;
  HappensBefore walk_;
  FairnessState fairness_;
  StateTable table_;
  const Execution* execution_ = nullptr;
  std::uint32_t step_ = 0;               // the state before this step is the present one
  bool failed_ = false;                  // the record makes no sense from here on
  std::vector<std::uint32_t> next_of_;   // by step: the next one of its task
  std::uint32_t scanned_from_ = 0;       // as far as that was looked for
  std::vector<std::uint32_t> upcoming_;  // by task: its next step from the present state on
  std::vector<std::uint64_t> entered_;   // states of this execution, for samples
  std::optional<GraphHash> whole_;
  std::uint64_t known_ = 0;  // the known state that it came to; 0: none
  std::vector<Sample> samples_;
  std::uint64_t pruned_ = 0;
  const char* why_not_ = nullptr;
};

}  // namespace heddle
