// Finds what tells tasks apart that were started alike. As long as nothing does, exchanging them in a schedule gives a
// schedule, and the states on both ways are equal up to the exchange.
//
// What a task does depends on what it has seen, and that is in the hash. But tasks have names that are not, and
// somebody may act on these:
//   - Their creator names one: it cancels it, sends it a signal, tries to join it. That is a step.
//   - A task asks who it is, or somebody asks a task for something of its own: its handle, its number, its name, its
//     processor, what its function has returned. The runtime says so (MessageKind::ToldApart).
//   - Their creator joins some of them, and then goes on while others run. It may go on only where these have ended.
// Then the class is told apart. Two cases are harmless. If the creator joins all of a class, at one place, and makes no
// other step meanwhile, it goes on when all of them have ended, in whatever order. To detach them changes nothing for
// anybody.
//
// That is noticed in time. Take a schedule in which somebody acts on a name, and the part before the first time. Up to
// there nothing tells the tasks apart, so the search runs an execution that is the same up to an exchange. In it the
// same task comes to the same operation, which names one of the class, too.
//
// A task that creates others is told apart: its tasks would have to be exchanged with it.
//
// Not seen, and so an assumption (Coverage::symmetric): a thread that acts on an address of its stack; a creator that
// does something between its joins which is no step, on which others depend. And a data race of the creator with one of
// them, which it can have only before the next was created, may be found with another schedule than those that are
// left.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/alike_tasks.h"
#include "trace/execution.h"

namespace heddle {

class Distinctions {
 public:
  explicit Distinctions(ToldApart& told_apart) : told_apart_(told_apart), names_(&told_apart) {}

  // True: the execution shows that a class is to be told apart, which was not known.
  bool find(const Execution& execution);
  // In the execution that was looked at last.
  bool any_alike() const { return names_.any_alike(); }

 private:
  // A class some of whose tasks have been joined.
  struct Joining {
    TaskId first;
    TaskId creator;
    Site place;     // of the joins
    unsigned left;  // to be joined
  };

  void on_step(const Execution& execution, const StepRecord& step);
  void on_join(const Execution& execution, const StepRecord& step);
  void on_other_step(TaskId task);
  TaskId first_of_thread(const Execution& execution, ObjectId thread) const;
  void tell_apart(TaskId task);

  ToldApart& told_apart_;
  TaskNames names_;
  std::vector<Joining> joining_;
  bool found_ = false;
};

}  // namespace heddle
