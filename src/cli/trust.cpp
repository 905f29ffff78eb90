// See trust.h.
#include "cli/trust.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "report/wording.h"
#include "trace/build_id.h"

namespace heddle::cli {
namespace {

constexpr std::string_view kSystemFolders[] = {"/usr/bin/",   "/usr/sbin/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/",
                                               "/usr/local/", "/bin/",      "/sbin/",    "/lib/",       "/lib64/"};

bool is_of_another(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && status.st_uid != geteuid();
}

// Nobody builds there: a shell or an interpreter does whatever its arguments say.
bool is_in_system_folder(const std::string& path) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(path, error).string();
  return std::any_of(std::begin(kSystemFolders), std::end(kSystemFolders),
                     [&](std::string_view folder) { return path.starts_with(folder) || real.starts_with(folder); });
}

bool is_of_the_loader(const std::string& name) { return name.starts_with("LD_") && name != "LD_BIND_NOW"; }

bool is_set_already(const NamedText& variable) {
  const char* const now = std::getenv(variable.first.c_str());
  return now != nullptr && now == variable.second;
}

void show_what_runs(const TraceHeader& header, Terminal& terminal) {
  std::string command = shell_quoted(header.program);
  for (const std::string& argument : header.arguments) command += " " + shell_quoted(argument);
  terminal.message("the trace runs: " + command);
  terminal.message("in the folder " + header.directory);
  for (const auto& [name, value] : header.environment)
    if (name.starts_with("LD_")) terminal.message("with " + name + "=" + shell_quoted(value));
}

// The answer of whoever sits there; no terminal, no answer.
bool is_agreed(Terminal& terminal) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) {
    terminal.message("it was not run: if it is what you want, give --yes");
    return false;
  }
  fmt::print(stderr, "heddle: run it? [y/N] ");
  char answer[16] = {};
  const bool agreed = std::fgets(answer, sizeof answer, stdin) != nullptr && (answer[0] == 'y' || answer[0] == 'Y');
  if (!agreed) terminal.message("it was not run");
  return agreed;
}

}  // namespace

std::vector<std::string> doubts_about(const Trace& trace, const std::string& path) {
  const TraceHeader& header = trace.header;
  std::vector<std::string> doubts;
  if (is_of_another(path)) doubts.push_back(path + " belongs to another user");
  if (is_of_another(header.program)) doubts.push_back(header.program + " belongs to another user");
  if (is_in_system_folder(header.program)) doubts.push_back(header.program + " is a program of the system");
  const std::string build = build_id_of(header.program);
  if (!build.empty() && build != header.build_id)
    doubts.push_back(header.program + " is not the build that the trace was made of");
  for (const NamedText& variable : header.environment)
    if (is_of_the_loader(variable.first) && !is_set_already(variable))
      doubts.push_back("the trace sets " + variable.first);
  return doubts;
}

bool may_run(const Trace& trace, const std::string& path, const Settings& settings, Terminal& terminal) {
  const std::vector<std::string> doubts = doubts_about(trace, path);
  if (doubts.empty()) return true;
  show_what_runs(trace.header, terminal);
  for (const std::string& doubt : doubts) terminal.message(doubt);
  return settings.yes || is_agreed(terminal);
}

}  // namespace heddle::cli
