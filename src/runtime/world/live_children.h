// Children that talk with the program through pipes and sockets. They answer at their own time. So that executions
// repeat, they get time to answer before the next decision.
#pragma once

namespace heddle::runtime {

bool has_live_child();
// A call was made that may let a child go on.
void children_may_go_on();
// Waits until all children, and theirs, have come to rest.
void let_children_rest();
// Was such a call made since this was asked, and lives a child that may go on?
bool children_may_have_moved();

}  // namespace heddle::runtime
