// Sockets over the loopback interface. What one thread has sent must have arrived before the next decision, so that
// only the steps decide who can go on.
#pragma once

namespace heddle::runtime {

// The program acts on an internet socket: from the end of its call on, there is something to settle.
void network_is_used();
void settle_network();

}  // namespace heddle::runtime
