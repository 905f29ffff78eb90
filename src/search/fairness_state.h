// What the fair scheduler remembers at a state of an execution (src/model/fairness.h has the algorithm): which task is
// held back until which one has run, and what it has noted for each task that has yielded. It depends on the order of
// steps that are otherwise independent, so equal states must agree in it, too. It is read from the record of the
// execution.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/graph_hash.h"
#include "trace/execution.h"

namespace heddle {

class FairnessState {
 public:
  // `next_of`: of each step, the next one of the same task (kNone: there is none). `first_of`: by task, its first one.
  // Both are needed only where anybody yields; `matters` is what may_matter() says of it.
  void begin(const Execution& execution, const std::vector<std::uint32_t>& next_of,
             const std::vector<std::uint32_t>& first_of, bool matters);
  static bool may_matter(const Execution& execution);
  // To the decision of `step`, not before the present one.
  void advance_to(std::uint32_t step);
  // Nobody who could still run has yielded: there is nothing to remember.
  bool empty() const { return yielded_ == 0; }
  // The record does not tell what it is.
  bool unknown() const { return unknown_; }
  void mix_into(GraphHash& state) const;

  static constexpr std::uint32_t kNone = 0xffffffff;

 private:
  struct Task {
    std::uint64_t enabled = 0;    // since its last yield throughout
    std::uint64_t scheduled = 0;  // since then
    std::uint64_t disabled = 0;   // by it, since then
    std::uint64_t edges = 0;      // it is held back while one of these is enabled
  };

  void decide();
  void on_step(const StepRecord& made, std::uint64_t enabled_before);
  void on_yield(TaskId task);
  void yield_at_the_start(const std::vector<std::uint32_t>& first_of);
  bool is_yield(std::uint32_t step, TaskId task) const;

  const Execution* execution_ = nullptr;
  const std::vector<std::uint32_t>* next_of_ = nullptr;
  std::uint32_t decision_ = 0;  // the next one to be looked at
  std::size_t change_ = 0;      // the next one to be taken
  std::uint64_t enabled_ = 0, ended_ = 0, yielded_ = 0;
  bool interrupts_ = false;  // signals or cancellation: a pending yield need not be the next step
  bool unknown_ = false;
  bool matters_ = false;
  Task tasks_[64] = {};
};

}  // namespace heddle
