// What walks learn of a program from the executions that were seen: how long they are, how many threads main creates in
// a row, and which thread does how much to which object. Samplers draw better with it; none needs it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "search/reads_from.h"
#include "trace/execution.h"

namespace heddle {

class WalkKnowledge {
 public:
  // How many operations of each task (by its number) name an object, and whether its order may matter: another task
  // names it, too, and one of them writes.
  struct Uses {
    std::vector<std::uint32_t> of_task;
    bool wrote = false;
    bool matters() const;
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.of_task, self.wrote);
    }
  };

  // Is this a place in code between whose calls there are no steps? Empty: there is none.
  explicit WalkKnowledge(std::function<bool(Site)> is_plain_code = {}) : is_plain_code_(std::move(is_plain_code)) {}

  void learn(const Execution& execution);
  // The steps of an execution; 0: none was seen.
  std::uint32_t length() const { return length_; }
  // The most steps of an execution that came to its end.
  std::uint32_t longest() const { return longest_; }
  // The tasks that there are when the first one has created all that it creates before it has to wait for any; 1: none.
  std::uint32_t burst() const { return burst_; }
  // Are there releases in such code? Then threads are to stop behind them.
  bool plain_releases() const { return plain_releases_; }
  // Of all operations.
  const Uses& all() const { return all_; }
  // The objects whose order matters, by their addresses.
  const std::map<std::uint64_t, Uses>& shared() const { return shared_; }
  ReadsFrom& reads_from() { return reads_from_; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.learned_, self.length_, self.longest_, self.burst_, self.plain_releases_, self.all_, self.shared_,
            self.reads_from_);
  }

 private:
  void count_uses(const Execution& execution);

  std::function<bool(Site)> is_plain_code_;
  std::uint64_t learned_ = 0;
  std::uint32_t length_ = 0, longest_ = 0;
  std::uint32_t burst_ = 1;
  bool plain_releases_ = false;
  Uses all_;
  std::map<std::uint64_t, Uses> shared_;
  ReadsFrom reads_from_;
};

}  // namespace heddle
