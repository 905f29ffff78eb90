// See unfit_memory.h.
#include "cli/unfit_memory.h"

#include <fmt/format.h>

#include "search/registry.h"

namespace heddle::cli {

std::string unfit_for_memory(const RunOptions& options) {
  if (options.memory == MemoryModel::Sc)
    return options.report_non_sc ? "--report-non-sc needs --memory=tso or rc11: else all is sequentially consistent"
           : options.relax       ? "--relax needs --memory=tso or rc11: else memory orders change nothing"
                                 : "";
  if (options.memory == MemoryModel::Tso && find_strategy(options.search)->any_stale)
    return fmt::format("--search={} does not know which steps are independent with --memory=tso: use --search=bounded",
                       options.search);
  const auto benign = !options.benign.empty() || !options.suppressions.empty();
  if (options.relax && (options.races != RaceMode::Bug || benign))
    return "--relax needs data races to be bugs, since weaker orders can make some: leave --races, --suppressions and "
           "--benign out";
  if (options.races != RaceMode::Ignore) return {};
  return "--memory=tso and rc11 need to know what happens before what: leave --races=ignore out";
}

std::string unfit_for_build(const Target& target, const RunOptions& options) {
  if (!options.patch || options.memory == MemoryModel::Sc || target.linked_to_be_seen || target.script) return {};
  return fmt::format(
      "{} was not built by heddle-cc, so its atomic loads and stores are not seen, which weak memory (--memory) is "
      "about: build it with heddle-cc, or leave --patch=yes or --memory out",
      target.path);
}

}  // namespace heddle::cli
