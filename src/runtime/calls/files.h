// What the program's descriptors refer to: which of them can make a call wait, the model's object behind each, and
// whether the world outside the process can end a wait for it.
//
// An open file is one object, whatever its descriptors: both ends of a pipe or a socket pair are one object, and all
// copies by dup().
#pragma once

#include "protocol/descriptors.h"
#include "protocol/operations.h"

namespace heddle::runtime {

// When the program starts: whether its folder was made for it, so that nobody outside opens what is there.
void note_own_folder();

// Can a call on it wait for something? Not for what is no descriptor, nor for regular files, folders and memory
// devices.
bool can_wait_on(long descriptor);
DescriptorKind kind_of(long descriptor);
ObjectId object_of(long descriptor, Site site);
// For what has no descriptor, by a number of its own.
ObjectId object_without_descriptor(DescriptorKind kind, int number, Site site);
ObjectId all_descriptors(Site site);
// Of one that is about to be opened.
ObjectId object_of_named_pipe(std::uint64_t device, std::uint64_t inode, Site site);
// Is it so of any number by which an object can be reached?
bool any_descriptor_of(ObjectId object, bool (*is_so)(long descriptor));
// A number by which an object can be reached; -1: all are closed.
int descriptor_of(ObjectId object);

// --- what changes the table
void note_pair(int first, int second, DescriptorKind kind, Site site);
// An eventfd of ours that stands for a timer, or for a file of signals. Its object.
ObjectId note_stand_in(int descriptor, DescriptorKind kind, Site site);
void note_copy(long from, long to);
void forget_descriptor(long descriptor);
void forget_descriptors(unsigned first, unsigned last);
void note_member(long epoll_set, long descriptor);

// Can another process, or time, end a wait for it? When in doubt, perhaps: such a wait is never called a deadlock.
enum class Outside : std::uint8_t {
  Never,
  Perhaps,  // another process may, and so may a thread of the program: who connects, who sends a datagram
  Only,     // nobody in the program can
};
Outside ended_from_outside(long descriptor);
// A pipe, or a socket of a pair.
bool is_channel(long descriptor);

}  // namespace heddle::runtime
