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
    std::uint32_t number = 0;   // in numbered sites; 0: none
    bool operator==(const Entry&) const = default;
  };
  // Where each process has other addresses, steps have numbered sites instead, which are the same in each: this bit,
  // the number of a file, and the address in it.
  static constexpr unsigned kNumberShift = 40;
  static constexpr Site kNumbered = Site{1} << 55;
  static constexpr std::uint32_t kMaxNumbers = (1u << 14) - 1;
  // Where that can't be, an address with this bit: it says where, but must not be compared with that of another
  // process.
  static constexpr Site kUnplaced = Site{1} << 54;
  static constexpr bool is_numbered(Site site) { return site >> 55 == 1; }
  static constexpr bool is_unplaced(Site site) { return site >> 54 == 1; }

  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  const std::vector<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  bool operator==(const ModuleMap&) const = default;

  // The address in this process.
  Site here(Site site) const {
    if (is_unplaced(site)) return site - kUnplaced;
    if (!is_numbered(site)) return site;
    const Site number = (site - kNumbered) >> kNumberShift, offset = site & ((Site{1} << kNumberShift) - 1);
    for (const Entry& entry : entries_)
      if (entry.number != 0 && entry.number == number) return entry.base + offset;
    return site;
  }

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
