// See patterns.h.
#include "report/patterns/patterns.h"

namespace heddle {
namespace {

struct PatternEntry {
  const char* name;
  Prose (*recognize)(const PatternInput& input);
};

// The more special ones first: a wait that holds a lock is also a signal that never comes.
constexpr PatternEntry kPatterns[] = {
    {"memory order", patterns::old_value_read},
    {"double free", patterns::double_free},
    {"missing join", patterns::missing_join},
    {"use after free", patterns::use_after_free},
    {"double lock", patterns::double_lock},
    {"lock-order inversion", patterns::lock_order_inversion},
    {"lock left locked", patterns::lock_left_locked},
    {"wait while holding a lock", patterns::wait_holding_a_lock},
    {"lost wake-up", patterns::lost_wakeup},
    {"signal before wait", patterns::signal_before_wait},
    {"wrong waiter woken", patterns::wrong_waiter_woken},
    {"missing signal", patterns::never_signalled},
    {"unlock by another thread", patterns::unlock_by_another},
    {"order violation", patterns::used_before_set},
    {"starvation", patterns::starvation},
    {"ABA", patterns::aba},
    {"atomicity violation", patterns::atomicity_violation},
    {"missing lock", patterns::missing_lock},
};

}  // namespace

Prose patterns::at_step(const PatternInput& input, std::size_t step) {
  return prose("at {} (step {})", input.names.places().name_of_step(step), step_span(step));
}

std::optional<Pattern> recognize_pattern(OutcomeKind kind, const Execution& execution, Names& names) {
  const Phrases phrases(execution, names);
  const PatternInput input{kind, execution, names, phrases};
  for (const PatternEntry& entry : kPatterns)
    if (Prose text = entry.recognize(input); !text.empty()) return Pattern{entry.name, std::move(text)};
  return {};
}

}  // namespace heddle
