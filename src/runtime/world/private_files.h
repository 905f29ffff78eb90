// Open files that nobody but this process has: pipes and socket pairs with both their ends, event counters and epoll
// sets that the program made before the branching point. An execution may use, close and move them as it likes. Those
// that it has used are made anew before the next execution, as they were at the branching point, under the same
// numbers. A forked process would share them with its siblings, so it makes all of them anew before it begins.
//
// They are made anew, not just emptied: a close has consequences in the kernel (end-of-file, broken pipes, lost
// registrations), and the order in which an epoll set reports ready files depends on more than their contents.
#pragma once

#include <cstdint>

namespace heddle::runtime {

// Before the branching point: the program has made a pair.
void note_socket_pair(int first, int second);
// At the branching point. A file that can't be made anew in its state there is left out, with all files connected to
// it.
void find_private_files();
// Did the number lead to one at the branching point?
bool is_private_file(long descriptor);
bool is_private_set(long descriptor);  // and is it an epoll set?
// The execution is about to use it, if it is one (or what was under this number).
bool use_private_file(long descriptor);
bool used_private_files();
// Afterwards nothing counts as used.
void renew_used_files();
void renew_all_files();
// That of what a pipe or socket is made anew from: who knows a file by its number knows it by this one.
std::uint64_t first_inode(std::uint64_t inode);

}  // namespace heddle::runtime
