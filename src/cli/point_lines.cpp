// See point_lines.h.
#include "cli/point_lines.h"

#include <algorithm>
#include <filesystem>

#include "analysis/symbolizer.h"
#include "driver/instrumented_calls.h"
#include "protocol/places.h"
#include "report/source_text.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

SourceLine line_at(Symbolizer& symbolizer, SourceText& sources, Site site) {
  const Frame& frame = symbolizer.frames(site).front();
  if (frame.file.empty()) return {};
  return {std::string(file_name(frame.file)), frame.function, sources.line(frame.file, frame.line), frame.line};
}

// The same text in the same function, wherever that is now; of files that are gone only the number of the line is
// known.
bool same_line(const SourceLine& one, const SourceLine& other) {
  if (one.file.empty() || one.file != other.file || one.function != other.function) return false;
  return one.text.empty() || other.text.empty() ? one.line == other.line : one.text == other.text;
}

Site base_of(const ModuleMap& modules, const std::string& file) {
  for (const ModuleMap::Entry& module : modules.entries())
    if (file_name(module.path) == file) return module.base;
  return 0;
}

}  // namespace

std::vector<SourceLine> lines_of(const std::vector<CodePlace>& points, const ModuleMap& modules) {
  Symbolizer symbolizer(modules);
  SourceText sources;
  std::vector<SourceLine> result;
  result.reserve(points.size());
  for (const CodePlace& point : points)
    result.push_back(line_at(symbolizer, sources, base_of(modules, point.file) + point.offset));
  return result;
}

FoundPoints points_in_build(const TraceHeader& header, const std::string& program) {
  if (header.points.empty()) return {};
  const std::string name(file_name(program));
  const std::vector<std::uint64_t> calls = instrumented_calls(program);
  ModuleMap modules;
  if (!calls.empty()) modules.add({.path = program, .base = 0, .begin = 0, .end = calls.back() + 1});
  Symbolizer symbolizer(modules);
  SourceText sources;
  std::vector<std::pair<SourceLine, std::uint64_t>> lines;
  lines.reserve(calls.size());
  for (const std::uint64_t call : calls) lines.emplace_back(line_at(symbolizer, sources, call), call);
  FoundPoints found;
  for (std::size_t i = 0; i < header.points.size(); ++i) {
    const CodePlace& point = header.points[i];
    if (point.file != name) {
      found.points.push_back(point);
      continue;
    }
    const std::size_t before = found.points.size();
    for (const auto& [line, call] : lines)
      if (i < header.point_lines.size() && same_line(header.point_lines[i], line)) found.points.push_back({name, call});
    found.missing += found.points.size() == before ? 1 : 0;
  }
  std::sort(found.points.begin(), found.points.end());
  found.points.erase(std::unique(found.points.begin(), found.points.end()), found.points.end());
  if (found.points.size() > kMostPoints) found.points.resize(kMostPoints);
  return found;
}

}  // namespace heddle::cli
