// See explain_moment.h.
#include "report/explain_moment.h"

#include <fmt/format.h>

#include "report/phrases.h"
#include "report/wording.h"

namespace heddle {
namespace {

constexpr double kMost = 0.75;

// "100 %", "less than 1 %": of a sample, so no digits behind the point.
std::string percent(const Moment::Point& point) {
  if (point.failed == 0 || point.failed == point.runs) return point.failed == 0 ? "none" : "all";
  const double value = 100 * point.share();
  return value < 1 ? "less than 1 %" : value > 99 ? "more than 99 %" : fmt::format("{:.0f} %", value);
}

Prose nearest_that_passes(const Moment::Passing& passing, const Execution& execution, Names& names) {
  const Prose other = names.task(passing.task), own = names.task(execution.steps[passing.step].task);
  if (other.text() == own.text())
    return prose("A schedule that passes is the same before step {}. There {} goes on in another way.",
                 step_span(passing.step), own);
  return prose("A schedule that passes is the same before step {}. There {} goes on, not {}.", step_span(passing.step),
               other, own);
}

}  // namespace

Paragraph when_it_became_likely(const Moment& moment, const Execution& execution, Names& names) {
  Paragraph paragraph;
  if (moment.curve.empty()) return paragraph;
  const auto decisive = moment.decisive();
  if (decisive && decisive->step < execution.steps.size()) {
    const std::size_t step = decisive->step;
    Phrases phrases(execution, names);
    paragraph.add(
        prose("Step {} decides: {} {}.", step_span(step), names.task(execution.steps[step].task), phrases.step(step)));
    paragraph.add(prose("Of {} random continuations behind it, {} fail; before it, {}.", grouped(decisive->behind.runs),
                        percent(decisive->behind), percent(decisive->before)));
  } else if (moment.curve.front().share() >= kMost) {
    paragraph.add(prose("No step decides: of {} random schedules, {} fail.", grouped(moment.curve.front().runs),
                        percent(moment.curve.front())));
  }
  if (!paragraph.lines.empty() && moment.passing && moment.passing->step < execution.steps.size() &&
      moment.passing->task < execution.tasks.size())
    paragraph.add(nearest_that_passes(*moment.passing, execution, names));
  return paragraph;
}

}  // namespace heddle
