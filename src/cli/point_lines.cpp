// See point_lines.h.
#include "cli/point_lines.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "analysis/source_text.h"
#include "analysis/symbolizer.h"
#include "driver/target/instrumented_calls.h"
#include "protocol/places.h"
#include "trace/module_names.h"

namespace heddle::cli {
namespace {

ModuleMap only(const std::string& path) {
  ModuleMap modules;
  modules.add({.path = path, .base = 0, .begin = 0, .end = UINT64_MAX});
  return modules;
}

// The accesses in one file, by the lines of their source.
class Accesses {
 public:
  explicit Accesses(const std::string& path)
      : path_(path), symbolizer_(only(path)), accesses_(placed(instrumented_calls(path))) {}

  SourceLine line_at(std::uint64_t offset) {
    const SourcePlace place = symbolizer_.place(offset);
    if (place.file.empty()) return {};
    SourceLine line{std::string(file_name(place.file)), function_at(offset), text_at(place), place.line};
    const std::vector<std::uint64_t> all = in_line(line, accesses_);
    const auto found = std::find(all.begin(), all.end(), offset);
    if (found == all.end()) return line;
    line.access = static_cast<std::uint32_t>(found - all.begin());
    line.accesses = static_cast<std::uint32_t>(all.size());
    return line;
  }

  // Where the access may be: one place, if this line has as many of them as it had. What was none of them gives memory
  // back.
  std::vector<std::uint64_t> find(const SourceLine& line) {
    if (line.accesses == 0) {
      if (!calls_) calls_ = placed(without(all_calls(path_), accesses_));
      return in_line(line, *calls_);
    }
    std::vector<std::uint64_t> all = in_line(line, accesses_);
    if (line.access < line.accesses && line.accesses == all.size()) return {all[line.access]};
    return all;
  }

 private:
  struct Call {
    std::uint64_t offset;
    SourcePlace place;
  };

  // Both in ascending order.
  static std::vector<std::uint64_t> without(std::vector<std::uint64_t> all, const std::vector<Call>& calls) {
    std::erase_if(all,
                  [&](std::uint64_t offset) { return std::ranges::binary_search(calls, offset, {}, &Call::offset); });
    return all;
  }

  std::vector<Call> placed(const std::vector<std::uint64_t>& offsets) {
    std::vector<Call> result;
    result.reserve(offsets.size());
    for (const std::uint64_t offset : offsets) result.push_back({offset, symbolizer_.place(offset)});
    return result;
  }

  // All in the same text in the same function, wherever that is now; of files that are gone only the number of the line
  // is known.
  std::vector<std::uint64_t> in_line(const SourceLine& line, const std::vector<Call>& calls) {
    std::vector<std::uint64_t> result;
    if (line.file.empty()) return result;
    for (const auto& [offset, place] : calls)
      if (file_name(place.file) == line.file && is_same(line, place) && function_at(offset) == line.function)
        result.push_back(offset);
    return result;
  }
  bool is_same(const SourceLine& line, const SourcePlace& place) {
    const std::string& text = text_at(place);
    return line.text.empty() || text.empty() ? line.line == place.line : line.text == text;
  }
  std::string text_at(const SourcePlace& place) { return sources_.line(place.file, place.line); }
  const std::string& function_at(std::uint64_t offset) { return symbolizer_.frames(offset).front().function; }

  std::string path_;
  Symbolizer symbolizer_;
  SourceText sources_;
  std::vector<Call> accesses_;              // in ascending order
  std::optional<std::vector<Call>> calls_;  // of any other function
};

// Of files by their names, as places have them; each is read once.
class AccessesOfFiles {
 public:
  // Null: there is no such file.
  Accesses* of(const std::string& name, const std::vector<std::string>& paths) {
    if (const auto known = files_.find(name); known != files_.end()) return &known->second;
    const auto path =
        std::find_if(paths.begin(), paths.end(), [&](const std::string& one) { return file_name(one) == name; });
    return path == paths.end() ? nullptr : &files_.try_emplace(name, *path).first->second;
  }

 private:
  std::map<std::string, Accesses> files_;
};

// By its file, also where it is known by its address in the process.
CodePlace named(const CodePlace& place, const ModuleMap& modules) {
  const ModuleMap::Entry* const module = place.named() ? nullptr : modules.find(place.offset);
  if (module == nullptr) return place;
  return {std::string(file_name(module->path)), place.offset - module->base};
}

}  // namespace

struct PointLines::Known {
  AccessesOfFiles files;
  std::map<CodePlace, SourceLine> lines;
};

PointLines::PointLines() : known_(std::make_unique<Known>()) {}
PointLines::~PointLines() = default;

std::vector<SourceLine> PointLines::of(const std::vector<CodePlace>& points, const ModuleMap& modules) {
  std::vector<std::string> paths;
  for (const ModuleMap::Entry& module : modules.entries()) paths.push_back(module.path);
  std::vector<SourceLine> result;
  result.reserve(points.size());
  for (const CodePlace& place : points) {
    const CodePlace point = named(place, modules);
    if (const auto known = known_->lines.find(point); known != known_->lines.end()) {
      result.push_back(known->second);
      continue;
    }
    // A library that was not loaded when one bug was found may be when the next one is.
    Accesses* const accesses = known_->files.of(point.file, paths);
    result.push_back(accesses == nullptr ? SourceLine() : accesses->line_at(point.offset));
    if (accesses != nullptr) known_->lines.emplace(point, result.back());
  }
  return result;
}

FoundPoints points_in_builds(const TraceHeader& header, const std::vector<std::string>& rebuilt) {
  AccessesOfFiles files;
  FoundPoints found;
  for (std::size_t i = 0; i < header.points.size(); ++i) {
    const CodePlace& point = header.points[i];
    Accesses* const accesses = files.of(point.file, rebuilt);
    if (accesses == nullptr) {
      found.points.push_back(point);
      continue;
    }
    const std::vector<std::uint64_t> now =
        i < header.point_lines.size() ? accesses->find(header.point_lines[i]) : std::vector<std::uint64_t>();
    for (const std::uint64_t offset : now) found.points.push_back({point.file, offset});
    found.missing += now.empty() ? 1 : 0;
  }
  std::sort(found.points.begin(), found.points.end());
  found.points.erase(std::unique(found.points.begin(), found.points.end()), found.points.end());
  if (found.points.size() > kMaxPoints) found.points.resize(kMaxPoints);
  return found;
}

}  // namespace heddle::cli
