// What the files of this folder share: a call in its non-blocking form.
#pragma once

#include "protocol/operations.h"
#include "runtime/calls/waiting.h"
#include "runtime/state/program_call.h"

namespace heddle::runtime {

// Makes the open file non-blocking for as long as it lives, where it is not. Terminals and other devices are left
// alone: others may read from them meanwhile.
class NonBlocking {
 public:
  explicit NonBlocking(long descriptor);
  ~NonBlocking();
  NonBlocking(const NonBlocking&) = delete;
  NonBlocking& operator=(const NonBlocking&) = delete;

 private:
  long descriptor_;
  long flags_;  // to be restored; negative: nothing is
};

bool is_non_blocking(long descriptor);
// It was not opened for that (`events`: POLLIN to read, POLLOUT to write): poll() would never say that it is ready.
bool fails_at_once(long descriptor, short events);
// What SO_RCVTIMEO or SO_SNDTIMEO allow from now on; kNoDeadline: no limit, or not a socket.
Nanoseconds socket_deadline(long descriptor, int option);
// A wait for events as poll() has them.
Waiting wait_for(long descriptor, short events, bool never_blocks);
WaitingOperation on_descriptor(OperationKind kind, long descriptor, Site site, Nanoseconds deadline = kNoDeadline);
// The call with its first argument replaced, as the file may have moved (closing.h).
long make_on(const Waiting& waiting, SystemCall call);
// The call is none of ours after all: made as it is, its effects judged.
long pass(const SystemCall& call);
bool is_internet_socket(long descriptor);

}  // namespace heddle::runtime
