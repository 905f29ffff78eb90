// See json_bug.h. What is not known is null.
#include "report/json_bug.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;
using D = BugDetails;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// true: reproduced; false: it did not; null: not tried.
Json replays(Bug::Replay replay) {
  if (replay == Bug::Replay::NotTried) return nullptr;
  return replay == Bug::Replay::Reproduced;
}

Json place_json(const SourcePosition& place) {
  if (place.file.empty() && place.function.empty()) return nullptr;
  return {{"file", text_or_null(place.file)},
          {"line", place.line > 0 ? Json(place.line) : Json(nullptr)},
          {"function", text_or_null(place.function)}};
}

template <typename Entries, typename Make>
Json list_of(const Entries& entries, Make make) {
  Json result = Json::array();
  for (const auto& entry : entries) result.push_back(make(entry));
  return result;
}

Json places_json(const std::vector<SourcePosition>& places) { return list_of(places, place_json); }

Json curve_json(const Moment& moment) {
  return list_of(moment.curve, [](const Moment::Point& point) {
    return Json{{"steps", point.steps}, {"runs", point.runs}, {"failed", point.failed}};
  });
}

Json thread_json(const D::Thread& thread) {
  return {{"number", thread.number},
          {"name", thread.name},
          {"created_at", place_json(thread.created_at)},
          {"state", thread.state},
          {"waits_for", text_or_null(thread.waits_for)},
          {"place", place_json(thread.place)}};
}

Json step_json(const D::Step& step) {
  return {{"number", step.number},
          {"thread", step.thread},
          {"does", step.words},
          {"place", place_json(step.place)},
          {"preemption", step.is_preemption}};
}

Json access_json(const D::Access& access) {
  return {{"thread", access.thread},           {"does", access.does},
          {"atomic", access.is_atomic},        {"after_steps", access.after_steps},
          {"place", place_json(access.place)}, {"locks", access.locks},
          {"stack", places_json(access.stack)}};
}

Json at_lock_json(const D::ThreadAtLock& at) { return {{"thread", at.thread}, {"place", place_json(at.place)}}; }

Json lock_json(const D::Lock& lock) {
  return {{"name", lock.name},
          {"kind", lock.kind},
          {"holders", list_of(lock.holders, at_lock_json)},
          {"waiters", list_of(lock.waiters, at_lock_json)}};
}

Json stack_json(const D::Stack& stack) { return {{"thread", stack.thread}, {"frames", places_json(stack.frames)}}; }

// If no schedule with fewer preemptions fails, each of them is needed, whether or not it was left out alone.
Json deviation_json(const D::Deviation& deviation, bool needs_preemptions) {
  const std::optional<bool> is_needed =
      deviation.is_preemption && needs_preemptions ? std::optional(true) : deviation.is_needed;
  return {{"step", deviation.step},
          {"kind", deviation.kind},
          {"thread", deviation.thread},
          {"instead_of", deviation.instead_of == kNoTask ? Json(nullptr) : Json(deviation.instead_of)},
          {"preemption", deviation.is_preemption},
          {"needed", is_needed ? Json(*is_needed) : Json(nullptr)}};
}

}  // namespace

Json json_of(const Bug& bug) {
  const D& details = bug.details;
  return {{"id", bug.id},
          {"kind", name(bug.outcome.kind)},
          {"cause", bug.cause},
          {"key", bug.key},
          {"known", bug.is_known},
          {"pattern", text_or_null(bug.pattern.name)},
          {"pattern_text", text_or_null(bug.pattern.text)},
          {"message", bug.outcome.message},
          {"site", text_or_null(bug.site.empty() ? bug.outcome.printed_place : bug.site)},
          {"places", places_json(details.places)},
          {"trace", text_or_null(bug.trace_path)},
          {"schedule", bug.schedule},
          {"found_by", text_or_null(bug.found_by)},
          {"preemptions", bug.preemptions},
          {"preemptions_at_first", bug.preemptions_at_first},
          {"needs_preemptions", bug.needs_preemptions},
          {"threads", list_of(details.threads, thread_json)},
          {"steps_in_all", details.steps_in_all},
          {"steps", list_of(details.steps, step_json)},
          {"deviations", list_of(details.deviations,
                                 [&](const D::Deviation& one) { return deviation_json(one, bug.needs_preemptions); })},
          {"decisive_step", details.decisive_step ? Json(*details.decisive_step) : Json(nullptr)},
          {"curve", curve_json(bug.moment)},
          {"accesses", list_of(details.accesses, access_json)},
          {"locks", list_of(details.locks, lock_json)},
          {"stacks", list_of(details.stacks, stack_json)},
          {"repair", bug.repair},
          {"needs_only_time", !bug.only_time.empty()},
          {"may_need_only_time", !bug.perhaps_only_time.empty()},
          {"replays", replays(bug.replay)}};
}

}  // namespace heddle
