// Walks that run before a search, so that it knows orders of statements from good runs (orders.h; Wang, Said, Gupta,
// ICSE 2011, algorithm 1).
#pragma once

#include <cstdint>
#include <optional>

#include "search/strategy.h"
#include "search/walks.h"

namespace heddle {

class LearningRuns {
 public:
  // So many, with plans from `options.first_plan` on.
  LearningRuns(std::uint64_t count, Sampler sampler, const StrategyOptions& options)
      : left_(count), end_(options.first_plan + count), walks_(sampler, options) {}

  // The search's own plans are counted from here.
  PlanId end() const { return end_; }
  bool is_one(PlanId plan) const { return plan < end_; }
  // Nothing: all are run.
  std::optional<Next> next() {
    if (left_ == 0) return out_ == 0 ? std::optional<Next>() : Wait();
    --left_;
    ++out_;
    return walks_.next();
  }
  void learn(const Execution& execution) {
    --out_;
    walks_.learn(execution);
  }
  void lost(PlanId plan) {
    --out_;
    walks_.lost(plan);
  }
  // Those that are out are made again.
  void save(StateWriter& writer) const {
    writer(left_ + out_, end_);
    walks_.save(writer);
  }
  bool restore(StateReader& reader) {
    reader(left_, end_);
    return walks_.restore(reader);
  }

 private:
  std::uint64_t left_;
  std::uint64_t out_ = 0;
  PlanId end_;
  Walks walks_;
};

}  // namespace heddle
