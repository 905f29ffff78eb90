// See explain_moment.h.
#include "report/explain_moment.h"

#include <fmt/format.h>

#include "report/phrases.h"
#include "report/wording.h"

namespace heddle {
namespace {

constexpr double kMost = 0.75, kNearlyAll = 0.9;

// So many steps behind which all continuations failed, of those that were looked at.
std::uint32_t no_way_back(const Moment& moment) {
  std::uint32_t steps = 0;
  for (auto point = moment.curve.rbegin(); point != moment.curve.rend() && point->failed == point->runs; ++point)
    steps = point->steps;
  return steps;
}

// "100 of 100".
std::string share_of(const Moment::Point& point) {
  return fmt::format("{} of {}", grouped(point.failed), grouped(point.runs));
}

bool knows_passing(const Moment& moment, const Execution& execution) {
  return moment.passing && moment.passing->step < execution.steps.size() &&
         moment.passing->task < execution.tasks.size();
}

Prose nearest_that_passes(const Moment::Passing& passing, const Execution& execution, Names& names) {
  const Prose other = names.task(passing.task), own = names.task(execution.steps[passing.step].task);
  if (other.text() == own.text())
    return prose("A schedule that passes is the same up to step {}, in which {} gets another result.",
                 step_span(passing.step), own);
  return prose("A schedule that passes is the same up to step {}, where {} runs instead of {}.",
               step_span(passing.step), other, own);
}

}  // namespace

const char* what_it_does(const Moment::Decisive& decisive) {
  return decisive.behind.share() >= kNearlyAll ? "decides" : "makes it likely";
}

Paragraph when_it_became_likely(const Moment& moment, const Execution& execution, Names& names) {
  Paragraph paragraph;
  if (moment.curve.empty()) return paragraph;
  if (const auto decisive = moment.decisive(execution.steps)) {
    const std::size_t step = decisive->step;
    Phrases phrases(execution, names);
    paragraph.add(prose("Step {} {}: {} {}.", step_span(step), what_it_does(*decisive),
                        names.task(execution.steps[step].task), phrases.step(step)));
    const std::uint32_t before = decisive->before.steps;
    paragraph.add(prose("Continued at random after it, {} runs fail in this way; continued before {}, {}.",
                        share_of(decisive->behind), before == step ? prose("it") : prose("step {}", step_span(before)),
                        share_of(decisive->before)));
    if (const std::uint32_t last = no_way_back(moment); last > step + 1 && last < moment.curve.back().steps)
      paragraph.add(prose("After step {}, all fail.", step_span(last - 1)));
  } else if (moment.curve.front().share() >= kMost) {
    paragraph.add(prose("No step decides: {} random schedules fail in this way.", share_of(moment.curve.front())));
  }
  if (!paragraph.lines.empty() && knows_passing(moment, execution))
    paragraph.add(nearest_that_passes(*moment.passing, execution, names));
  return paragraph;
}

std::vector<std::uint32_t> steps_named(const Moment& moment, const Execution& execution) {
  std::vector<std::uint32_t> steps;
  if (const auto decisive = moment.decisive(execution.steps)) {
    steps.push_back(decisive->step);
    if (const std::uint32_t last = no_way_back(moment); last > decisive->step + 1) steps.push_back(last - 1);
  }
  if (!moment.curve.empty() && knows_passing(moment, execution)) steps.push_back(moment.passing->step);
  return steps;
}

}  // namespace heddle
