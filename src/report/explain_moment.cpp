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

// "all", "none", "44 %".
std::string percent(const Moment::Point& point) {
  if (point.failed == 0 || point.failed == point.runs) return point.failed == 0 ? "none" : "all";
  return fmt::format("{:.0f} %", 100 * point.share());
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
  if (const auto decisive = moment.decisive(execution.steps)) {
    const std::size_t step = decisive->step;
    Phrases phrases(execution, names);
    paragraph.add(prose("Step {} {}: {} {}.", step_span(step),
                        decisive->behind.share() >= kNearlyAll ? "decides" : "makes it likely",
                        names.task(execution.steps[step].task), phrases.step(step)));
    const std::uint32_t before = decisive->before.steps;
    paragraph.add(prose("Of {} random continuations behind it, {} fail in this way; before {}, {}.",
                        grouped(decisive->behind.runs), percent(decisive->behind),
                        before == step ? prose("it") : prose("step {}", step_span(before)), percent(decisive->before)));
    if (const std::uint32_t last = no_way_back(moment); last > step + 1 && last < moment.curve.back().steps)
      paragraph.add(prose("Behind step {}, all fail.", step_span(last - 1)));
  } else if (moment.curve.front().share() >= kMost) {
    paragraph.add(prose("No step decides: of {} random schedules, {} fail in this way.",
                        grouped(moment.curve.front().runs), percent(moment.curve.front())));
  }
  if (!paragraph.lines.empty() && moment.passing && moment.passing->step < execution.steps.size() &&
      moment.passing->task < execution.tasks.size())
    paragraph.add(nearest_that_passes(*moment.passing, execution, names));
  return paragraph;
}

}  // namespace heddle
