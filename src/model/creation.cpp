// The beginning: of the world, and of tasks. See world.h.
#include "model/world.h"

namespace heddle::model {

World* World::create(Allocate allocate, const Limits& limits) {
  auto* world = static_cast<World*>(allocate(sizeof(World)));
  *world = World();
  world->schedule_.create(allocate, limits);
  world->population_.create(allocate);
  world->add_task(kNoTask, 0, 0);
  return world;
}

TaskId World::add_task(TaskId parent, std::uint64_t address, Site created_at) {
  const TaskId id = population_.add_task(parent, address, created_at);
  if (id != kNoTask) schedule_.add_task(task(id), id);
  return id;
}

}  // namespace heddle::model
