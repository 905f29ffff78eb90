// See places.h.
#include "analysis/places.h"

#include <fmt/format.h>

#include "analysis/function_name.h"
#include "protocol/assert.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

Span as_span(const Location& location, std::string text) {
  const Frame& frame = location.frame;
  return {SpanKind::Place, std::move(text), 0, 0, {frame.file, frame.line, frame.function}};
}

}  // namespace

Places::Places(const Execution& execution, Symbolizer& symbolizer, std::string folder)
    : execution_(execution), symbolizer_(symbolizer), folder_(std::move(folder)) {
  if (!folder_.empty() && folder_.back() != '/') folder_ += '/';
}

std::vector<Site> stack_of_step(const Execution& execution, std::size_t index) {
  if (index < execution.stacks.size() && !execution.stacks[index].empty()) return execution.stacks[index];
  return {execution.steps[index].site};
}

Location Places::of_step(std::size_t index) { return locate(stack_of_step(execution_, index)); }

// A pending entry without an operation is where a fault happened: its innermost address is no return address.
Location Places::of_pending(std::size_t index) {
  HEDDLE_ASSERT(index < execution_.pending.size(), "an operation that is pending is asked for by its number");
  const PendingRecord& pending = execution_.pending[index];
  const bool has_stack = index < execution_.pending_stacks.size() && !execution_.pending_stacks[index].empty();
  std::vector<Site> stack = has_stack ? execution_.pending_stacks[index] : std::vector<Site>{pending.site};
  if (pending.operation == OperationKind::None) ++stack.front();
  return locate(stack);
}

std::vector<Prose> Places::frames_of_stack(const std::vector<Site>& stack) {
  std::vector<Prose> result;
  for (const Site site : stack)
    for (const Frame& frame : symbolizer_.frames(site)) {
      if (!is_user_code(frame)) continue;
      const Location location{frame, site, {}, {}};
      result.push_back(frame.function.empty() || frame.file.empty()
                           ? Prose(name(location))
                           : prose("{} ({})", call_span(frame.function), name(location)));
    }
  return result;
}

std::vector<SourcePosition> Places::positions_of_stack(const std::vector<Site>& stack) {
  std::vector<SourcePosition> result;
  for (const Site site : stack)
    for (const Frame& frame : symbolizer_.frames(site))
      if (is_user_code(frame)) result.push_back({frame.file, frame.line, frame.function});
  return result;
}

Location Places::locate(const std::vector<Site>& stack, Headers headers) {
  std::optional<Location> header;  // of a library that is compiled in
  Location first;                  // of user code without source
  std::string call, through;
  for (const Site site : stack) {
    for (const Frame& frame : symbolizer_.frames(site)) {
      const bool own = is_user_code(frame), has_source = own && !frame.file.empty();
      if (has_source && (headers == Headers::Told || !is_installed_header(frame))) return {frame, site, call, through};
      if (has_source && !header) header = Location{frame, site, call, through};
      if (own && first.site == 0) first = {frame, site, call, {}};
      if (own) through = frame.function;
      call = frame.function;
    }
  }
  if (header) return *header;
  return first.site != 0 ? first : Location{symbolizer_.frames(stack.front()).front(), stack.front(), {}, {}};
}

const std::string& Places::short_path(const std::string& file) {
  const auto [entry, added] = short_paths_.try_emplace(file);
  if (!added) return entry->second;
  const std::string base(file_name(file));
  const bool first = file_names_.try_emplace(base, file).first->second == file;
  entry->second = first ? base : file;
  return entry->second;
}

std::string Places::raw_name(const Location& location) const {
  const std::string raw = symbolizer_.raw(location.site);
  return location.frame.function.empty() ? raw : fmt::format("{} ({})", location.frame.function, raw);
}

Span Places::name(const Location& location) {
  if (location.frame.file.empty()) return as_span(location, raw_name(location));
  return as_span(location, fmt::format("{}:{}", short_path(location.frame.file), location.frame.line));
}

Span Places::full_name(const Location& location) const {
  const std::string& file = location.frame.file;
  if (file.empty()) return as_span(location, raw_name(location));
  const bool below = !folder_.empty() && file.compare(0, folder_.size(), folder_) == 0;
  return as_span(location, fmt::format("{}:{}", below ? file.substr(folder_.size()) : file, location.frame.line));
}

}  // namespace heddle
