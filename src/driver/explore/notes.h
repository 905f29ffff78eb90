// The notes of a run, as they arise: each text once, and a bounded number of them.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "driver/explore/observer.h"

namespace heddle {

class Notes {
 public:
  explicit Notes(Observer& observer) : observer_(observer) {}

  void add(const std::string& text) {
    if (is_full() || !noted_.insert(text).second) return;
    all_.push_back(text);
    observer_.on_note(text);
  }
  // Before a text is put into words, which takes longer than an execution: was it never asked about before?
  bool is_new(const std::string& as_written) { return !is_full() && as_written_.insert(as_written).second; }
  const std::vector<std::string>& all() const { return all_; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.all_, self.noted_, self.as_written_);
  }

 private:
  static constexpr std::size_t kMax = 100;
  bool is_full() const { return noted_.size() >= kMax; }

  Observer& observer_;
  std::vector<std::string> all_;
  std::set<std::string> noted_, as_written_;
};

}  // namespace heddle
