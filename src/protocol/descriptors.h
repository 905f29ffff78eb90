// What an object of kind Descriptor is: packed into the 64 bits of its record's address, and in words for the user.
#pragma once

#include <cstdint>

namespace heddle {

enum class DescriptorKind : std::uint8_t {
  All,  // the second object of every operation on descriptors
  Pipe,
  Socket,
  SocketPair,
  EventCounter,
  EpollSet,
  File,
  Device,
  Timer,
  SignalFile,
  Other,
  MessageQueue,
  SemaphoreSet,
  SharedObject,
  Requests,
  NamedPipe,  // before it is open: then it is a Pipe
  Count
};

// The numbers of its descriptors where it was first seen; -1: none, or only one.
struct DescriptorName {
  const char* kind = "";
  int first = -1;
  int second = -1;
};

inline constexpr unsigned kDescriptorBits = 28;

inline std::uint64_t pack(DescriptorKind kind, int first, int second) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kDescriptorBits) - 1;
  const auto number = [](int descriptor) { return static_cast<std::uint64_t>(descriptor + 1) & kMask; };
  return static_cast<std::uint64_t>(kind) << (2 * kDescriptorBits) | number(second) << kDescriptorBits | number(first);
}

inline DescriptorKind descriptor_kind(std::uint64_t address) {
  const std::uint64_t kind = address >> (2 * kDescriptorBits);
  return kind < static_cast<unsigned>(DescriptorKind::Count) ? static_cast<DescriptorKind>(kind) : DescriptorKind::All;
}

inline DescriptorName unpack(std::uint64_t address) {
  constexpr const char* kKinds[] = {
      "descriptors", "pipe",          "socket",        "socket pair",   "eventfd",
      "epoll set",   "file",          "device",        "timer",         "signalfd",
      "descriptor",  "message queue", "semaphore set", "shared object", "asynchronous requests",
      "named pipe"};
  static_assert(sizeof kKinds / sizeof *kKinds == static_cast<unsigned>(DescriptorKind::Count));
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kDescriptorBits) - 1;
  DescriptorName name;
  name.kind = kKinds[static_cast<unsigned>(descriptor_kind(address))];
  name.first = static_cast<int>(address & kMask) - 1;
  name.second = static_cast<int>(address >> kDescriptorBits & kMask) - 1;
  return name;
}

}  // namespace heddle
