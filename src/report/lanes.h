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
  std::string draw();

 private:
  // What stands in one cell, line by line.
  struct Cell {
    std::vector<std::string> lines;
    enum class Look { Plain, Source, Mark } look = Look::Plain;
  };

  void choose_columns();
  void draw_head();
  void draw_step(std::size_t index);
  void draw_fold(const Stretch& stretch);
  // Why the task that ran before `index` does not go on there.
  void draw_switch(std::size_t index);
  std::string why_it_stops(std::size_t index, bool& preempted);
  std::string next_intention(TaskId task, std::size_t from);
  void row(const std::string& margin, TaskId task, const std::string& text, Cell::Look look, std::size_t indent);
  std::string looking(const std::string& text, Cell::Look look) const;

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
