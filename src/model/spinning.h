// Is a task spinning, that is, does it read the same values again and again until another task changes them?
//
// While a task only reads (and yields), its history holds its reads: the site, the object, and how often the object had
// been changed by then. What it holds depends on the task's own reads alone, so that schedules that differ in the order
// of independent steps have the same. The task has gone round a loop when it is about to repeat a read of its history
// and none of the objects that it has read since that read has changed. It will read what it read before. Then:
//   - If its own state is the same, too, it will do the same again. (Operation::argument is a hash of its registers, of
//     the top of its stack, and of the number of its clock reads.) The read waits until something that the loop has
//     read is changed. No schedule is lost: another round leads to where the task is now.
//   - Otherwise something changes, perhaps a counter that ends the loop. The read takes effect. After kPatience such
//     reads it counts as a yield, too: fairness lets others run.
// The hash can't see a counter in other memory. So when nobody else can go on, a waiting task makes some more rounds
// (release_spinning()) before it is said to wait for ever.
#pragma once

#include "model/read_history.h"
#include "model/world.h"

namespace heddle::model {

// Would this read be one that the task has made before, and find what it found? Then the operation's argument must say
// in which state the task is.
bool would_repeat(const World& world, TaskId id, Site site, ObjectId object);  // of one piece of memory
bool would_repeat(const World& world, TaskId id, const Operation& operation);
// In how many ways it can be performed: more than 1 where memory is weak.
std::uint16_t ways_of_access(const World& world, TaskId id, const MemoryAccess& access);
// What an access does that would not repeat (fast_step.h).
void access_at_once(World& world, TaskId id, Site site, ObjectId object, MemoryAccess& access);
// Does its pending read wait until another task changes something?
bool waits_for_a_change(const World& world, const Task& task);
// Is its pending read one of many in vain, so that it counts as a yield?
bool yields(const World& world, TaskId id);
// Was its last step a read, and the one before it, too (or there were only yields between them)?
bool consecutive_reads(const World& world, TaskId id);
// How many reads it has made of late that it had made before, beyond those that are one loop's patience. 0 when it has
// done anything else since.
std::uint32_t reads_in_vain(const World& world, TaskId id);
// Has another task taken a step since step number `step`?
bool others_ran_since(const World& world, TaskId id, std::uint32_t step);
// Is its pending yield one of the first in a loop of reads, or one that the runtime says is patient? Such a loop may
// end after some rounds (libstdc++'s waits yield four times, then sleep), so it must be possible to go through it while
// nobody else runs: these yields don't count for fairness yet. Many yields without a read in between are another loop;
// so are many in which nobody else runs, and one behind a long round.
bool yields_patiently(const World& world, TaskId id);
// A yield that has just taken effect does not end a loop of reads.
void yield_keeps_history(World& world, TaskId id);
// Nor does a look at the clock.
void clock_read_keeps_history(World& world, TaskId id);
// Something was changed that tasks may wait for.
void reevaluate_spinning(World& world);
// Nobody can go on: one of the tasks that wait in a loop of reads may go round some more. False: none is left.
bool release_spinning(World& world);

}  // namespace heddle::model
