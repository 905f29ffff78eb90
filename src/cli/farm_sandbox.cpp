// See farm_sandbox.h.
#include "cli/farm_sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>

#include "analysis/lines.h"
#include "cli/ask_program.h"
#include "cli/farm_access.h"
#include "driver/process/own_process.h"
#include "driver/target/target.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

// What the loader and libc look up. The rest of /etc may hold what only its owner is to read.
constexpr const char* kOfEtc[] = {"ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives",  "localtime",
                                  "timezone",    "passwd",     "group",        "nsswitch.conf", "hosts",
                                  "host.conf",   "services",   "protocols",    "locale.alias",  "os-release"};

bool is_below(const std::string& path, std::string_view folder) { return path.starts_with(folder); }

// /bin and the like are links into /usr, or folders.
void add_system(Words& words) {
  add(words, {"--ro-bind", "/usr", "/usr"});
  for (const char* const folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code error;
    if (fs::is_symlink(folder, error))
      add(words, {"--symlink", fs::read_symlink(folder, error).string(), folder});
    else
      add(words, {"--ro-bind-try", folder, folder});
  }
  for (const char* const name : kOfEtc) {
    const std::string path = std::string("/etc/") + name;
    add(words, {"--ro-bind-try", path, path});
  }
}

bool is_kept(std::string_view variable, const std::string& names) {
  const std::string_view name = variable.substr(0, variable.find('='));
  for (const std::string_view known : {"PATH", "LANG", "LANGUAGE", "TZ", "TERM", "USER", "LOGNAME", "SHELL"})
    if (name == known) return true;
  if (name == kFarmVariable) return false;
  if (name.starts_with("LC_") || name.starts_with("HEDDLE_")) return true;
  return ("," + names + ",").find(fmt::format(",{},", name)) != std::string::npos;
}

}  // namespace

std::vector<std::string> sandboxed(const std::string& bwrap, const Sandbox& sandbox,
                                   const std::vector<std::string>& command) {
  const std::string size = std::to_string(sandbox.files_bytes);
  Words words{bwrap,           "--unshare-user", "--disable-userns",     "--unshare-pid",     "--unshare-net",
              "--unshare-ipc", "--unshare-uts",  "--unshare-cgroup-try", "--die-with-parent", "--new-session"};
  add(words, {"--cap-drop", "ALL"});
  add_system(words);
  add(words, {"--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--size", size, "--tmpfs"});
  add(words, {"/tmp", "--dir", kWorkFolder, "--bind", sandbox.folder, kShardFolder});
  for (const std::string& file : sandbox.files)
    if (!is_below(file, "/usr/")) add(words, {"--ro-bind-try", file, file});
  for (const std::string& name : sandbox.names)
    add(words, {"--ro-bind-try", fmt::format("{}/{}", sandbox.data, name), fmt::format("{}/{}", kWorkFolder, name)});
  // Not in the environment of bwrap itself: it runs outside, and must not load what a farm has sent.
  if (!sandbox.libraries.empty()) add(words, {"--setenv", "LD_LIBRARY_PATH", sandbox.libraries});
  add(words, {"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", kWorkFolder, "--"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<std::string> sandbox_environment(const std::vector<std::string>& variables, const std::string& names) {
  Words kept{"HOME=/tmp", "TMPDIR=/tmp"};
  for (const std::string& one : variables)
    if (is_kept(one, names) && !one.starts_with("HOME=") && !one.starts_with("TMPDIR=")) kept.push_back(one);
  return kept;
}

std::string sandbox_program() { return find_in_path("bwrap"); }

std::string why_no_sandbox() {
  const std::string bwrap = sandbox_program();
  if (bwrap.empty()) return "bwrap is not here: apt-get install bubblewrap";
  std::string folder = (fs::temp_directory_path() / "heddle-sandbox-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    return folder + " can't be made: set TMPDIR to a folder that can be written to";
  const Sandbox sandbox{folder, {}, {}, {}, {}, std::uint64_t{1} << 20};
  constexpr const char* kWord = "works";
  const std::string said =
      ask_program(bwrap, sandboxed(bwrap, sandbox, {"/bin/echo", kWord}), Streams::OutputAndErrors);
  std::error_code ignored;
  fs::remove(folder, ignored);
  const auto lines = lines_of(said);
  if (!lines.empty() && lines.back() == kWord) return {};
  return fmt::format("bwrap does not work here ({}): it needs user namespaces and bubblewrap 0.8",
                     lines.empty() ? "it says nothing" : lines.back());
}

SandboxChoice choose_sandbox(const Settings& settings) {
  const SandboxMode mode = settings.farm.sandbox;
  // What runs then is what this user has started here.
  const bool is_own = settings.farm.url == "local" && farm_variable() == nullptr;
  if (mode == SandboxMode::No || (mode == SandboxMode::Auto && is_own)) return {};
  const std::string why = why_no_sandbox();
  if (why.empty()) return {true, {}, {}};
  if (mode == SandboxMode::Yes)
    return {false, fmt::format("--sandbox=yes: {}; --sandbox=no runs the program with your rights", why), {}};
  return {false, {}, fmt::format("the program runs without a sandbox, with your rights: {}", why)};
}

}  // namespace heddle::cli
