// The files loaded into the target, so that code addresses can be given as (file, offset) after the process is gone.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "protocol/operations.h"

namespace heddle {

class ModuleMap {
 public:
  struct Entry {
    std::string path;
    std::uint64_t base = 0;     // load bias: address minus link-time address
    std::uint64_t begin = 0;    // lowest and
    std::uint64_t end = 0;      // one past the highest address
    bool instrumented = false;  // built with heddle-cc
  };

  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  const std::vector<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

  // The file that holds `site`, or null. The one loaded last wins where a file was unloaded and its addresses used
  // again.
  const Entry* find(Site site) const {
    for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
      if (site >= entry->begin && site < entry->end) return &*entry;
    return nullptr;
  }

 private:
  std::vector<Entry> entries_;
};

}  // namespace heddle
