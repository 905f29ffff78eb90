// Sockets over the loopback interface: what one thread has sent is to have arrived before the next decision, so that
// who can go on depends on the steps alone.
#pragma once

namespace heddle::runtime {

// The program acts on an internet socket: from the end of its call on, there is something to settle.
void network_is_used();
void settle_network();

}  // namespace heddle::runtime
