// Where the schedules come from: the place of each schedule's last deviation from the default behaviour. A search that
// does not complete says which places brought most of its schedules, so that the user can leave them out.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "trace/execution.h"
#include "trace/plan.h"

namespace heddle {

struct SwitchPlace {
  // Of the object that the thread was about to operate on, before which another went first; 0: of different ones. (Its
  // number another execution may give to another object.)
  std::uint64_t address = 0;
  Site site = 0;  // of that operation
  OperationKind operation = OperationKind::None;
  std::uint64_t schedules = 0;
};

class SwitchPlaces {
 public:
  // One schedule and what came of it. Looks at a few steps only, however long it is.
  void add(const Plan& plan, const Execution& execution);
  // Those that brought most, the first first; at most `count`.
  std::vector<SwitchPlace> worst(std::size_t count) const;
  std::uint64_t schedules() const { return schedules_; }  // that had a deviation
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.places_, self.schedules_);
  }

 private:
  static constexpr std::size_t kMaxPlaces = 4096;  // others are not counted one by one
  static constexpr std::uint64_t kChecks = 1024;   // so often it is looked whether a place has the same object again
  absl::flat_hash_map<Site, SwitchPlace> places_;
  std::uint64_t schedules_ = 0;
};

}  // namespace heddle
