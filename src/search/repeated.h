// The same search several times over, for measurements (run --repeat). Where one has no plan to give before results are
// there, the next is begun, so that a search of a few hundred schedules is measured as one of millions runs: with plans
// ahead. Those that began first come first.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace heddle {

class RepeatedSearch final : public Strategy {
 public:
  // Makes a search whose plans have this number and those that follow it.
  using Make = std::function<std::unique_ptr<Strategy>(PlanId first_plan)>;
  RepeatedSearch(Make make, unsigned times);

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan) override;
  std::optional<GraphHash> hash_of_last() const override { return searches_[learned_].search->hash_of_last(); }
  // Of one that has come to its end, if any has.
  Coverage coverage() const override;
  // Only the first, as long as it runs, is watched for what it leaves out.
  bool reduces() const override { return searches_.front().first_plan == 1 && searches_.front().search->reduces(); }
  void distrust(const std::string& why) override;
  std::string why_not_followed(const Plan& plan, const Execution& execution) const override;
  std::string take_note() override;
  // Nothing is kept of measurements.
  void save(StateWriter&) const override {}
  bool restore(StateReader&) override { return false; }

 private:
  struct Search {
    PlanId first_plan;
    std::unique_ptr<Strategy> search;
    bool waits = false;  // it has no plan until it has learned something
  };
  void begin();
  std::size_t search_of(PlanId plan) const;

  Make make_;
  unsigned times_;
  unsigned begun_ = 0;
  std::vector<Search> searches_;  // those that have not come to their end; never none
  std::size_t latest_ = 0;        // the one that gave the last plan
  std::size_t learned_ = 0;       // the one that has learned last
  std::optional<Coverage> finished_;
};

}  // namespace heddle
