// Places in scripts (Python) as sites: the file is a module at addresses that no code can have, and each line has 256
// of them. So all that is made for places in code holds for them as well.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle {

// Below the bits of sites that mean something (trace/modules.h), above all addresses.
inline constexpr Site kFirstScript = Site{1} << 52, kEndOfScripts = Site{1} << 53;
inline constexpr unsigned kScriptShift = 28;  // a script has so many addresses
inline constexpr unsigned kLineShift = 8;     // a line has so many
inline constexpr std::uint64_t kMaxScriptLine = (std::uint64_t{1} << (kScriptShift - kLineShift)) - 1;

// Where a Python program has scheduling points of its own.
enum class PythonPoints : std::uint8_t { No, Line, Opcode };

constexpr bool is_in_script(Site site) { return site >= kFirstScript && site < kEndOfScripts; }

// The base of a file, the same in each process. Two files of one name without folders have different ones most likely:
// whoever makes a table of them takes the next one that is free.
constexpr Site script_base(const char* path) {
  std::uint64_t key = 0xcbf29ce484222325ull;  // FNV-1a
  for (; *path != '\0'; ++path) key = (key ^ static_cast<unsigned char>(*path)) * 0x100000001b3ull;
  return kFirstScript + (((key ^ key >> 24) << kScriptShift) & (kFirstScript - 1));
}

// As a return address, like all sites: the place that is meant lies one before it. `part`: which instruction of the
// line, 0 to 254.
constexpr Site script_site(Site base, std::uint64_t line, std::uint64_t part = 0) {
  return base + ((line < kMaxScriptLine ? line : kMaxScriptLine) << kLineShift) + part + 1;
}
constexpr int line_in_script(Site base, Site site) { return static_cast<int>((site - 1 - base) >> kLineShift); }

}  // namespace heddle
