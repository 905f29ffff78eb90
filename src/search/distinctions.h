// Finds what tells tasks apart that were started alike. As long as nothing does, exchanging them in a schedule gives a
// schedule, and the states on both ways are equal up to the exchange.
//
// Their creator knows who is who, and can act on it in two ways that no hash of a state shows. It can name one of them
// (cancel it, send it a signal, try to join it); and it can get something from one of them that differs (what its
// function returned, MessageKind::ToldApart). Then the class is told apart.
//
// Joins name tasks, too. They tell nobody apart if the creator joins all of a class and makes no other step meanwhile:
// it goes on when all of them have ended, whatever the order. To detach them makes no difference to anybody.
//
// A task that creates others is told apart: its tasks would have to be exchanged with it.
//
// What is not seen: a thread that acts on its own pthread_t, or on an address of its stack, in another way than those
// like it do. That is an assumption (Coverage::symmetric).
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
    unsigned left;  // to be joined
  };

  void on_step(const Execution& execution, const StepRecord& step);
  void on_join(const Execution& execution, const StepRecord& step);
  void on_other_step(TaskId task);
  TaskId first_of_thread(const Execution& execution, ObjectId thread) const;
  unsigned size_of(TaskId first) const;
  void tell_apart(TaskId task);

  ToldApart& told_apart_;
  TaskNames names_;
  std::vector<Joining> joining_;
  bool found_ = false;
};

}  // namespace heddle
