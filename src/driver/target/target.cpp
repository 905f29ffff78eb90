// See target.h.
#include "driver/target/target.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "driver/process/descriptor.h"
#include "driver/process/output_capture.h"
#include "driver/process/scratch.h"
#include "driver/process/shared_region.h"
#include "driver/target/elf_file.h"

namespace heddle {
namespace {

using Result = std::variant<Target, TargetError>;

TargetError error(const std::string& path, const std::string& text) { return {path + ": " + text}; }

bool is_directory(const std::string& path) {
  struct stat information {};
  return stat(path.c_str(), &information) == 0 && S_ISDIR(information.st_mode);
}

std::string absolute(const std::string& path) {
  char buffer[PATH_MAX];
  return realpath(path.c_str(), buffer) != nullptr ? std::string(buffer) : path;
}

std::string not_in_path(const std::string& name) {
  if (is_directory(name)) return "it is a directory; name the program inside it";
  const bool is_here = !name.empty() && access(name.c_str(), F_OK) == 0;
  return "there is no such program in PATH" + (is_here ? "; did you mean ./" + name + "?" : std::string());
}

std::string absolute_without_following(const std::string& path) {
  if (path.front() == '/') return path;
  char buffer[PATH_MAX];
  return getcwd(buffer, sizeof buffer) != nullptr ? std::string(buffer) + "/" + path : path;
}

bool is_source(std::string_view path) {
  constexpr std::string_view kEndings[] = {".c", ".cc", ".cpp", ".cxx"};
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](auto ending) { return path.ends_with(ending); });
}

// What is wrong with the file as such; empty: nothing.
std::string check_file(const std::string& path) {
  struct stat information {};
  if (stat(path.c_str(), &information) != 0)
    return errno == ENOENT ? "there is no such program" : std::string("it can't be looked at: ") + std::strerror(errno);
  if (S_ISDIR(information.st_mode)) return "it is a directory; name the program inside it";
  if (!S_ISREG(information.st_mode)) return "it is not a regular file";
  if (access(path.c_str(), X_OK) != 0 && is_source(path)) return "it is source code: compile it, and name the program";
  if (access(path.c_str(), X_OK) != 0) return "it may not be executed; is the permission missing (chmod +x)?";
  if (access(path.c_str(), R_OK) != 0) return "it may not be read, and Heddle has to look into it (chmod +r)";
  if ((information.st_mode & (S_ISUID | S_ISGID)) != 0)
    return "it is set-user-id or set-group-id, so the system ignores LD_PRELOAD for it; run a copy without that bit";
  if (getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    return "it has file capabilities, so the system ignores LD_PRELOAD for it; run a copy without them";
  return {};
}

// What is wrong with the program; empty: nothing.
std::string check_elf(const ElfFile& elf) {
  if (elf.machine != EM_X86_64 || !elf.is_64_bit)
    return "it is a program for another processor (" + elf.machine_name() + "); Heddle runs x86-64 programs";
  if (elf.type != ET_EXEC && elf.type != ET_DYN) return "it is an object file or core file, not a program";
  if (!elf.is_executable) return "it is a shared library or a loader, not a program; name the program itself";
  if (elf.interpreter.empty())
    return "it is statically linked, so that nothing can be preloaded; link it dynamically (without -static)";
  if (access(elf.interpreter.c_str(), F_OK) != 0)
    return "what is to load it, " + elf.interpreter + ", is not there: the system can't start it";
  if (elf.interpreter.find("musl") != std::string::npos)
    return "it was linked with musl, and Heddle works with glibc; build it on a system that has that";
  if (elf.thread_sanitizer && !elf.instrumented)
    return "it was built with ThreadSanitizer, whose runtime takes the place of Heddle's; build it without "
           "-fsanitize=thread, or with heddle-cc";
  if (elf.memory_sanitizer)
    return "it was built with MemorySanitizer, which does not work under another runtime; build it without "
           "-fsanitize=memory";
  return {};
}

std::string check_library(const std::string& library) {
  if (library.find_first_of(" :") != std::string::npos)
    return library + ": LD_PRELOAD can't name a path with a space or a colon; move libheddle.so, or set HEDDLE_LIBRARY";
  return {};
}

// What every worker needs; better said now than in mid-run.
std::string check_memory() {
  OutputCapture output;
  std::string problem = output.create();
  if (problem.empty()) SharedRegion::create(problem);
  return problem;
}

// Where it is, or why it is nowhere.
struct FoundLibrary {
  std::string path;
  std::string problem;
};

// Empty: the file can be loaded, as far as its permissions say.
std::string why_not_readable(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) return std::strerror(errno);
  return is_directory(path) ? "it is a directory" : "";
}

FoundLibrary find_library() {
  if (const char* named = std::getenv("HEDDLE_LIBRARY"); named != nullptr && *named != '\0') {
    if (const std::string why = why_not_readable(named); !why.empty())
      return {{}, "libheddle.so was not found: " + std::string(named) + ", which HEDDLE_LIBRARY names: " + why};
    return {absolute(named), {}};
  }
  const std::string self = absolute("/proc/self/exe");
  const std::string folder = self.substr(0, self.rfind('/'));
  std::string tried;
  for (const char* place : {"/libheddle.so", "/../lib/heddle/libheddle.so", "/../lib64/heddle/libheddle.so"}) {
    const std::string path = std::filesystem::path(folder + place).lexically_normal().string();
    const std::string why = why_not_readable(path);
    if (why.empty()) return {absolute(path), {}};
    tried.append(tried.empty() ? "" : "; ").append(path).append(": ").append(why);
  }
  return {{}, "libheddle.so was not found (" + tried + "); set HEDDLE_LIBRARY to its path"};
}

std::string first_bytes(const std::string& path) {
  std::array<char, 4> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  return {bytes.data(), bytes.size()};
}

// Of a script, with #!.
std::string first_line(const std::string& path) {
  std::ifstream script(path, std::ios::binary);
  std::string line;
  std::getline(script, line);
  return line;
}

// "python", "python3", "python3.11", "python3-dbg".
bool is_python_name(std::string_view path) {
  constexpr std::string_view kName = "python";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with(kName) && name.find_first_not_of("0123456789.-dbgt", kName.size()) == std::string_view::npos;
}

// By its name, by that of the interpreter of its first line, or by --target.
bool is_python(const Target& target, const RunOptions& options) {
  if (is_python_name(target.path) || is_python_name(options.target)) return true;
  if (!target.script) return false;
  std::istringstream words(first_line(target.path).substr(2));
  for (std::string word; words >> word;)
    if (is_python_name(word)) return true;
  return false;
}

// What is wrong with the first line of a script; empty: nothing. The system would only say that there is no such file.
std::string check_interpreter(const std::string& path) {
  const std::string line = first_line(path);
  const auto begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return "its first line names no interpreter after #!";
  const std::string interpreter = line.substr(begin, line.find_first_of(" \t", begin) - begin);
  if (access(interpreter.c_str(), X_OK) == 0) return {};
  const int error = errno;
  if (interpreter.back() == '\r')
    return "its lines end as on Windows, so that the interpreter of the first one, " +
           interpreter.substr(0, interpreter.size() - 1) + ", is not found; dos2unix mends that";
  return "the interpreter that its first line names can't be run: " + interpreter + ": " + std::strerror(error);
}

void add_notes(Target& target, const ElfFile& elf, bool patched) {
  target.address_sanitizer = elf.address_sanitizer;
  target.linked_to_be_seen = elf.instrumented;
  target.goroutines = elf.go_runtime;
  target.has_unseen_locks = elf.instrumented && elf.plain_rust_library;
  if (elf.plain_rust_library && !elf.instrumented && !patched)
    target.notes.emplace_back(
        "Rust compiles locks into the program, where they are not seen: what goes wrong with them may be missed; "
        "--patch=yes shows most of them, or have rustc instrument them (docs/GUIDE.md, \"Test a program in Rust\")");
  if (!elf.has_debug_information)
    target.notes.push_back("the program has no debug information: places are given as file+offset; build it with -g");
  if (elf.address_sanitizer)
    target.notes.emplace_back(
        "the program was built with AddressSanitizer: its check of the link order and its search for leaks at the end "
        "are switched off");
}

std::string find_start(Target& target, const ElfFile& elf, const std::string& function) {
  if (function.empty()) return {};
  target.start_at_offset = elf.function_address;
  return target.start_at_offset != 0
             ? std::string()
             : "it has no function \"" + function +
                   "\" in its symbol table, as --start-at asks for; C++ functions are named with "
                   "their scope, without parameters (Queue::drain)";
}

Result inspect_program(Target target, const RunOptions& options) {
  const std::string& name = options.command.front();
  const auto elf = ElfFile::read(target.path, options.start_at);
  if (!elf) return error(name, "it is damaged: its ELF headers say more than the file holds (is it cut off?)");
  if (std::string wrong = check_elf(*elf); !wrong.empty()) return error(name, wrong);
  if (std::string wrong = find_start(target, *elf, options.start_at); !wrong.empty()) return error(name, wrong);
  add_notes(target, *elf, options.patch);
  return target;
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

std::string find_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable != nullptr ? variable : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !is_directory(candidate)) return candidate;
  }
  return {};
}

Result inspect_target(const RunOptions& options) {
  if (options.command.empty()) return TargetError{"no program was named: heddle run [options] PROGRAM [ARGS…]"};
  const std::string& name = options.command.front();
  Target target;
  target.folder = names_here();
  target.arguments = options.command;
  const bool in_path = name.find('/') == std::string::npos;
  target.path = in_path ? find_in_path(name) : absolute_without_following(name);
  if (target.path.empty()) return error(name, not_in_path(name));
  if (std::string wrong = check_file(target.path); !wrong.empty()) return error(name, wrong);
  target.stamp = stamp_of(target.path);
  FoundLibrary library = find_library();
  if (library.path.empty()) return TargetError{library.problem};
  target.library = std::move(library.path);
  if (std::string wrong = check_library(target.library); !wrong.empty()) return TargetError{wrong};
  if (std::string wrong = check_memory(); !wrong.empty()) return TargetError{wrong};
  const std::string start = first_bytes(target.path);
  target.script = start.starts_with("#!");
  if (is_python(target, options)) target.python = options.python;
  if (start.starts_with("\x7f"
                        "ELF"))
    return inspect_program(std::move(target), options);
  if (!target.script) return error(name, "it is neither a program nor a script that begins with #!");
  if (!options.start_at.empty())
    return error(name, "--start-at needs a program, and this is a script; name the program itself");
  if (std::string wrong = check_interpreter(target.path); !wrong.empty()) return error(name, wrong);
  return target;
}

bool is_replaced(const Target& target) { return target.stamp != FileStamp() && stamp_of(target.path) != target.stamp; }

}  // namespace heddle
