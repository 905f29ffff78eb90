// Where a bounded search need not try a preemption: before operations that don't race with what another task could do
// before them.
//
// Partial-order reduction inside a bound. Take a task that could go on with an operation that is independent of
// everything that the others could do before it. To preempt it there brings nothing: whatever follows the preemption is
// equivalent to an execution in which the task makes that operation first and is preempted after it, with no more
// preemptions. Examples are the starts and ends of threads, and accesses to objects that no other task uses at that
// time. Where a switch costs nothing (the last task waits, has ended, or has yielded) all tasks are tried.
//
// Source: Coons, Musuvathi, McKinley, Bounded partial-order reduction, OOPSLA 2013: preemptions at the place of a race,
// and at the beginnings of blocks. Where we deviate: races are not noted for each state on the stack. They are noted
// for the whole search by the place of an operation: its task, and its number among that task's operations. So this can
// be joined with a table of states, which cuts executions off before their races are seen. A place races when it did in
// any execution. If preemptions were pruned at a place that turns out to race, they have to be made after all (learn()
// says so).
//
// Why nothing is lost, by induction on the length of what follows a state, and on the number of operations that the
// task can still make. Let o be the next operation of the task that ran last in state s, and take a sequence from s
// within the bound. If nothing before o in it depends on o, then o can come first: that costs nothing, the switch after
// it costs at most what it cost before it, and where o was taken out there are no more switches than before. Otherwise
// let c, of another task, be the first step that depends on o, and b the steps before c. Then o b is possible too, with
// as many preemptions as b. By induction an execution was run that begins with o b, up to equivalence. In that
// execution c's task does something after b that depends on o, as a step or as its pending operation at the end, and
// what came before that in its task did not happen after o. So learn() has seen that o races, and the preemption is
// tried. (o also races if it lets another task go on that would otherwise wait: an unlock races with the locks that
// wait for it, since to leave a waiting task is free. Only the end of a thread does not race with a join: that costs no
// more than it saves.)
//
// It holds where threads learn of each other only by what Heddle sees. StateReduction watches that: a sample of the
// pruned preemptions runs for it (PreemptionReduction::sample()).
//
// What it costs. Once the operations of a program are known, most places are known to race, and objects whose accesses
// are all at such places can show nothing new. So objects count their accesses at other places (open), and tasks chain
// their steps at those places, for operations that are dependent with everything. A step that comes after all earlier
// accesses to its object is marked (behind_all): later steps need not be compared with those accesses. Vector clocks
// are made only where nothing simpler tells that one step is after another (preemption_steps.h).
//
// The dependence used here must cover at least everything that can matter, and the order used here must not cover more
// than what is really ordered. Operations that yield, end by time, or act on waiting tasks are dependent with
// everything, or always tried.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "protocol/dependence.h"
#include "search/preemption_steps.h"
#include "search/preemption_waits.h"
#include "trace/execution.h"
#include "trace/state_archive.h"

namespace heddle {

class PreemptionPoints {
 public:
  using Place = PreemptionSteps::Place;

  // Reads an execution. Returns the places at which preemptions were pruned and turn out to matter.
  const std::vector<Place>& learn(const Execution& execution);
  // May preemptions before this step of the last execution matter? False is remembered.
  bool matter(std::uint32_t step);
  Place place_of(std::uint32_t step) const { return order_.steps[step].place; }
  // For another process that goes on.
  void save(StateWriter& writer) const;
  void restore(StateReader& reader);
  // Too much to be remembered: everything matters from now on.
  bool given_up() const { return given_up_; }

 private:
  using Step = PreemptionSteps::Step;
  using Object = PreemptionSteps::Object;
  static constexpr std::uint32_t kNone = PreemptionSteps::kNone;
  static constexpr std::size_t kMaxCells = std::size_t{1} << 22;   // of clocks
  static constexpr std::size_t kMaxPlaces = std::size_t{1} << 20;  // about 40 MB

  // An operation as one that could have come before others.
  struct Rival {
    OperationKind kind = OperationKind::None;
    TaskId task = 0;
    ObjectId objects[2] = {};
    bool may_write = false;
    bool everything = false;
    bool creates = false;
    bool open = false;             // whether it races itself is of interest
    std::uint32_t before = kNone;  // what it comes behind in its task
  };
  enum class PlaceState : std::uint8_t { Unknown, Pruned, Matters };

  std::uint32_t common_prefix(const Execution& execution) const;
  bool make_room(const Execution& execution, std::uint32_t first);
  void take_back_to(std::uint32_t first);
  void take_back(std::uint32_t step);
  void push_ordinary(std::uint32_t to);
  void push(std::uint32_t step);
  void begin_step(Step& next, const StepRecord& made, std::uint8_t kind);
  void name_place(Step& next, const StepRecord& made);
  void note_open(std::uint32_t step);
  void enter(std::uint32_t step, bool open);
  void close(Step& step);
  static Rival rival_of(const Step& step, std::uint8_t kind, bool with_all, bool open);
  void scan_end();
  void scan(const Rival& rival);
  bool scan_object(const Rival& rival, ObjectId object);
  void scan_all(TaskId task, std::uint32_t before);
  bool has_joined(TaskId task, TaskId other) const;
  void found(std::uint32_t step);

  PreemptionSteps order_;
  PreemptionWaits waits_;
  PlanId last_plan_ = 0;
  std::vector<StepRecord> records_;                     // of the last execution
  std::uint32_t open_steps_ = 0;                        // so many of its steps are open
  std::vector<std::uint32_t> last_open_of_;             // by task; some at its end may be open no more
  std::uint32_t first_ = 0;                             // the first new step
  absl::flat_hash_map<std::uint64_t, Place> place_of_;  // by task and place in the code
  std::vector<PlaceState> places_;                      // by number
  struct Named {
    std::uint64_t name = 0;
    Place place = 0;
  };
  static constexpr std::size_t kLatest = 256;
  std::vector<Named> latest_ = std::vector<Named>(kLatest);  // a part of place_of_
  bool outdated_ = false;                                    // steps may be open whose places matter
  std::uint32_t outdated_for_ = 0;                           // so many executions
  std::vector<Place> found_out_;
  bool races_ = false;  // the operation that is looked at does
  bool behind_all_[2] = {};
  bool given_up_ = false;
};

}  // namespace heddle
