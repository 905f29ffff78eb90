// See next_step_limit.h.
#include "driver/explore/next_step_limit.h"

#include <fmt/format.h>

namespace heddle {
namespace {

constexpr int kBoundProved = 2;  // most bugs need no more preemptions
constexpr std::uint64_t kEnough = 10'000;

std::string text_of(const StepLimit& limit) {
  const auto [steps, threads] = limit.present();
  return fmt::format("from here on they are cut off after {} steps or {} threads, and the search begins anew", steps,
                     threads);
}

}  // namespace

bool shows_no_end(const Execution& first, const RunOptions& options, const Search& search, const StepLimit& limit) {
  return first.end.end == EndKind::StepLimit && limit.may_fall() && !search.all_given() &&
         options.samaritan == SamaritanMode::Warn;
}

std::optional<NextStepLimit> next_step_limit(const StepLimit& present, const Report& report, const Search& search,
                                             bool at_end) {
  StepLimit limit = present;
  if (present.falls_next()) {
    limit.fall();
    const StepLimit::Limits usual = present.present();
    return NextStepLimit{limit, fmt::format("schedules do not end within {} steps or {} threads: {} (--max-steps "
                                            "gives a limit that stays)",
                                            usual.steps, usual.tasks, text_of(limit))};
  }
  if (present.fell_too_far()) {
    limit.restart();
    return NextStepLimit{limit, "schedules were cut off before their end: " + text_of(limit)};
  }
  if (!present.may_grow() || !report.step_limit_reached || search.all_given()) return {};
  const bool enough = present.is_very_low() && report.schedules >= kEnough;
  if (!at_end && !enough && search.strategy().coverage().bound_proved < kBoundProved) return {};
  limit.grow();
  return NextStepLimit{limit, fmt::format("{} schedules were run: {}", report.schedules, text_of(limit))};
}

}  // namespace heddle
