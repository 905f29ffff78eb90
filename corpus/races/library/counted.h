// A library that is not instrumented and counts who uses a message. The end of counted_release() jumps to free().
#pragma once

struct message {
  int users;
  int from_sender, from_receiver;
};

struct message* counted_new(int users);
void counted_release(struct message* message);
