// What depends on who ran between the yields of a task, at a state of an execution. It depends on the order of steps
// that are otherwise independent, so equal states must agree in it, too. It is read from the record of the execution:
//   - What the fair scheduler remembers (model/fairness.h has the algorithm): which task is held back until which one
//     has run, and what it has noted for each task that has yielded. The record says which yields counted.
//   - How patient a task still is. The first yields of a loop do not count for fairness. How many those are depends on
//     whether others ran in between (yields_patiently() in model/spinning.h, runtime/schedule/yields.h).
#pragma once

#include <cstdint>

#include "analysis/graph_hash.h"
#include "trace/execution.h"

namespace heddle {

class FairnessState {
 public:
  // `matters`: what may_matter() says of it. Otherwise nothing is ever remembered.
  void begin(const Execution& execution, bool matters);
  static bool may_matter(const Execution& execution);
  // To the decision of `step`, not before the present one.
  void advance_to(std::uint32_t step);
  // The fair scheduler remembers nothing: nobody who could still run has yielded in a way that counts.
  bool empty() const { return yielded_ == 0; }
  // There are more tasks than are looked at.
  bool unknown() const { return unknown_; }
  void mix_into(GraphHash& state) const;
  // As mix_into() behind one more step, which must not make its task yield; only while empty() holds.
  void mix_behind(const StepRecord& step, GraphHash& state) const;

 private:
  struct Task {
    std::uint64_t enabled = 0;    // since its last yield throughout
    std::uint64_t scheduled = 0;  // since then
    std::uint64_t disabled = 0;   // by it, since then
    std::uint64_t edges = 0;      // it is held back while one of these is enabled
  };
  // Tasks whose yields may be patient. One bit of each set is for one task.
  struct Patience {
    std::uint64_t read = 0;            // it has read memory by operations: the model has patience with it
    std::uint64_t waited = 0;          // it has yielded patiently by what the runtime knows
    std::uint64_t met = 0;             // others ran since its last yield
    std::uint64_t met_before = 0;      // they had done so when it came to its present operation
    std::uint8_t by_model[64] = {};    // how many yields it has made since others ran, as the model counts them
    std::uint8_t by_runtime[64] = {};  // as the runtime does

    void on_step(const StepRecord& made);
  };

  void decide();
  void on_step(const StepRecord& made, std::uint64_t enabled_before);
  void on_yield(TaskId task);
  void mix_patience(const Patience& patience, GraphHash& state) const;

  const Execution* execution_ = nullptr;
  std::uint32_t decision_ = 0;  // the next one to be looked at
  std::size_t change_ = 0;      // the next one to be taken
  Gates gates_;
  std::uint64_t enabled_ = 0, ended_ = 0, yielded_ = 0;
  bool unknown_ = false;
  bool matters_ = false;
  Task tasks_[64] = {};
  Patience patience_;
};

}  // namespace heddle
