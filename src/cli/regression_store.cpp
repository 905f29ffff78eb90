// See regression_store.h.
#include "cli/regression_store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/bug_places.h"
#include "driver/target/options.h"
#include "report/wording.h"
#include "trace/atomic_file.h"
#include "trace/words.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kEnding = ".json";
constexpr std::size_t kMostBytes = 1 << 20;  // of a file

bool is_key(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::string relative_to(const std::string& root, const std::string& path) {
  const fs::path relative = fs::path(path).lexically_relative(root);
  return relative.empty() || *relative.begin() == ".." ? path : relative.string();
}

std::string absolute_from(const std::string& root, const std::string& path) {
  std::string result = (fs::path(root) / path).lexically_normal().string();
  while (result.size() > 1 && result.back() == '/') result.pop_back();
  return result;
}

// The nearest folder that has `name` in it, from the present one upwards; empty: none.
std::string folder_above_with(const char* name, bool (*is_it)(const fs::path&)) {
  std::error_code error;
  for (fs::path folder = fs::current_path(error); !error && !folder.empty(); folder = folder.parent_path()) {
    if (is_it(folder / name)) return folder.string();
    if (folder == folder.parent_path()) break;
  }
  return {};
}

std::string folder_of_store() {
  return folder_above_with(kStoreFolder, [](const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
  });
}

// In a linked worktree it is a file.
std::string top_of_working_tree() {
  return folder_above_with(".git", [](const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
  });
}

// A message may name files by their whole paths.
std::string without_root(std::string text, const std::string& root) {
  const std::string begin = root + "/";
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at)) text.erase(at, begin.size());
  return text;
}

// --- writing

Json json_of(const SourceLine& line) {
  Json json{{"function", line.function}, {"text", line.text}, {"file", line.file}, {"line", line.line}};
  if (line.accesses != 0) json["access"] = line.access + 1, json["of"] = line.accesses;
  return json;
}

Json settings_of(const TraceHeader& header) {
  return {{"clock", word_for(kClockWords, header.clock)},
          {"timeouts", word_for(kTimeoutsWords, header.timeouts)},
          {"fair", header.fair},
          {"slow_threads", header.slow_threads},
          {"spurious_wakeups", header.spurious_wakeups},
          {"memory", word_for(kMemoryModelWords, header.memory)},
          {"max_stale", header.max_stale},
          {"fill", word_for(kFillWords, header.fill)},
          {"patch", header.patch},
          {"input_seed", header.input_seed},
          {"processors", header.processors},
          {"ok_exit", header.ok_exit},
          {"start_at", header.start_at},
          {"target", header.target},
          {"python", word_for(kPythonWords, header.python)},
          {"follow_fork", header.follow_fork},
          {"own_folder", header.own_folder},
          {"made_files", header.made_files}};
}

// A line for each member, and for each object of a list.
std::string in_lines(const Json& json) {
  const auto dumped = [](const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string result;
  for (const auto& [name, value] : json.items()) {
    result += fmt::format("{}\n  {}: ", result.empty() ? "{" : ",", dumped(name));
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      result += dumped(value);
      continue;
    }
    const char* before = "[";
    for (const Json& one : value) result += fmt::format("{}\n    {}", std::exchange(before, ","), dumped(one));
    result += "\n  ]";
  }
  return result + "\n}\n";
}

// --- reading

// Unwinds to parse_stored().
struct Problem {
  std::string what;
};

template <typename Value, std::size_t kCount>
Value word(const Word<Value> (&words)[kCount], const Json& json, const char* name) {
  const auto found = value_of(words, json.at(name).get<std::string>());
  if (!found) throw Problem{fmt::format("\"{}\" is a word that this version of Heddle does not know", name)};
  return *found;
}

SourceLine source_line_of(const Json& json) {
  SourceLine line{json.at("file").get<std::string>(), json.at("function").get<std::string>(),
                  json.at("text").get<std::string>(), json.at("line").get<int>()};
  if (json.contains("of")) line.accesses = json["of"].get<std::uint32_t>();
  if (line.accesses != 0) line.access = std::max(json.at("access").get<std::uint32_t>(), 1u) - 1;
  return line;
}

void take_settings(const Json& json, TraceHeader& header) {
  const RunOptions defaults;  // what files don't hold, since it is the same in every run
  header.realtime_start = defaults.realtime_start;
  header.monotonic_start = defaults.monotonic_start;
  header.max_steps = defaults.max_steps;
  header.clock = word(kClockWords, json, "clock");
  header.timeouts = word(kTimeoutsWords, json, "timeouts");
  header.fair = json.at("fair").get<bool>();
  header.slow_threads = json.at("slow_threads").get<bool>();
  header.spurious_wakeups = json.at("spurious_wakeups").get<std::uint32_t>();
  if (json.contains("memory")) {  // else it is older
    header.memory = word(kMemoryModelWords, json, "memory");
    header.max_stale = json.at("max_stale").get<std::uint32_t>();
  }
  header.fill = word(kFillWords, json, "fill");
  if (json.contains("patch")) header.patch = json.at("patch").get<bool>();  // else it is older
  header.input_seed = json.at("input_seed").get<std::uint64_t>();
  header.processors = json.at("processors").get<std::uint32_t>();
  header.ok_exit = json.at("ok_exit").get<std::vector<int>>();
  header.start_at = json.at("start_at").get<std::string>();
  header.target = json.at("target").get<std::string>();
  if (json.contains("python")) header.python = word(kPythonWords, json, "python");  // else it is older
  header.follow_fork = json.at("follow_fork").get<bool>();
  header.own_folder = json.at("own_folder").get<bool>();
  header.made_files = json.at("made_files").get<std::vector<std::string>>();
}

StoredBug stored_bug_of(const Json& json, const std::string& root) {
  if (json.at("heddle_regression").get<int>() != kFormat)
    throw Problem{"it has another format than this version of Heddle reads"};
  StoredBug bug;
  TraceHeader& header = bug.header;
  bug.key = header.outcome_key = json.at("key").get<std::string>();
  if (!is_key(bug.key)) throw Problem{"\"key\" is none"};
  header.outcome_cause = json.at("cause").get<std::string>();
  header.outcome_kind = json.at("kind").get<std::string>();
  header.outcome_message = json.at("message").get<std::string>();
  header.program = absolute_from(root, json.at("program").get<std::string>());
  header.arguments = json.at("arguments").get<std::vector<std::string>>();
  header.directory = absolute_from(root, json.at("folder").get<std::string>());
  take_settings(json.at("settings"), header);
  for (const Json& place : json.at("places")) header.outcome_places.push_back(source_line_of(place));
  for (const Json& point : json.at("racing")) {
    header.points.push_back({point.at("in").get<std::string>(), 0});
    header.point_lines.push_back(source_line_of(point));
  }
  for (const Json& loop : json.at("loops")) {
    header.spins.push_back({{loop.at("in").get<std::string>(), 0}, loop.at("period").get<std::uint32_t>()});
    header.spin_lines.push_back(source_line_of(loop));
  }
  header.placed_deltas.emplace();
  for (const Json& one : json.at("schedule")) {
    auto delta = placed_delta_of(one);
    if (!delta) throw Problem{"\"schedule\" holds what is no switch of threads"};
    constexpr std::size_t kMost = 64;  // as `heddle add` keeps
    if (header.placed_deltas->size() == kMost) throw Problem{"\"schedule\" has more than 64 switches"};
    header.placed_deltas->push_back(std::move(*delta));
  }
  return bug;
}

}  // namespace

RegressionStore RegressionStore::nearest() { return RegressionStore(folder_of_store()); }

RegressionStore RegressionStore::to_add_to() {
  std::error_code error;
  std::string root = folder_of_store();
  if (root.empty()) root = top_of_working_tree();
  if (root.empty()) root = fs::current_path(error).string();
  return RegressionStore(std::move(root));
}

std::string format_stored(const TraceHeader& header, const std::string& root) {
  Json places = Json::array(), racing = Json::array(), loops = Json::array(), schedule = Json::array();
  for (const SourceLine& place : header.outcome_places) places.push_back(json_of(place));
  for (std::size_t i = 0; i < std::min(header.points.size(), header.point_lines.size()); ++i) {
    racing.push_back(json_of(header.point_lines[i]));
    racing.back()["in"] = header.points[i].file;
  }
  for (std::size_t i = 0; i < std::min(header.spins.size(), header.spin_lines.size()); ++i) {
    loops.push_back(json_of(header.spin_lines[i]));
    loops.back()["in"] = header.spins[i].place.file;
    loops.back()["period"] = header.spins[i].period;
  }
  if (header.placed_deltas)
    for (const PlacedDelta& delta : *header.placed_deltas) schedule.push_back(heddle::json_of(delta));
  return in_lines({{"heddle_regression", kFormat},
                   {"key", header.outcome_key},
                   {"cause", without_root(header.outcome_cause, root)},
                   {"kind", header.outcome_kind},
                   {"message", without_root(header.outcome_message, root)},
                   {"program", relative_to(root, header.program)},
                   {"arguments", header.arguments},
                   {"folder", relative_to(root, header.directory)},
                   {"settings", settings_of(header)},
                   {"places", places},
                   {"racing", racing},
                   {"loops", loops},
                   {"schedule", schedule}});
}

ParsedBug parse_stored(std::string_view text, const std::string& root) {
  try {
    return {stored_bug_of(Json::parse(text), root), {}};
  } catch (const Problem& problem) {
    return {{}, problem.what};
  } catch (const Json::exception& problem) {
    return {{}, problem.what()};
  }
}

StoreContent RegressionStore::read() const {
  StoreContent content;
  if (!exists()) return content;
  const fs::path folder = fs::path(root_) / kStoreFolder;
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == kEnding) paths.push_back(entry.path());
  if (error) content.problems.push_back(fmt::format("{} can't be read: {}", folder.string(), error.message()));
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const bool is_plain = fs::is_regular_file(path, error) && fs::file_size(path, error) <= kMostBytes;
    const FileContent file = is_plain ? read_file(path.string()) : FileContent{{}, path.string() + " is no small file"};
    ParsedBug parsed = file.error.empty() ? parse_stored(file.content, root_) : ParsedBug{};
    const std::string name = path.stem().string();
    if (file.error.empty() && parsed.error.empty() && !(is_key(name) && name.starts_with(parsed.bug.key)))
      parsed.error = fmt::format("its \"key\" is {}, and the file's name does not begin with that", parsed.bug.key);
    parsed.bug.key = name;
    if (!file.error.empty())
      content.problems.push_back(file.error);
    else if (!parsed.error.empty())
      content.problems.push_back(fmt::format("{} is left out: {}", path.string(), parsed.error));
    else
      content.bugs.push_back(std::move(parsed.bug));
  }
  return content;
}

// That of the same bug of the same command, if it is kept already; else one that no other has.
std::string RegressionStore::free_key(const TraceHeader& header) const {
  const StoreContent content = read();
  std::string key = header.outcome_key;
  for (unsigned number = 2;; ++number) {
    const auto known =
        std::find_if(content.bugs.begin(), content.bugs.end(), [&](const StoredBug& bug) { return bug.key == key; });
    if (known == content.bugs.end()) return key;
    const TraceHeader& kept = known->header;
    if (kept.program == header.program && kept.arguments == header.arguments &&
        (!kept.outcome_places.empty() || same_but_for_values(kept.outcome_message, header.outcome_message)))
      return key;
    key = fmt::format("{}-{}", header.outcome_key, number);
  }
}

std::string RegressionStore::add(const TraceHeader& header, std::string& path) const {
  if (!is_key(header.outcome_key)) return "the trace names no cause that could be kept";
  const fs::path folder = fs::path(root_) / kStoreFolder;
  constexpr mode_t kForAll = 0777;  // as the user's mask says: others read it, too
  if (::mkdir(folder.c_str(), kForAll) != 0 && errno != EEXIST)
    return fmt::format("{} can't be made: {}", folder.string(), std::strerror(errno));
  path = (folder / (free_key(header) + kEnding)).string();
  std::string error = write_file(path, format_stored(header, root_));
  if (!error.empty()) return error;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  constexpr mode_t kReadable = 0666;
  (void)::chmod(path.c_str(), kReadable & ~mask);
  return {};
}

std::string RegressionStore::remove(const std::string& key) const {
  const fs::path path = fs::path(root_) / kStoreFolder / (key + kEnding);
  return ::unlink(path.c_str()) == 0 ? std::string()
                                     : fmt::format("{} can't be removed: {}", path.string(), std::strerror(errno));
}

std::string command_of(const StoredBug& bug, const std::string& root) {
  const std::string program = relative_to(root, bug.header.program);
  std::string command = shell_quoted(program.find('/') == program.npos ? "./" + program : program);
  for (const std::string& argument : bug.header.arguments) command += " " + shell_quoted(argument);
  return command;
}

}  // namespace heddle::cli
