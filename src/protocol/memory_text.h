// The words that begin the parts of the messages MessageKind::MemoryOrigin and MessageKind::HeapFault.
#pragma once

namespace heddle {

struct MemoryText {
  static constexpr const char* kBlock = "block";      // of the heap, given out
  static constexpr const char* kFreed = "freed";      // the same, given back
  static constexpr const char* kStack = "stack";      // of a thread
  static constexpr const char* kOverrun = "overrun";  // so many bytes behind a block were written to, at least
  // In front, of a MemoryOrigin that is an object's: the object's number follows.
  static constexpr const char* kObject = "object";
};

// A message of kind MemoryOrigin that begins with one of these says what an access found or wrote there: "what address
// size value", in hexadecimal. Of a step, it is the last one of the message's task before it.
struct ValueText {
  static constexpr const char* kWritten = "written";  // by a step
  static constexpr const char* kBefore = "before";    // the later access of a race: what the earlier one wrote
  static constexpr const char* kAfter = "after";      // it: what it wrote
};

}  // namespace heddle
