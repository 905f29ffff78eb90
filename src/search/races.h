// The reversible races of one execution, which partial-order reduction explores next. A race is a pair of dependent
// steps of different tasks that nothing else orders, and the second step could have come first.
//
// Source: Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction",
// JACM 2017, sections 3 and 4. Where we deviate, because operations here block:
//   - A step that let the second one go on (an unlock before a lock) can't be reversed with it. Then the race is with
//     the step that blocked it (the lock before that unlock), as in Nidhugg for mutexes. StepMarks say what was open
//     before each step, so this holds for every kind of object.
//   - The pending operations at the end count like steps: a task that waits for a lock in a deadlock could have had it,
//     and a task that had not ended could have gone on before the end of the process.
//   - A wait with a deadline goes on like a try: with its object where that is open, and otherwise without. If it comes
//     earlier, its accesses depend on whether its object would be open then.
//   - Some steps wait for the kernel, a signal or another process. Steps of that kind decide whether they can go on;
//     these all depend on each other, so they are in one order. If the waiting step was pending at one of them, the
//     record says whether it could have come first; if it could not, the one before that is looked at (scan_back()). If
//     it was not pending there, nobody knows: the race may not exist (Race::may_not_exist), and the execution that
//     tries it shows what happens (analyse_waiting()).
//   - The end of the process is no second where it is plain (plain_end.h). As a first it is one with the step before it
//     that began it.
// The dependence relation is in protocol/dependence.h.
#pragma once

#include <cstdint>
#include <vector>

#include "search/execution_order.h"
#include "trace/execution.h"

namespace heddle {

struct Race {
  std::uint32_t first = 0;        // the step that would come later
  std::uint32_t second_step = 0;  // where the second is, or the number of steps if it was not taken
  Event second;                   // what would come before the first
  bool may_not_exist = false;     // the second may have to wait there
};

class Races {
 public:
  explicit Races(bool early_timeouts) : early_timeouts_(early_timeouts), order_(early_timeouts) {}

  // Reads an execution; what follows is about it. The first `kept` steps are those of the execution before it. Races
  // among the first `known` steps (not fewer) are not told: they were, of some execution that shares these. What is
  // behind `known` and independent of the first of such a race comes before the second in the reversal, but it depends
  // on it no more than there, so it makes no difference.
  void analyse(const Execution& execution, std::uint32_t kept = 0, std::uint32_t known = 0);
  // Reads one that ended where this task had to wait. The races of what it waits in are told, and no others.
  void analyse_waiting(const Execution& execution, std::uint32_t kept, TaskId task);
  const ExecutionOrder& order() const { return order_; }
  const std::vector<Race>& races() const { return races_; }
  // What leads to the reversed race from the state before its first step: all steps behind it that do not happen after
  // it, then the second. But of those behind the second none that had alternatives, and what happens after these: the
  // race is told only once, with one of them, and all have to be explored behind the reversed race.
  std::vector<Event> reversal(const Race& race) const;

 private:
  static constexpr std::uint32_t kNone = ExecutionOrder::kNone;

  // The second of possible races: a step, or what a task was about to do at the end.
  struct Second {
    OperationKind kind = OperationKind::None;
    TaskId task = 0;
    std::uint32_t step = 0;  // the number of steps for what was not taken
    Access access;           // by the numbers of this execution
    Event event;
    std::uint32_t behind = 0;      // the task's step before it, or its creation; kNone: it was there at the start
    bool timed_out = false;        // it ended by its deadline
    bool timed = false;            // it had a deadline that ended it or could have
    bool overdue = false;          // it ended by a deadline that was over, and had been since before what it races with
    bool was_open = false;         // it found its object open
    bool blocked = false;          // at the end, where it could not go on
    std::uint32_t signal = kNone;  // of a reacquire: what ended the wait on
    ObjectId condition = kNoObject;
  };

  void find_races(std::uint32_t first);
  void find_last_before(std::uint32_t first);
  void set_past(Second& second, std::uint32_t before, std::uint32_t signal);
  void search_for(const Second& second);
  void scan_object(const Second& second, ObjectId object);
  void scan_all(const Second& second);
  void scan_sequential(const Second& second);
  void scan_back(const Second& second);
  void scan_pending();
  Second second_of(const PendingRecord& pending);
  bool candidate(const Second& second, std::uint32_t step);
  bool covered(const Second& second, std::uint32_t step) const;
  bool could_come_first(const Second& second, std::uint32_t step) const;
  bool may_have_to_wait(const Second& second, std::uint32_t step) const;
  bool would_be_open(const Second& second, std::uint32_t step) const;
  void settle(const Second& second);
  Event as_it_would_go_on(const Second& second, std::uint32_t step) const;
  void scan_wake(const Second& second);
  Access access_if_timed_out(const Second& second, std::uint32_t step) const;

  bool early_timeouts_;
  ExecutionOrder order_;
  std::vector<std::uint32_t> last_before_;  // by task: its last step before the present second; kNone
  std::uint32_t plain_end_ = kNone;         // the first step of its plain end (plain_end.h), or the number of steps
  std::vector<std::uint32_t> past_;         // of the present second: the clock of what came before it
  std::vector<std::uint32_t> candidates_;
  std::vector<Race> races_;
};

}  // namespace heddle
