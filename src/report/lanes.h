// The chart of a page: time goes down, one column per thread. With more threads than fit side by side it becomes a list
// with the thread's name in front of every step.
#pragma once

#include <string>
#include <vector>

#include "analysis/names.h"
#include "report/phrases.h"
#include "report/source_text.h"
#include "report/step_selection.h"
#include "report/wording.h"

namespace heddle {

class Lanes {
 public:
  Lanes(const Execution& execution, Names& names, SourceText& sources, std::size_t width, const Style& style);
  // `failure`: what the thread that ran last came to, below its column; empty: nothing.
  std::string draw(const std::string& failure);

 private:
  enum class Look { Plain, Place, Source, Mark };
  // What a task was going to do when it lost its turn: its next step, or what it has not come to.
  struct Intention {
    OperationKind operation = OperationKind::None;
    std::string object;  // its name
    Location location;
  };

  void choose_columns();
  void draw_head();
  void draw_step(std::size_t index);
  void draw_fold(const Stretch& stretch);
  void draw_racing_accesses(std::size_t index);
  // Who can't go on at the end, or who failed.
  void draw_end(const std::string& failure);
  std::string last_words(std::size_t pending_index);
  // Why the task that ran before `index` does not go on there.
  void draw_switch(std::size_t index);
  void draw_timeout(std::size_t index);
  std::string why_it_stops(std::size_t index, const Intention& intention);
  Intention intention_of(TaskId task, std::size_t from);
  std::string words_for(const Intention& intention);
  void draw_place(TaskId task, const Location& location);
  void row(const std::string& margin, TaskId task, const std::string& text, Look look, std::size_t indent);
  static std::vector<std::string> fitted(const std::string& text, Look look, std::size_t room);
  std::string looking(const std::string& text, Look look) const;

  const Execution& execution_;
  Names& names_;
  SourceText& sources_;
  Phrases phrases_;
  std::size_t width_;
  Style style_;
  std::vector<Stretch> stretches_;
  std::vector<TaskId> columns_;  // empty: as a list
  std::size_t column_width_ = 0;
  std::size_t name_width_ = 0;
  std::string last_place_;
  TaskId last_task_ = kNoTask;
  std::string out_;
};

}  // namespace heddle
