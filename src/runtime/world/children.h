// The processes that the program starts, seen from outside of its executions: when an execution begins, no process of
// the one before may be left.
#pragma once

namespace heddle::runtime {

// In the zygote, at the branching point: which children the program has by now, and that what an execution leaves
// behind is to come to us.
void adopt_children();
// Did the program start processes before its first thread that are still there? Only a fresh start can wait for them.
bool had_children();
// `execution` is gone: ends whatever it has started.
void end_children_left_by(int execution);
// It is not left behind, but waits for us; 0: nobody does.
void spare_child(int process);

}  // namespace heddle::runtime
