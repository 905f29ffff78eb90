// See instability.h.
#include "driver/execute/instability.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/names.h"
#include "analysis/symbolizer.h"
#include "driver/target/time_stamps.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxInputs = 4;

std::string current_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

struct Input {
  std::string what;
  Site site = 0;
};

Input input_in(const std::string& text) {
  const std::size_t end = text.find('\0');
  Input input{text.substr(0, end)};
  if (end != std::string::npos) input.site = parse_hex(text.substr(end + 1)).value_or(0);
  return input;
}

std::string with_place(const std::string& step, const Execution& execution, std::size_t index,
                       const ModuleMap& modules) {
  if (index >= execution.steps.size() || execution.steps[index].site == 0) return fmt::format("\"{}\"", step);
  Symbolizer symbolizer(modules);
  Names names(execution, symbolizer, current_folder());
  return fmt::format("\"{}\" at {}", step, names.places().name_of_step(index).text);
}

std::string distance(std::uint32_t from, std::uint32_t to) {
  if (from >= to) return "just before";
  return to - from == 1 ? "1 step before" : fmt::format("{} steps before", to - from);
}

}  // namespace

std::vector<std::string> inputs_before(const Execution& execution, std::uint32_t step, const ModuleMap& modules) {
  std::vector<std::string> result;
  Symbolizer symbolizer(modules);
  Names names(execution, symbolizer, current_folder());
  for (auto message = execution.messages.rbegin(); message != execution.messages.rend(); ++message) {
    if (message->kind != MessageKind::Input || message->step > step) continue;
    const Input input = input_in(message->text);
    const std::string place =
        input.site == 0 ? "" : fmt::format(" at {}", names.places().name(names.places().of_site(input.site)).text);
    result.push_back(fmt::format("{}{} ({})", input.what, place, distance(message->step, step)));
    if (result.size() == kMaxInputs) break;
  }
  return result;
}

std::string likely_inputs(const Execution& execution, std::uint32_t step, const ModuleMap& modules) {
  const auto inputs = inputs_before(execution, step, modules);
  if (inputs.empty()) return {};
  return fmt::format(" The program had got from outside, and one of these is likely the reason: {}.",
                     fmt::join(inputs, ", "));
}

std::string possible_time_stamps(const Execution& execution, const ModuleMap& modules) {
  const std::vector<Site> reads = time_stamp_reads(modules);
  if (reads.empty()) return {};
  Symbolizer symbolizer(modules);
  Names names(execution, symbolizer, current_folder());
  std::vector<std::string> places;
  places.reserve(reads.size());
  for (const Site site : reads) places.push_back(names.places().name(names.places().of_site(site)).text);
  return fmt::format(
      " It reads the processor's time stamp counter (rdtsc at {}), which Heddle does not control: that may be the "
      "reason.",
      fmt::join(places, ", "));
}

std::string describe(const Instability& instability) {
  const Divergence& divergence = instability.divergence;
  const std::uint32_t step = divergence.step;
  std::string inputs = likely_inputs(instability.seen, step, instability.modules);
  if (inputs.empty()) inputs = likely_inputs(instability.expected, step, instability.modules);
  if (inputs.empty()) inputs = possible_time_stamps(instability.seen, instability.modules);
  if (inputs.empty())
    inputs =
        " Nothing is known that it got from outside before; does it read variables to which it has given no value?";
  return fmt::format(
      "the program does not do the same each time: one schedule was run twice{}, and step {} was first {} and then "
      "{}.{}",
      instability.other_process ? ", by two processes" : "", step,
      with_place(divergence.expected, instability.expected, step, instability.modules),
      with_place(divergence.seen, instability.seen, step, instability.modules), inputs);
}

}  // namespace heddle
