// What is known of private files (private_files.h): filled by find_private_files.cpp, followed by private_files.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

enum class PrivateKind : std::uint8_t { Pipe, SocketPair, EventCounter, EpollSet };

inline constexpr unsigned kMaxPrivateFiles = 64;  // a bit of a mask for each
inline constexpr unsigned kMaxPrivateNumbers = 256;
inline constexpr unsigned kMaxSetMembers = 256;                        // of all epoll sets together
inline constexpr long kPrivateNumbers = 1024;                          // of descriptors beyond nothing is known
inline constexpr std::size_t kMaxPipeContents = std::size_t{1} << 16;  // of all pipes together
inline constexpr std::uint8_t kNoPrivateFile = 0xff;

// A pipe with its two ends is one file. A socket pair is one, too.
struct PrivateFile {
  PrivateKind kind;
  bool excluded;              // it can't be made anew
  bool semaphore;             // an event counter's
  bool ends[2];               // which there are; of a pipe the first one is read
  int type;                   // of a socket pair
  long flags[2];              // O_NONBLOCK, of each end
  std::uint64_t count;        // of an event counter
  std::uint64_t inodes[2];    // of pipes and sockets, at the branching point
  std::uint64_t presents[2];  // and now
  long capacity;
  std::size_t contents_at, contents_size;
  unsigned first_member, member_count;  // of an epoll set
  std::uint64_t renewed_with_it;        // a bit for itself, and for each set that it is in
};

// A descriptor.
struct PrivateNumber {
  int number;
  std::uint8_t file, end;
  bool closes_at_exec;
};

// What is registered in an epoll set, in the order in which it is to be registered.
struct SetMember {
  int number;
  std::uint32_t events;
  std::uint64_t data;
  bool told;  // edge-triggered, and what is ready has been told
};

struct PermanentPrivateFiles {
  std::array<PrivateFile, kMaxPrivateFiles> files;
  unsigned file_count;
  std::array<PrivateNumber, kMaxPrivateNumbers> numbers;  // the lowest first
  unsigned number_count;
  std::array<SetMember, kMaxSetMembers> members;
  unsigned member_count;
  std::array<std::uint8_t, kPrivateNumbers> file_of;  // kNoPrivateFile: it leads to none
  std::array<char, kMaxPipeContents> contents;
  std::size_t contents_size;
};

// Null: there are none.
extern PermanentPrivateFiles* private_files;

}  // namespace heddle::runtime
