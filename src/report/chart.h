// The chart of a page: what every thread did, in the order in which it happened, and why each one stopped.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "analysis/source_text.h"
#include "report/document.h"
#include "report/explain_race.h"
#include "report/phrases.h"
#include "report/step_selection.h"

namespace heddle {

class ChartBuilder {
 public:
  // All must outlive this.
  ChartBuilder(const Execution& execution, std::vector<Stretch> stretches, Names& names, SourceText& sources);
  // `failure`: what the thread that ran last came to; empty: nothing.
  Chart build(const std::string& failure);

 private:
  using Row = Chart::Row;
  // What a task was going to do when it lost its turn: its next step, or what it has not come to.
  struct Intention {
    OperationKind operation = OperationKind::None;
    Prose object;  // its name
    Location location;
  };

  void find_lanes();
  bool has_lane(TaskId task) const;
  void add_stretch(const Stretch& stretch);
  void add_step(std::size_t index);
  void add_fold(const Stretch& stretch);
  void add_racing_accesses(std::size_t index);
  // Who can't go on at the end, or who failed.
  void add_end(const std::string& failure);
  Prose last_words(std::size_t pending_index);
  // Calls, variables and source of a step, for media that show one at a time.
  void add_details(Row& row, std::size_t index);
  void note_values(std::size_t steps);
  void add_sources();
  void find_old_reads();
  // How each thread stands behind each row.
  void add_bars();
  // The rows that were added last stand behind so many steps.
  void note_steps_before(std::size_t steps) { behind_.resize(chart_.rows.size(), steps); }
  // Why the task that ran before `index` does not go on there.
  void add_switch(std::size_t index);
  void add_timeout(std::size_t index);
  Row why_it_stops(std::size_t index, const Intention& intention);
  Intention intention_of(TaskId task, std::size_t from);
  Prose words_for(const Intention& intention);
  Excerpt excerpt(const Location& location);

  const Execution& execution_;
  Names& names_;
  SourceText& sources_;
  Phrases phrases_;
  std::vector<Stretch> stretches_;
  std::vector<RacingAccessWords> accesses_;
  std::set<TaskId> services_;  // their steps are left out, and why others go on before them
  Chart chart_;
  std::vector<std::pair<std::string, std::string>> values_;  // of variables, the last accessed last
  std::size_t valued_ = 0;                                   // of so many steps
  std::vector<std::size_t> behind_;                          // for each row: so many steps come before it
};

}  // namespace heddle
