// Exhaustive exploration by depth-first search, always from the start; see explore.h.
#include "model/explore.h"

#include "model/choices.h"

namespace heddle::model {

void Program::add_task(Body body) {
  const TaskId task = bodies_.empty() ? TaskId{0} : world_.add_task(0, 0, 0);
  EXPECT_EQ(task, bodies_.size());
  bodies_.push_back(std::move(body));
}

void Program::go_on(TaskId task) {
  const bool more = bodies_[task].resume(world_.task(task).result);
  world_.publish(task, more ? bodies_[task].next() : operation(OperationKind::ThreadExit, world_.task(task).thread));
}

std::vector<Choice> allowed_choices(const World& world) {
  std::vector<Choice> choices;
  const auto add = [&](Choice choice) {
    if (allowed(world, choice)) choices.push_back(choice);
  };
  for (std::uint32_t task = 0; task < world.population().task_count(); ++task) {
    const auto id = static_cast<TaskId>(task);
    const std::uint16_t variants = model::variants(world, id);
    for (Variant variant = 0; variant < variants; ++variant) add({id, variant});
    add({id, kTimeout});
  }
  for (std::uint32_t task = 0; task < world.population().task_count(); ++task)
    add({static_cast<TaskId>(task), kSpurious});
  return choices;
}

void expect_consistent(World& world) {
  for (std::uint32_t task = 0; task < world.population().task_count(); ++task) {
    const auto id = static_cast<TaskId>(task);
    if (!world.task(id).published) continue;
    const std::uint8_t kept = world.task(id).state;
    const Operation pending = world.task(id).pending;
    world.set_pending(id, pending);
    EXPECT_EQ(kept, world.task(id).state) << "task " << id << ", " << name(pending.kind);
  }
}

class Explorer {
 public:
  Explorer(const std::function<void(Program&)>& setup, const ExploreOptions& options)
      : setup_(setup), options_(options) {}

  Exploration run() {
    do {
      if (result_.executions == options_.max_executions) {
        result_.complete = false;
        break;
      }
      execute();
      ++result_.executions;
    } while (backtrack());
    return result_;
  }

 private:
  struct Node {
    std::vector<Choice> choices;
    std::size_t taken = 0;
  };

  void execute() {
    World& world = fresh_world(options_.limits);
    Program program(world);
    setup_(program);
    world.schedule().begin_branching();
    for (std::uint32_t task = 0; task < world.population().task_count(); ++task)
      program.go_on(static_cast<TaskId>(task));
    if (options_.at_start) options_.at_start(world);
    for (std::size_t depth = 0; depth < options_.max_steps; ++depth)
      if (!advance(program, depth)) return;
    ++result_.cut_off;
  }

  // One step; false when the execution is over.
  bool advance(Program& program, std::size_t depth) {
    World& world = program.world();
    const Decision decision = world.decide();
    if (options_.at_decision) options_.at_decision(world, decision);
    if (depth == path_.size()) path_.push_back({affordable(world, decision), 0});
    const Node& node = path_[depth];
    if (node.choices.empty()) return finish(program);
    const Choice choice = node.choices[node.taken];
    const Operation pending = world.task(choice.task).pending;
    const Effect effect = world.step(choice);
    if (options_.after_step) options_.after_step(world, pending, choice, effect);
    result_.misuses += effect.misuse != nullptr;
    if (effect.misuse != nullptr) return false;
    if (effect.completes && !world.task(choice.task).ended) program.go_on(choice.task);
    return true;
  }

  bool finish(Program& program) {
    World& world = program.world();
    bool all_ended = true;
    for (std::uint32_t task = 0; task < world.population().task_count(); ++task)
      all_ended = all_ended && world.task(static_cast<TaskId>(task)).ended;
    EXPECT_EQ(world.decide().status, Decision::Status::Deadlock);
    if (all_ended)
      result_.outcomes.insert(program.outcome());
    else
      ++result_.deadlocks;
    return false;
  }

  std::vector<Choice> affordable(World& world, const Decision& decision) const {
    std::vector<Choice> choices = allowed_choices(world);
    // A deadlock that only a spurious wake-up would end is one.
    const bool deadlock = choices.empty() || choices.front().variant == kSpurious;
    EXPECT_EQ(deadlock, decision.status == Decision::Status::Deadlock);
    if (deadlock) return {};
    EXPECT_TRUE(allowed(world, decision.choice));
    EXPECT_EQ(cost(world, decision, decision.choice), 0u);
    if (options_.preemption_bound < 0) return choices;
    const std::uint32_t left =
        static_cast<std::uint32_t>(options_.preemption_bound) - world.schedule().steps().preemptions();
    std::erase_if(choices, [&](Choice choice) { return cost(world, decision, choice) > left; });
    return choices;
  }

  bool backtrack() {
    while (!path_.empty() && path_.back().taken + 1 >= path_.back().choices.size()) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  const std::function<void(Program&)>& setup_;
  const ExploreOptions& options_;
  std::vector<Node> path_;
  Exploration result_;
};

Exploration explore(const std::function<void(Program&)>& setup, const ExploreOptions& options) {
  return Explorer(setup, options).run();
}

}  // namespace heddle::model
