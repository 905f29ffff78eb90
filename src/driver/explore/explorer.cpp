// The explore loop; see explorer.h. Explorer::search() is the loop, everything else is one of its steps.
#include "driver/explore/explorer.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>
#include <variant>

#include "driver/execute/attempts.h"
#include "driver/execute/ended_early.h"
#include "driver/execute/plan_ids.h"
#include "driver/explore/conclusion.h"
#include "driver/explore/new_report.h"
#include "driver/explore/next_step_limit.h"
#include "driver/explore/note_places.h"
#include "driver/explore/self_check.h"
#include "driver/process/interrupt.h"
#include "search/too_many_choices.h"
#include "trace/assert.h"

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kPollLimit{100};

// What this process has in memory.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Does it take more memory than there is to remember what it leads to? A search of several parts goes on with those of
// them that remember little; but not if the first schedule shows that the program may create threads without end.
bool leads_too_far(const Execution& execution, const Search& search, const RunOptions& options, bool is_first) {
  const bool may_be_endless = is_first && execution.end.end == EndKind::StepLimit;
  const bool goes_on = !search.strategy().parts().empty() && !may_be_endless;
  return !goes_on && has_too_many_choices(execution, search.entry(), options.search_options);
}

std::string why_too_far(const Execution& execution) {
  const std::string text = "one schedule has " + std::to_string(execution.end.tasks) + " threads and " +
                           std::to_string(execution.end.steps) + " steps: ";
  if (execution.end.end == EndKind::StepLimit)
    return text +
           "no search gets anywhere with so many choices. Does the program create threads without end? Have it "
           "create fewer; --max-steps cuts a schedule off sooner; --search=random tries some";
  return text +
         "this search can't remember so many choices. --search=auto, delay and random need not; with "
         "--max-preemptions=0 --search=bounded remembers only those where the running thread waits or ends";
}

// What happened, whatever the step and the reason.
std::string without_numbers_and_reason(const std::string& text) {
  std::string result = text.substr(0, text.find("; "));
  std::erase_if(result, [](char c) { return c >= '0' && c <= '9'; });
  return result;
}

// What an execution notes, with the places in words.
void add_notes_of(const Execution& execution, const Session& session, Notes& notes) {
  for (const ExecutionMessage& message : execution.messages)
    if (message.kind == MessageKind::Note && notes.is_new(message.text))
      notes.add(with_places(message.text, execution, session.modules()));
}

Origin origin_of(const ExecutionFinished& event, const Report& report, const Search& search) {
  const PlanId plan = event.plan.id;
  return {report.schedules_in_all(), is_sample(plan) ? std::string_view() : search.strategy().part_of(plan),
          event.execution->end.preemptions};
}

// A bug that comes at the last moment is still run again and reported. On a machine with much else to do that takes
// long: about as long as it took before, or as the program took to come to where schedules branch.
double end_of_search_s(const RunOptions& options, const BugCollector& bugs, const RunClock& clock) {
  const double report_s = std::max(bugs.longest_report_s(), 2 * clock.seconds_to_branching());
  return options.time_s - std::clamp(report_s - kGrace_s, 0.0, options.time_s / 4);
}

}  // namespace

RunOptions as_saved(RunOptions options, const SavedSearch* saved) {
  if (saved == nullptr || !saved->loaded()) return options;
  options.points = saved->header().points;
  options.spins = saved->header().spins;
  if (options.isolation != IsolationChoice::Auto) return options;
  if (saved->header().isolation == IsolationKind::Fork) options.isolation = IsolationChoice::Fork;
  if (saved->header().isolation == IsolationKind::Exec) options.isolation = IsolationChoice::Exec;
  return options;
}

Explorer::Explorer(const Target& target, const RunOptions& options, Observer& observer, SavedSearch* saved)
    : options_(options),
      observer_(observer),
      executor_(target, options_),
      search_(options_, [this] { return executor_.session().modules(); }),
      log_(options.execution_log),
      bugs_(target, options_, observer),
      doubts_(options_, executor_, bugs_),
      reduction_(options_, executor_, bugs_, doubts_,
                 [this](auto... arguments) { return search_.make_bounded(arguments...); }),
      samples_(options.timeouts == Timeouts::Early),
      racing_(options.points, options_.benign, [this] { return executor_.session().modules(); }),
      spins_(target, options_),
      report_(new_report(options)),
      tally_(report_),
      keeping_(saved, options.save_every_s),
      notes_(observer),
      races_expected_(options.races_asked_for || (target.linked_to_be_seen && options.races != RaceMode::Ignore)) {
  if (keeping_.goes_on()) restore();
  for (const std::string& text : target.notes) notes_.add(text);
  executor_.keep_all_output(true);  // the first execution shows whether any test was run at all
}

// --- the loop

// An error of Heddle's own costs nobody the bugs that were found before it.
Report Explorer::run() {
  const InterruptGuard guard;
  try {
    search();
  } catch (const AssertionFailed& error) {
    if (bugs_.bugs().empty()) throw;
    notes_.add(std::string("internal error: ") + error.what() +
               ". The search ended there; please report this text, the command line and the output of heddle "
               "--version");
    ending_.stop(StopReason::Error);
    keeping_.give_up();
  }
  conclude();
  return std::move(report_);
}

void Explorer::search() {
  while (!ending_.decided()) {
    fill();
    if (ending_.decided()) break;
    if (is_settled()) {
      if (begin_anew(true)) {
        apply_stop_rules();  // before anything of the new search is run
        continue;
      }
      // The last failure may have been made smaller behind the last schedule that --max-schedules allows.
      if (search_.all_given()) ending_.stop(StopReason::Schedules);
      search_.set_exhausted();  // also where the search waits for what was lost
      break;
    }
    if (auto event = executor_.poll(kPollLimit)) on_event(*event);
    if (const auto instability = executor_.take_instability()) {
      report_.deterministic = false;
      notes_.add(describe(*instability));
    }
    apply_stop_rules();
    tell();
  }
}

// Nothing is to come any more, also of checks.
bool Explorer::is_settled() {
  if (executor_.outstanding() != 0 || executor_.checking()) return false;
  if (!doubts_.any()) return !executor_.begins_last_check();
  if (doubts_.resolve()) ending_.stop(StopReason::Bug);
  begin_anew();  // which waited, so that no failure is forgotten
  return false;
}

// Hands plans to the executor. The first runs alone; with --output=all each does, so that its output can be told apart.
// One event is taken between two fills, and samples take no place of the search's: the order of next() and learn() does
// not depend on timing or on what is looked at beside the search, and one seed gives the same run again.
void Explorer::fill() {
  if (first_.is_open()) {
    if (first_.is_due() && !ending_.decided()) executor_.submit(first_.take_probe());
    return;
  }
  if (doubts_.any()) return;
  if (reduction_.go_on()) ending_.stop(StopReason::Bug);
  if (reduction_.any() || ending_.decided() || doubts_.any()) return;
  const bool alone = report_.schedules == 0 || options_.output == OutputMode::All;
  while (executor_.can_take(samples_.out()) && !(alone && executor_.outstanding() != 0)) {
    auto plan = search_.next();
    if (!plan) return;
    plan->memory = search_.strategy().reduces() && samples_.wants(search_.handed_out());
    executor_.submit(std::move(*plan));
  }
}

void Explorer::apply_stop_rules() {
  if (ending_.decided()) return;
  if (interrupted()) return ending_.stop(StopReason::Interrupted);
  if (clock_.about_seconds() >= end_of_search_s(options_, bugs_, clock_)) return ending_.stop(StopReason::Time);
  if (out_of_memory_) return ending_.stop(StopReason::Memory);
  if (search_.all_given() && !reduction_.any() && is_settled()) ending_.stop(StopReason::Schedules);
}

void Explorer::take_notes() {
  for (const std::string& text : executor_.take_notes()) notes_.add(text);
  for (const std::string& text : bugs_.take_notes()) notes_.add(text);
}

void Explorer::tell() {
  if (!clock_.is_due()) return;
  take_notes();
  if (!clock_.branching()) return;
  const double rate = clock_.tell(report_.schedules_in_all());
  out_of_memory_ = options_.memory_bytes != 0 && resident_bytes() + executor_.saved_bytes() > options_.memory_bytes;
  observer_.on_progress({search_.strategy().coverage(), search_.estimate(), report_.schedules_in_all(),
                         tally_.distinct(), clock_.seconds_of_search(), options_.time_s - clock_.seconds(), rate,
                         bugs_.bugs().size()});
  const bool in_order = !ending_.decided() && !first_.is_open() && !doubts_.any() && !reduction_.any();
  if (in_order && report_.schedules != 0 && keeping_.is_due()) keep();
}

// --- events

void Explorer::on_event(ExecutorEvent& event) {
  if (!clock_.branching() && is_branching(executor_.session())) clock_.branch();
  if (auto* finished = std::get_if<ExecutionFinished>(&event)) {
    on_finished(*finished);
  } else if (auto* lost = std::get_if<PlanLost>(&event)) {
    if (first_.is_out())
      return ending_.give_up(StopReason::Error, "the first schedule could not be run again: " + lost->why);
    if (is_sample(lost->plan)) return samples_.lose(lost->plan);
    if (is_reduction(lost->plan)) return reduction_.lose(lost->plan);
    search_.strategy().lost(lost->plan);
    on_lost("a schedule was lost: " + lost->why);
  } else if (auto* ended = std::get_if<EndedBeforeBranching>(&event)) {
    report_.program_output = ended->output;
    ending_.give_up(StopReason::NothingToExplore, explain(*ended));
  } else if (auto* failed = std::get_if<WorkerFailed>(&event)) {
    ending_.give_up(StopReason::Error, failed->message);
  } else {
    restart(std::get<Restarted>(event).why, 0);  // what ran there was not what the program does
  }
}

void Explorer::on_finished(ExecutionFinished& event) {
  if (first_.is_out()) {
    keeping_.be_due();
    executor_.keep_all_output(options_.output == OutputMode::All);
    const bool randomized = executor_.session().randomized();
    const std::string why = first_.compare_probe(event, randomized, report_.deterministic);
    if (!why.empty()) ending_.give_up(StopReason::Error, why);
    return;
  }
  if (is_sample(event.plan.id)) return on_sample(event);
  if (is_reduction(event.plan.id)) return reduction_.learn(event);
  if (reduction_.ends_search()) return judge(event);  // it may be told if the failure comes to nothing
  if (event.plan.memory) begin_sample(event);
  tally_.measure(*event.execution);
  racing_.count(*event.execution);
  add_notes_of(*event.execution, executor_.session(), notes_);
  if (!event.plan.finish_freely) return on_schedule(event);
  // It left its plan and went on by itself: nothing to learn, but what came of it did happen.
  judge_races(event);
  judge(event);
}

void Explorer::on_schedule(ExecutionFinished& event) {
  tally_.count(*event.execution);
  const bool endless =
      report_.schedules == 1 && shows_no_end(*event.execution, options_, search_, executor_.step_limit());
  if (endless || leads_too_far(*event.execution, search_, options_, report_.schedules == 1))
    return on_unlearned(event, endless);
  const std::string loss = search_.learn(event, executor_.session());
  if (const std::string text = search_.strategy().take_note(); !text.empty())
    notes_.add(with_places(text, *event.execution, executor_.session().modules()));
  if (loss.empty()) {
    tally_.add_whole(event, search_.strategy().hash_of_last(), search_.maker_of(event.plan.id));
    search_.note_estimate(report_.schedules, report_.schedules_in_all());
  } else {
    // Its plan was made from an execution that did come, and which began in the same way. Or the search made it up.
    if (event.execution->end.end == EndKind::Diverged &&
        search_.strategy().why_not_followed(event.plan, *event.execution).empty())
      report_.deterministic = false;
    on_lost(loss);
  }
  if (log_.open())
    if (const std::string problem = log_.add(report_.schedules, *event.execution); !problem.empty())
      notes_.add(problem);
  if (report_.schedules == 1) check_first(event);
  if (options_.output == OutputMode::All && !event.execution->output.empty())
    observer_.on_output(event.execution->output);
  observer_.on_schedule(*event.execution, [this] { return executor_.session().modules(); });
  if (options_.report_non_sc)
    if (const std::string text = where_not_sequential(*event.execution); !text.empty() && notes_.is_new(text))
      notes_.add(with_places(text, *event.execution, executor_.session().modules()));
  judge_races(event);
  judge(event);
  begin_anew();
}

// Threads that are created without end, for example. What came of it did happen. `endless`: the limit of steps falls.
// That comes before anything is learned of so many steps: learning takes long, and what would be run next are schedules
// that differ in their last steps only. If it shows a loop that counts as yielding from here on, the limit stays, since
// the program may end then.
void Explorer::on_unlearned(const ExecutionFinished& event, bool endless) {
  if (report_.schedules == 1) check_first(event);
  tally_.add_unlearned(*event.execution);
  judge_races(event);
  judge(event);
  if (endless) {
    executor_.step_limit().fall_next();
    begin_anew();
    return;
  }
  keeping_.give_up();  // nothing was learned that could be gone on with
  const std::string why = why_too_far(*event.execution);
  if (ending_.decided()) return notes_.add(why);
  ending_.give_up(StopReason::Error, why);
}

// Of those that differ in the step, or in what may be the reason, one is told; how many there were is said at the end
// (Coverage::lost).
void Explorer::on_lost(const std::string& text) {
  const bool hopeless = tally_.lose(text);
  if (notes_.is_new(without_numbers_and_reason(text))) notes_.add(text);
  if (hopeless) ending_.give_up(StopReason::Error, "not one schedule could be run to its end: " + text);
}

void Explorer::check_first(const ExecutionFinished& event) {
  first_.remember(event, executor_.session().randomized());
  executor_.keep_all_output(options_.output == OutputMode::All);
  report_.program_output = event.execution->output;
  if (std::string reason = no_test_ran(event.execution->output); !reason.empty())
    ending_.give_up(StopReason::NothingToExplore, reason);
}

void Explorer::restart(const std::string& why, std::uint64_t run_for_nothing) {
  notes_.add(why);
  std::vector<Found> dropped = doubts_.drop();
  const std::size_t doubted = dropped.size();
  for (Found& found : reduction_.drop()) dropped.push_back(std::move(found));
  for (const Found& one : dropped)
    if (one.race) racing_.forget(options_.points);
  first_.give_up_probe();
  tally_.restart();
  bugs_.withdraw_claims();
  clock_.count_from(report_.schedules_in_all());
  samples_ = Samples(options_.timeouts == Timeouts::Early);
  search_.begin(run_for_nothing);
  if (doubts_.examine(dropped, doubted, clock_)) ending_.stop(StopReason::Bug);
  if (!ending_.decided()) return;
  keeping_.end();  // what is kept was learned on snapshots
  keeping_.give_up();
}

// --- samples: what is run beside the plans of the search, to see whether its reductions hold

// Before anything else is done with the execution: what it says of memory is for nobody else.
void Explorer::begin_sample(ExecutionFinished& event) {
  const bool went_on = !event.plan.finish_freely && followed(event.plan, *event.execution);
  if (!went_on || ending_.decided() || !event.ended_because.empty() || !search_.strategy().reduces())
    return void(take_variables(*event.execution));
  auto plan = samples_.begin(event.plan, *event.execution, executor_.session().modules());
  if (!plan) return;
  samples_.handed_out();
  executor_.submit(std::move(*plan));
}

// It is none of the search's, but what came of it did happen. Where the search has a bound, an order that was made up
// is mostly beyond it: what comes of it is no bug to tell of, but a reason to run all schedules within the bound.
void Explorer::on_sample(ExecutionFinished& event) {
  Samples::Finding finding = samples_.learn(*event.execution, executor_.session().modules());
  const bool may_differ = finding.next.has_value();
  Strategy& strategy = search_.strategy();
  if (!finding.differs.empty() && !ending_.decided() && strategy.reduces()) {
    samples_.forget();
    search_.reopen();
    strategy.distrust(finding.differs);
    if (const std::string text = strategy.take_note(); !text.empty()) notes_.add(text);
  } else if (finding.next && !ending_.decided()) {
    samples_.handed_out();
    executor_.submit(std::move(*finding.next));
  }
  judge_races(event);
  // Where other schedules than those within a bound are reported, too, this is one of them.
  if (search_.entry().promise.bounds.empty() || !search_.strategy().parts().empty()) judge(event);
  // It is not run again where the search ends with it, or where it is made smaller first.
  if ((ending_.decided() || reduction_.any()) && may_differ)
    strategy.distrust("one that counts as equivalent to another ended otherwise");
  begin_anew();
}

// --- judgement

namespace {

// Below 0: nothing is.
int preemptions_proved(const Search& search) {
  const Coverage coverage = search.strategy().coverage();
  if (!holds_for_all(coverage)) return -1;
  return search.entry().promise.bounds == "preemption" ? coverage.bound_proved : coverage.preemption_bound;
}

}  // namespace

void Explorer::judge(const ExecutionFinished& event) {
  const EndRecord& end = event.execution->end;
  spins_.look_for_services(*event.execution, executor_.session());
  spins_.look_for_ticks(*event.execution, executor_.session(), report_.schedules);
  if (ending_.decided() || (end.end == EndKind::Exited && end.status == 0)) return;
  const Session& session = executor_.session();
  if (SpinLoops::concerns(end.end) &&
      spins_.take(*event.execution, event.plan, {session.modules(), session.randomized()})) {
    if (const std::string warning = spins_.take_warning(); !warning.empty()) notes_.add(warning);
    return;
  }
  const Outcome outcome = classify(*event.execution, options_.ok_exit);
  if (!is_bug(outcome.kind)) return;
  report_.program_output = event.execution->output;
  if (reduction_.judge({event.plan,
                        *event.execution,
                        outcome,
                        session.modules(),
                        session.config(),
                        origin_of(event, report_, search_),
                        {}},
                       clock_.seconds_of_search(), preemptions_proved(search_)))
    ending_.stop(StopReason::Bug);
}

void Explorer::judge_races(const ExecutionFinished& event) {
  if (event.execution->races.empty() || ending_.decided()) return;
  const Session& session = executor_.session();
  ModuleMap modules = session.randomized() ? session.modules() : ModuleMap();
  for (const ExecutionRace* race : racing_.take_new(*event.execution, session.randomized(), modules)) {
    if (modules.empty()) modules = session.modules();
    if (bugs_.is_suppressed(*race, modules) || !bugs_.is_new(*race, modules)) continue;
    if (options_.races == RaceMode::Bug)
      doubts_.judge(
          {event.plan, *event.execution, {}, modules, session.config(), origin_of(event, report_, search_), *race});
    else
      notes_.add(name(race_outcome(*race).kind) + (": " + describe_race(*race, *event.execution, modules)));
  }
  if (!racing_.orders_missed().empty()) keeping_.give_up();
}

// From here on racing accesses are scheduling points, so that what comes of either order is explored, and loops that
// never yielded count as yielding; or executions are cut off at another step (next_step_limit.h). Steps are counted
// over scheduling points, and who yields goes on later: nothing that was learned holds any more. So places that race
// are collected first. `at_end`: the search has nothing more to run. Where there is no time for it, what was run
// counts. Did the search begin anew?
bool Explorer::begin_anew(bool at_end) {
  if (ending_.decided() || doubts_.any() || reduction_.any() ||
      clock_.seconds() >= end_of_search_s(options_, bugs_, clock_))
    return false;
  if (search_.all_run(report_.schedules)) return false;  // nothing of the new search could be run
  const bool points =
      racing_.has_more_than(options_.points) && (at_end || racing_.is_collected(search_.entry().races_collected_in));
  if (options_.shard != nullptr) {  // what was found counts for all shards: the farm begins anew with it
    if (points || spins_.any_new()) ending_.stop(StopReason::Exhausted);
    return false;
  }
  if (!points && !spins_.any_new()) {
    const auto next = next_step_limit(executor_.step_limit(), report_, search_, at_end);
    if (!next) return false;
    spins_.restart();
    executor_.restart();
    executor_.step_limit() = next->limit;
    restart(next->why, report_.schedules);
    return true;
  }
  const bool loops = spins_.any_new_but_ticks();
  options_.points = racing_.points();
  options_.spins = spins_.all();
  spins_.restart();
  racing_.collect_anew();
  executor_.restart();
  restart(points  ? "places that race are scheduling points from here on, and the search begins anew"
          : loops ? "a loop that never yielded counts as yielding from here on, and the search begins anew"
                  : "a thread that only ticks wakes at the cost of a preemption from here on, while others can go on, "
                    "and the search begins anew",
          report_.schedules);
  return true;
}

// --- the end

// What the whole run says.
void Explorer::conclude() {
  if (reduction_.finish()) ending_.stop(StopReason::Bug);
  if (doubts_.resolve()) ending_.stop(StopReason::Bug);
  tell();
  take_notes();
  keep_at_end();
  executor_.tell(report_);
  const ModuleMap modules = executor_.session().modules();
  if (const std::string text = about_cut_off(report_, tally_, spins_.first_cut_off()); !text.empty()) notes_.add(text);
  for (const std::string& text : spins_.about_services()) notes_.add(text);
  report_.python = has_scripts(modules) ? options_.python : PythonPoints::No;
  for (const std::string& text : self_check(report_, races_expected_, options_.python, search_, modules))
    notes_.add(text);
  if (report_.schedules != 0 && report_.schedules_before == 0)
    for (const std::string& text : racing_.about_benign()) notes_.add(text);
  if (report_.schedules != 0)
    for (const std::string& text : bugs_.about_suppressions(report_.schedules_before == 0)) notes_.add(text);
  report_.races_checked = report_.instrumented && !report_.races_unchecked && options_.races != RaceMode::Ignore;
  report_.racing_places = options_.points.size();
  report_.benign = racing_.benign();
  report_.coverage = search_.strategy().coverage();
  report_.shard = {search_.strategy().shard_progress(), racing_.points(), spins_.all(), tally_.smallest_hashes()};
  report_.parts = search_.strategy().parts();
  if (const StrategyEntry* entry = search_.strategy().proved_by()) report_.promise = entry->promise;
  if (!racing_.orders_missed().empty() || racing_.has_more_than(options_.points) || spins_.any_new()) {
    report_.coverage.bound_proved = report_.coverage.preemption_bound = -1;  // nothing is, with all of them
    report_.coverage.schedules_at_bound = 0;
    report_.coverage.complete = false;
    bugs_.withdraw_claims();
  }
  if (report_.coverage.distrusted || report_.coverage.memory_decides) bugs_.withdraw_claims();
  report_.new_class = tally_.chance_of_a_new_class();
  report_.missed = tally_.chances_of_missing();
  report_.distinct = tally_.distinct();
  report_.distinct_is_all = tally_.distinct_is_all();
  report_.seconds = keeping_.seconds_before() + clock_.seconds_of_search();
  report_.seconds_in_all = keeping_.seconds_before() + clock_.seconds();
  if (const std::string text = search_.orders().keep(!bugs_.bugs().empty()); !text.empty()) notes_.add(text);
  report_.bugs = std::move(bugs_.bugs());
  report_.notes = notes_.all();
  const StrategyEntry& entry = search_.entry();
  const bool cut = entry.number(options_.search_options, entry.limit) && !report_.coverage.complete;
  report_.stop_reason = ending_.decided() ? ending_.reason() : cut ? StopReason::Bound : StopReason::Exhausted;
  const bool advise = ending_.decided() && report_.stop_reason != StopReason::Bug && !report_.coverage.complete;
  if (advise && report_.schedules >= kMany) {
    report_.estimate = search_.estimate();
    report_.busy_places = busy_places(search_, tally_, first_.execution(), executor_.session());
  }
  report_.no_verdict_reason = ending_.no_verdict();
  if (report_.no_verdict_reason.empty())
    report_.no_verdict_reason = nothing_proved(report_, options_, search_, tally_, racing_.orders_missed());
  report_.verdict = report_.no_verdict_reason.empty() ? Verdict::NoBugFound : Verdict::None;
  if (!report_.bugs.empty()) report_.verdict = Verdict::Bug;
}

// --- run --resume
// The state that is written is always that between two events: every execution up to there has been learned and judged,
// and what was outstanding counts as not yet run.

template <typename Self, typename Archive>
void Explorer::transfer(Self& self, Archive& archive) {
  auto& report = self.report_;
  archive(report.processes_ran, report.left_control, report.old_values_missed, report.races_unchecked,
          report.random_drawn, report.clock_read_in_time, report.slow_threads, report.deterministic,
          report.program_output);
  archive(self.tally_, self.notes_, self.racing_, self.bugs_, self.first_, self.spins_, self.executor_);
}

void Explorer::restore() {
  SavedSearch& saved = keeping_.file();
  StateReader reader(saved.content());
  transfer(*this, reader);
  double seconds_before = 0;
  reader(seconds_before);
  keeping_.set_seconds_before(seconds_before);
  if (!search_.restore(reader) || reader.failed() || !reader.at_end()) {
    const std::string why = reader.why().empty() ? "the file makes no sense" : reader.why();
    return ending_.give_up(StopReason::Error, "the search in " + saved.path() + " can't be resumed: " + why +
                                                  "; without --resume the search begins anew");
  }
  saved.forget();
  report_.schedules_before = report_.schedules_in_all();
  clock_.count_from(report_.schedules_in_all());
  first_.ask_again();
  notes_.add("going on with the search in " + saved.path() + ", behind " + std::to_string(report_.schedules_in_all()) +
             (report_.schedules_in_all() == 1 ? " schedule" : " schedules"));
}

void Explorer::keep() {
  executor_.tell(report_);  // what its executions have shown is kept with it
  const double seconds = keeping_.seconds_before() + clock_.seconds_of_search();
  LoadedFiles& files = executor_.files().loaded;
  if (const std::string path = files.replaced(); !path.empty()) {
    keeping_.give_up();
    return notes_.add("the search is not kept for --resume any more: " + path +
                      " is not the file that it was; run it again");
  }
  const SavedHeader header{report_.schedules_in_all(),
                           executor_.isolation().kind(),
                           options_.points,
                           observer_.output_folder(),
                           files.builds(),
                           options_.spins};
  const std::string error = keeping_.write(header, [&](StateWriter& writer) {
    transfer(*this, writer);
    writer(seconds);
    search_.save(writer, executor_.outstanding() - samples_.out() - reduction_.out());
  });
  if (error.empty())
    search_.strategy().state_was_kept();
  else
    notes_.add(error);
}

// A finished search leaves nothing, once its report is out. One that was short is not worth it, unless
// somebody ended it.
void Explorer::keep_at_end() {
  if (!ending_.decided()) return keeping_.end();
  if (!keeping_.may()) return;
  const auto& why = ending_.reason();
  const bool broken = why == StopReason::Error || why == StopReason::NothingToExplore;
  const bool worth_it = keeping_.kept() || why == StopReason::Interrupted || keeping_.is_due();
  if (!broken && worth_it && !first_.is_open() && report_.schedules != 0) keep();
  if (keeping_.kept()) report_.kept_search = keeping_.file().path();
}

}  // namespace heddle
