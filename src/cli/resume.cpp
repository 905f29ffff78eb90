// See resume.h.
#include "cli/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/options.h"
#include "driver/explore/explore.h"
#include "driver/target/program_name.h"
#include "trace/build_id.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

// Options that say how long and by what means to search, but not what. They may change when a search is resumed.
constexpr std::string_view kMayDiffer[] = {
    "--time",  "--max-schedules", "--execution-timeout", "--keep-going", "--require-bound", "--determinism-check",
    "--prime", "--isolation",     "--checkpoints",       "-j",           "--memory-limit",  "--output"};

bool may_differ(const std::string& name) {
  return std::find(std::begin(kMayDiffer), std::end(kMayDiffer), name) != std::end(kMayDiffer);
}

}  // namespace

std::string state_path(const Settings& settings, const Target& target) {
  std::string base = settings.run.output_directory;
  while (base.size() > 1 && base.back() == '/') base.pop_back();
  return (base.empty() ? fmt::format("{}/{}", settings.output_root, program_name(target.arguments)) : base) + ".state";
}

SearchIdentity search_identity(const Settings& settings, const Target& target) {
  std::error_code error;
  SearchIdentity identity;
  identity.heddle = build_id_of("/proc/self/exe") + " " + build_id_of(target.library);
  identity.program = std::filesystem::absolute(target.path, error).lexically_normal().string();
  identity.build_id = build_id_of(target.path);
  identity.command = settings.run.command;
  identity.options = search_to_repeat(settings);
  std::erase_if(identity.options, [](const NamedText& option) { return may_differ(option.first); });
  return identity;
}

}  // namespace heddle::cli
