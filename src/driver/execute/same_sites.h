// Where address randomization can't be switched off: the places of steps as numbered sites (trace/modules.h), which are
// the same in each process of the program, and names for objects that don't depend on addresses. By them a search
// recognizes places in another process. It needs that twice: a preemption pruned before an operation is made up for
// when that operation turns out to race elsewhere, and partial-order reduction must know which objects are the same.
//
// Only files that are loaded when executions begin have numbers: later ones become known at the end of the execution,
// if at all. A step from such a file is marked: its place can't be recognized.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/records.h"
#include "trace/modules.h"

namespace heddle {

// The numbers of files by their names without folders (protocol/places.h says why), for all processes of a search.
class FileNumbers {
 public:
  // From 1; 0: there are too many.
  std::uint32_t of(const std::string& path);
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.names_);
  }

 private:
  std::vector<std::string> names_;
};

// For one process after the other.
class SameSites {
 public:
  // The records of another process come.
  void restart() { known_ = false; }
  bool known() const { return known_; }
  // The files that are loaded where executions begin, with their numbers.
  void enter(ModuleMap at_start);
  // Marked, if it is in none of them; 0 stays 0.
  Site of(Site site) const;
  // Some of the first of these records, with numbered sites.
  std::span<const Record> translate(std::span<const Record> records);

 private:
  std::uint32_t place_of(const ObjectRecord& object) const;

  bool known_ = false;
  ModuleMap modules_;
  std::vector<Record> translated_;
};

}  // namespace heddle
