// See program_check.h.
#include "cli/program_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "analysis/lines.h"
#include "cli/ask_program.h"
#include "cli/test_lists.h"
#include "driver/target/instrumented_calls.h"
#include "protocol/known_libraries.h"
#include "report/wording.h"
#include "trace/build_id.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

constexpr const char* kHowToBuild = "docs/GUIDE.md, \"Building for data races and atomics\"";

bool is_compiled_to_be_seen(const LoadedFile& file) {
  const bool only_linked = file.elf.instrumented_sources == 0 && !file.elf.plain_sources.empty();
  return file.elf.instrumented && !file.elf.of_another_version && !only_linked;
}

// Also if it lies in a file of its own, by its build or by its name.
bool has_debug_information(const ElfFile& elf, const std::string& path) {
  if (!elf.has_debug_information || elf.debug_link.empty()) return elf.has_debug_information;
  const std::string build = build_id_of(path), folder = path.substr(0, path.rfind('/') + 1);
  constexpr std::size_t kFolder = 2;
  if (build.size() <= kFolder) return false;
  const std::string by_build =
      fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", build.substr(0, kFolder), build.substr(kFolder));
  const std::string places[] = {by_build, folder + elf.debug_link, folder + ".debug/" + elf.debug_link,
                                "/usr/lib/debug" + folder + elf.debug_link};
  return std::any_of(std::begin(places), std::end(places),
                     [](const std::string& place) { return access(place.c_str(), R_OK) == 0; });
}

void add_file(Program& program, const std::string& path) {
  if (auto elf = ElfFile::read(path, {})) {
    LoadedFile file{std::string(file_name(path)), *std::move(elf)};
    file.has_debug_information = has_debug_information(file.elf, path);
    file.has_atomic_updates = !file.elf.instrumented && has_atomic_updates(path);
    program.files.push_back(std::move(file));
  }
}

constexpr const char* kSystemLoader = "/lib64/ld-linux-x86-64.so.2";

void add_libraries(Program& program, const std::string& path) {
  const std::string loader = program.files.front().elf.interpreter;
  // A file may name any program as its loader; only the system's is run.
  std::error_code error;
  if (std::filesystem::canonical(loader, error) != std::filesystem::canonical(kSystemLoader, error)) return;
  ListedLibraries listed = libraries_in(ask_program(loader, {loader, "--list", path}, Streams::OutputAndErrors));
  for (const std::string& library : listed.paths) {
    const std::string name(file_name(library));
    if (has_locks_in_headers(name)) program.locks_in_headers.push_back(name);
    if (!is_of_the_system(library) && !is_known_library(name)) add_file(program, library);
  }
  program.loader_problem = std::move(listed.problem);
}

// "one", "one and other", "one, other, third and 4 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  if (names.size() == 1) return names.front();
  if (names.size() > kMost)
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "), names.size() - kMost);
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

template <typename Which>
std::vector<std::string> names_of(const std::vector<LoadedFile>& files, Which which) {
  std::vector<std::string> names;
  for (const LoadedFile& file : files)
    if (which(file)) names.push_back(file.name);
  return names;
}

void add_kind(const Program& program, Findings& all) {
  std::string text = "dynamically linked x86-64 program for glibc";
  std::vector<std::string> own = names_of(program.files, [](const LoadedFile&) { return true; });
  own.erase(own.begin());
  if (!own.empty()) text += ", with " + listed(own);
  if (program.loader_problem.empty())
    all.push_back({FindingKind::Ok, text});
  else
    all.push_back(
        {FindingKind::Missing, fmt::format("the system can't load it: {}; name the folders of its libraries in "
                                           "LD_LIBRARY_PATH, or build it on this system",
                                           program.loader_problem)});
}

void add_debug_information(const Program& program, Findings& all) {
  const auto without = names_of(program.files, [](const LoadedFile& file) { return !file.has_debug_information; });
  if (without.empty())
    all.push_back({FindingKind::Ok, "debug information: places are lines of source, and objects have names"});
  else
    all.push_back(
        {FindingKind::Note, fmt::format("no debug information in {}: places there are file+offset, and objects "
                                        "have no names; build with -g",
                                        listed(without))});
}

// Which of its files heddle-c++ has compiled, and what is wrong with those that it should have.
void add_instrumented(const Program& program, Findings& all) {
  const auto seen = names_of(program.files, is_compiled_to_be_seen);
  if (!seen.empty())
    all.push_back({FindingKind::Ok, fmt::format("built with heddle-c++: {}; threads are switched at atomics, and data "
                                                "races are looked for",
                                                listed(seen))});
  for (const LoadedFile& file : program.files) {
    if (file.elf.of_another_version)
      all.push_back({FindingKind::Note, fmt::format("{} was built with another version's heddle-c++, and is not looked "
                                                    "at: build it again with this version's",
                                                    file.name)});
    else if (file.elf.instrumented && !is_compiled_to_be_seen(file))
      all.push_back({FindingKind::Note, fmt::format("{} was linked by heddle-c++, and none of its sources compiled by "
                                                    "it: compile them with it, too",
                                                    file.name)});
    else if (file.elf.instrumented && !file.elf.plain_sources.empty())
      all.push_back(
          {FindingKind::Note, fmt::format("in {}, {} {} not compiled by heddle-c++: accesses and atomics there "
                                          "are not seen",
                                          file.name, listed(file.elf.plain_sources),
                                          file.elf.plain_sources.size() == 1 ? "was" : "were")});
  }
}

void add_plain(const Program& program, Findings& all) {
  const auto plain = [](const LoadedFile& file) { return !file.elf.instrumented; };
  const auto names = names_of(program.files, plain);
  if (names.empty()) return;
  const auto atomic = names_of(program.files, [&](const LoadedFile& file) { return file.has_atomic_updates; });
  all.push_back(
      {FindingKind::Note,
       fmt::format(
           "not built with heddle-c++: {}; there threads are switched at library calls only, atomics{} run "
           "uninterrupted, and data races are not looked for. To see them, build with heddle-c++ ({}); --patch=yes "
           "switches threads at atomic instructions of this build",
           listed(names), atomic.empty() ? std::string() : fmt::format(" (there are some in {})", listed(atomic)),
           kHowToBuild)});
  if (!program.locks_in_headers.empty())
    all.push_back({FindingKind::Note, fmt::format("locks of {} are taken by code in its headers, which only heddle-c++ "
                                                  "makes visible",
                                                  listed(program.locks_in_headers))});
  const auto rust = names_of(program.files, [&](const LoadedFile& file) { return file.elf.plain_rust_library; });
  if (!rust.empty())
    all.push_back({FindingKind::Note, fmt::format("locks of Rust are compiled into {}; rustc makes them visible "
                                                  "(docs/GUIDE.md, \"Test a program in Rust\")",
                                                  listed(rust))});
}

}  // namespace

ListedLibraries libraries_in(std::string_view listing) {
  constexpr std::string_view kIs = " => ", kError = "error while loading shared libraries: ";
  ListedLibraries result;
  for (const std::string_view line : lines_of(listing)) {
    // A name with a slash is the path, and leads nowhere else.
    const auto is = line.find(kIs);
    const std::string_view name = trimmed(line.substr(0, is));
    const std::string_view found = is == std::string_view::npos ? name : line.substr(is + kIs.size());
    const auto error = line.find(kError);
    const bool is_old = contains(line, "' not found (required by ");  // a library, for this program
    if (error != std::string_view::npos || is_old || starts_with(found, "not found"))
      result.problem = trimmed(error != std::string_view::npos ? line.substr(error + kError.size()) : line);
    else if (contains(found, "/"))
      result.paths.emplace_back(found.substr(0, found.rfind(" (")));
  }
  return result;
}

Program look_at_program(const Target& target, const std::string& name) {
  Program program;
  program.name = name;
  program.script = target.script;
  program.address_sanitizer = target.address_sanitizer;
  program.python = target.python != PythonPoints::No;
  if (program.script) return program;
  add_file(program, target.path);
  if (!program.files.empty()) add_libraries(program, target.path);
  program.framework = framework_in(target.path);
  return program;
}

Findings findings_of(const Program& program) {
  Findings all;
  if (program.script) {
    all.push_back({FindingKind::Ok,
                   "a script: of the programs that it starts, the first one that creates a thread is "
                   "explored; --target=NAME names another one"});
    all.push_back({FindingKind::Note, "what that program allows, heddle doctor says when it is given that one"});
    return all;
  }
  if (program.files.empty()) return all;
  add_kind(program, all);
  if (program.python) {
    all.push_back({FindingKind::Ok,
                   "Python: threads are switched before each line of files that are not Python's own or installed, and "
                   "at calls that wait or wake; with --python=opcode, before each instruction"});
    return all;
  }
  add_debug_information(program, all);
  if (program.address_sanitizer)
    all.push_back({FindingKind::Slow,
                   "built with AddressSanitizer: each schedule is a process of its own (fork), and its "
                   "search for leaks is switched off"});
  add_instrumented(program, all);
  add_plain(program, all);
  if (!program.framework.empty())
    all.push_back(
        {FindingKind::Ok, fmt::format("tests of {}: heddle test explores each by itself", program.framework)});
  return all;
}

std::string next_command(const Program& program, const std::vector<std::string>& command) {
  std::string result = program.framework.empty() ? "heddle run" : "heddle test";
  if (!command.empty() && command.front().starts_with('-')) result += " --";
  for (const std::string& word : command) result += " " + shell_quoted(word);
  return result;
}

}  // namespace heddle::cli
