// When are two executions the same but for the order of steps that have nothing to do with each other? When they have
// the same happens-before graph. HappensBefore gives every execution a hash of that graph.
//
// The graph. Nodes are the steps. An edge leads from each step to every later one that depends on it:
//   - two steps of one task;
//   - two steps that access one object, when at least one of them wrote it: operations that Write, where
//     StepFlags::Wrote says that they did (a wait that timed out did not, nor a try that found the object taken);
//   - the end of the process (OperationTraits::All) and any other step.
// A step accesses its `object`. A condition wait also accesses its second object: it releases the mutex. The second
// object of a mutex reacquire only names the condition variable. Yields and sleeps access nothing.
//
// No nodes are a task's first steps (it starts, its creation returns), and an end of the process that is only about to
// come (exit() runs handlers): they change nothing, and what the task does next says that they were. The end itself,
// the last step, is a node.
//
// Two executions are the same when their graphs are, with the same task, operation, variant and result at each node.
// A task is named by its creator and its place among that creator's tasks, because task numbers depend on the order in
// which unrelated threads were created. An object is named by its accesses alone, because its number and its first user
// depend on that order, too. Accesses are enough: with the same past, a step of a deterministic program has the same
// object.
//
// The hash. A step's hash is mixed from those of the steps it directly follows: the one before it in its task, the last
// write of each object it accesses, and for a write the sum of the reads since. The execution's hash is the sum over
// its steps. So neither depends on the order of independent steps. The hash does not cover what virtual time and
// fairness add to a schedule.
//
// Relation::Careful is for users who conclude from equal hashes that what can follow is equal, too
// (search/state_reduction.h). Steps that depend on more than objects are ordered with everything there: steps that move
// the virtual clock, and operations whose effect on others is not known. It orders creations with each other, so that
// tasks have the same numbers. Without such steps both relations give the same hash (is_plain()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/alike_tasks.h"
#include "analysis/graph_hash.h"
#include "trace/execution.h"

namespace heddle {

// Where an execution goes on from a checkpoint of the one before, or from a bookmark, only the rest is looked at.
class HappensBefore {
 public:
  enum class Relation { Graph, Careful };
  // With `told_apart`, tasks that are alike share a name (alike_tasks.h).
  explicit HappensBefore(Relation relation = Relation::Graph, const ToldApart* told_apart = nullptr)
      : careful_(relation == Relation::Careful), names_(told_apart) {}

  // Is the step one that Relation::Careful orders with every other?
  static bool is_ordered_with_all(const StepRecord& step);

  // Nothing when the execution is damaged or its numbers make no sense.
  std::optional<GraphHash> hash(const Execution& execution);

  // The same step by step: begin() says how many steps have been taken already (not more than `most`, which is where
  // the caller wants to look for the first time); then advance() from there to any later step, as long as it returns
  // true.
  std::uint32_t begin(const Execution& execution, std::uint32_t most);
  bool advance(const Execution& execution, std::uint32_t step, std::uint32_t to);
  // When all steps have been taken.
  void finish(const Execution& execution) { last_plan_ = execution.plan; }
  // Of what has been taken.
  const GraphHash& sum() const { return sum_; }
  // When all steps have been taken: the hash of the graph. With Relation::Careful: if is_plain() says that the other
  // relation would give the same.
  GraphHash graph(const Execution& execution);
  bool is_plain(const Execution& execution) const;
  // What would be after a step.
  struct Ahead {
    GraphHash sum;  // sum()
    GraphHash own;  // the step's
  };
  Ahead ahead(const StepRecord& step);
  // At the present state.
  Roles roles() const { return {names_, tasks_}; }

 private:
  using Task = GraphTask;
  // What a step does to the hashes around it.
  struct Effect {
    GraphHash own;  // of the step
    ObjectId first = kNoObject, second = kNoObject;
    bool writes = false, everything = false, plain = false, creates = false, birth = false, ends = false;
  };
  struct Object {
    GraphHash write;  // the last one
    GraphHash reads;  // the sum of those since
    // What a step that accesses it follows.
    GraphHash past(bool writes) const;
    void leave(const GraphHash& step, bool writes);
  };
  // Everything as it was before some step, so that a later execution may go on from there.
  struct Landmark {
    std::uint32_t step = 0;
    GraphHash sum, no_nodes, all, created;
    std::size_t ends = 0;
    TaskId creator = kNoTask;
    bool plain = true;
    std::vector<Task> tasks;
    std::vector<Object> objects;  // by number
  };

  // The states at the latest bookmarks, and at which step of the present execution the next one is made.
  class Bookmarks {
   public:
    const Landmark* find(std::uint64_t bookmark) const;
    // From this step on.
    void look_from(const Execution& execution, std::uint32_t step);
    std::uint32_t next_step() const { return next_step_; }
    // Where the state at the next one belongs. `bytes`: what such a state takes.
    Landmark& place_for_next(const Execution& execution, std::size_t bytes);
    void pass(const Execution& execution, std::uint32_t step);

   private:
    void find_next(const Execution& execution, std::uint32_t step);

    struct Kept {
      std::uint64_t bookmark = 0;
      Landmark landmark;
    };
    std::vector<Kept> kept_;
    std::size_t next_made_ = 0;  // of the bookmarks of the execution
    std::uint32_t next_step_ = 0;
  };

  void know_objects(const Execution& execution);
  void add_unnamed_task();
  void restore(const Landmark& landmark);
  void remember(std::uint32_t step);
  void keep(const Execution& execution, std::uint32_t step);
  void fill(Landmark& landmark, std::uint32_t step) const;
  Effect effect_of(const StepRecord& step);
  void take(const StepRecord& step);
  std::uint32_t take_steps(const StepRecord* made, std::uint32_t step, std::uint32_t stop);
  GraphHash further_past(const StepRecord& step, std::uint64_t kind, bool writes) const;
  void note_step(Task& task, const GraphHash& own);
  void note_creation(TaskId task, const GraphHash& own);
  void make_room(ObjectId id);

  bool careful_;
  std::vector<Task> tasks_;
  TaskNames names_;
  // By number. The first is no object: nothing is ever its last write, and nobody asks for its readers.
  std::vector<Object> objects_ = std::vector<Object>(1);
  ObjectId used_ = 0;         // those from here on have not been accessed, and are not in the execution's list
  GraphHash sum_;             // of all steps so far
  GraphHash no_nodes_;        // of those of them that are no nodes
  std::size_t ends_ = 0;      // how many were an end of the process
  GraphHash all_;             // of the last step on which everything depends; never zero
  GraphHash created_;         // of the last creation of a task
  TaskId creator_ = kNoTask;  // and who made it
  bool plain_ = true;
  std::vector<Landmark> landmarks_;  // only the first `landmark_count_` count; the others keep their memory
  std::size_t landmark_count_ = 0;
  std::uint32_t next_landmark_ = 0;
  Bookmarks bookmarks_;
  std::optional<PlanId> last_plan_;  // of the execution that the above belongs to
};

}  // namespace heddle
