// Does a thread wait in a loop for a plain variable? Such a loop comes to no scheduling point: the writer has not run,
// so nobody knows yet that the variable is shared. A thread is checked when it has made very many plain accesses
// without a step. If it only repeats the same few reads, it is in such a loop.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::model {

class PlainLoop {
 public:
  static constexpr std::uint32_t kLong = 1u << 20;  // so many accesses without a step are suspect
  static constexpr unsigned kMaxReads = 8;          // in a round
  static constexpr unsigned kRounds = 1000;
  // A loop that writes, or reads more, may wait, too, or be a long computation. After so many times kLong accesses it
  // is made to yield, as by the end of a time slice; after twice as many the next time, then four, then eight times.
  static constexpr unsigned kSlice = 16;
  static constexpr unsigned kMaxDoublings = 3;

  enum class Verdict : std::uint8_t { Unknown, Loop, NoLoop };
  // The next access since it was suspect.
  Verdict note(Site site, std::uint64_t address, bool write) {
    if (write) return Verdict::NoLoop;
    for (unsigned i = 0; i < count_; ++i)
      if (sites_[i] == site && addresses_[i] == address)
        return i == 0 && ++rounds_ == kRounds ? Verdict::Loop : Verdict::Unknown;
    if (count_ == kMaxReads || rounds_ != 0) return Verdict::NoLoop;
    sites_[count_] = site;
    addresses_[count_++] = address;
    return Verdict::Unknown;
  }
  // The sites of its reads.
  const Site* begin() const { return sites_; }
  const Site* end() const { return sites_ + count_; }

 private:
  Site sites_[kMaxReads] = {};
  std::uint64_t addresses_[kMaxReads] = {};
  unsigned count_ = 0;
  unsigned rounds_ = 0;
};

}  // namespace heddle::model
