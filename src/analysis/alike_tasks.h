// Tasks that are interchangeable, because they were started alike (runtime/intercept/likeness.h) and nothing has told
// them apart. They share a name, so two states that differ only in which of them did what have the same hash.
//
// A class is a first task and those that are like it. A class is given up when an execution shows that somebody can
// tell its tasks apart (search/distinctions.h).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/graph_hash.h"
#include "trace/execution.h"

namespace heddle {

// Which classes have been told apart, by their names.
class ToldApart {
 public:
  bool contains(const GraphHash& name) const;
  // One that is not known to be.
  void add(const GraphHash& name) { names_.push_back(name); }
  void add_all() { all_ = true; }
  bool all() const { return all_; }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.names_, self.all_);
  }

 private:
  std::vector<GraphHash> names_;  // few
  bool all_ = false;
};

// What the tasks of an execution are called: by their creator, and their place among that creator's tasks. Those of a
// class are all called what its first is called.
class TaskNames {
 public:
  // Null: every task has a name of its own.
  explicit TaskNames(const ToldApart* told_apart = nullptr) : told_apart_(told_apart) {}

  // Looks at an execution, unless its tasks are those of the one before.
  const std::vector<GraphHash>& of(const Execution& execution);
  // Of the execution that was looked at last.
  bool any_alike() const { return any_alike_; }
  // The first task of its class; kNoTask: there is no other task like it.
  TaskId first_like(TaskId task) const { return task < firsts_.size() ? firsts_[task] : kNoTask; }
  const GraphHash& name(TaskId task) const { return names_[task]; }
  // Of the class with this first task.
  unsigned size(TaskId first) const { return sizes_[first]; }
  TaskId last(TaskId first) const { return lasts_[first]; }
  std::size_t count() const { return names_.size(); }

 private:
  // A class has at most so many tasks, since all of them are looked at for each choice. The next one like them begins
  // another class.
  static constexpr unsigned kMostAlike = 128;

  bool hold(const Execution& execution) const;
  TaskId class_of(const TaskRecord& record);

  const ToldApart* told_apart_;
  std::vector<GraphHash> names_;
  std::vector<TaskId> parents_, like_;   // as recorded
  std::vector<std::uint32_t> children_;  // of each task, while they are named
  std::vector<TaskId> firsts_;
  std::vector<std::uint8_t> sizes_;  // by the first of a class
  std::vector<TaskId> lasts_;        // by the first of a class: its last
  std::vector<TaskId> open_;         // by TaskRecord::like: the first of the class that the next one joins
  bool any_alike_ = false;
};

// A task in a happens-before graph.
struct GraphTask {
  GraphHash last;     // of its last step; of its name when it has taken none
  GraphHash created;  // of its last creation of a task
  bool started = false;
};

// Who of a class is who, at a state: by what each has done.
class Roles {
 public:
  Roles(const TaskNames& names, const std::vector<GraphTask>& tasks) : names_(names), tasks_(tasks) {}

  // Are there tasks that share a name?
  bool any_alike() const { return names_.any_alike(); }
  bool is_alike(TaskId task) const { return names_.first_like(task) != kNoTask; }
  // Which task of its class it stands for: states with the same hash have the same tasks in the same roles. Its own
  // number where no other is like it. With `last` as the hash of its last step, or as it is.
  TaskId of(TaskId task, const GraphHash& last) const;
  TaskId of(TaskId task) const { return is_alike(task) ? of(task, tasks_[task].last) : task; }
  // A hash of who has which role. States with the same hash that agree in this, too, are equal without an exchange:
  // for what is known of tasks by their numbers.
  GraphHash assignment(TaskId task = kNoTask, const GraphHash& last = {}) const;

 private:
  const TaskNames& names_;
  const std::vector<GraphTask>& tasks_;
};

// Of a task of which nothing is known but its number.
GraphHash name_of_unnamed(std::size_t task);

}  // namespace heddle
