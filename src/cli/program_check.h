// What a program allows, for `heddle doctor`: it is looked at and not run. Only the system's loader is asked which
// libraries it would load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/finding.h"
#include "driver/target/elf_file.h"
#include "driver/target/target.h"

namespace heddle::cli {

// The program, or a library that is loaded with it and is not the system's.
struct LoadedFile {
  std::string name;  // without folders
  ElfFile elf;
  bool has_debug_information = false;  // that is on this machine
  bool has_atomic_updates = false;
};

struct Program {
  std::string name;  // as the user wrote it
  bool script = false;
  bool address_sanitizer = false;
  bool python = false;                        // an interpreter of Python, whose lines are scheduling points
  std::vector<LoadedFile> files;              // the program first; empty: it is a script
  std::string loader_problem;                 // why the system can't load it; empty: it can
  std::vector<std::string> locks_in_headers;  // libraries with such
  std::string framework;                      // empty: none that is known
};

Program look_at_program(const Target& target, const std::string& name);
Findings findings_of(const Program& program);
// The one command that leads on.
std::string next_command(const Program& program, const std::vector<std::string>& command);

// For tests. What the loader says of each library ("libone.so => /there/libone.so (0x…)"), or why it can't load one.
struct ListedLibraries {
  std::vector<std::string> paths;
  std::string problem;
};
ListedLibraries libraries_in(std::string_view listing);

}  // namespace heddle::cli
