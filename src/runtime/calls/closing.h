// What becomes of calls that stand at a descriptor which another thread closes: who is inside the kernel keeps the open
// file, who has not looked the number up yet finds what it leads to later: nothing, or another file. A call that a task
// has published, and that has not taken a step yet, can be either. So a step that closes has an alternative for each
// way in which it can be with those who stand there; by default all are inside.
#pragma once

#include "model/world.h"

namespace heddle::runtime {

struct Waiting;

// What a call gives that has come too late: perform_system_call() makes it once more, with all that it looks up.
inline constexpr long kStartsAnew = -(1L << 16);

// The open files that a call has found, as far as the program has closed their numbers since.
class HeldFiles {
 public:
  HeldFiles() = default;
  ~HeldFiles() { let_go(); }
  HeldFiles(const HeldFiles&) = delete;
  HeldFiles& operator=(const HeldFiles&) = delete;

  // The number under which the file is open now that the call has found by `number`.
  long of(long number) const;
  bool any() const { return count_ != 0; }
  bool has(long number) const { return of(number) != number; }
  bool hold(long number);  // false: there is no room
  void let_go();

  bool has_begun = false;  // the call is inside the kernel for certain

 private:
  static constexpr unsigned kMost = 8;
  struct {
    int number, held;
  } files_[kMost];
  unsigned count_ = 0;
};

struct NumberRange {
  long first, last;
};

// Before `numbers` are closed: the step, and what becomes of the others. `descriptor` is the number that names it;
// where `is_step` is false, as nobody can be waiting there, all are inside.
void take_closing_step(NumberRange numbers, long descriptor, bool is_step, Site site);
// Before the flags of an open file change, which say whether calls on it block. Those who stand there go by the flags
// that they have found, or find the new ones.
void take_flags_step(long descriptor, Site site);

}  // namespace heddle::runtime
