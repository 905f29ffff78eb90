// Services: tasks that wake by themselves again and again, beside others that wait for ever.
//
// A schedule that comes back to a state shows what its cycle can do: nothing but to go round. Those that go round are
// services, if time passes in the cycle. Who waits for something else than them waits for ever, as if they were not
// there: a deadlock. Who waits for a service itself (its end, a lock that it holds) does not: it is the service that
// has to change.
#pragma once

#include "model/world.h"

namespace heddle::model {

// Asked in a state equal to the one that there was at step `since`.
// Has the task gone round since then?
bool goes_round(const World& world, TaskId id, std::uint32_t since);
// Is there a task that waits for none of those that have gone round, be it over several others? Where the cycle is fair
// (is_fair_since() in state_hash.h).
bool somebody_is_stuck(const World& world, std::uint32_t since);

// Asked where nobody can go on but by a time: do only services wait for one, declared ones or those seen before, and
// has each of them gone round, while nobody else has taken a step for long? Since which step; 0: no. (A service that
// waits for something else stands still like any other task.)
std::uint32_t only_services_since(const World& world);

}  // namespace heddle::model
