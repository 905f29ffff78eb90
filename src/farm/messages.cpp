// See messages.h.
#include "farm/messages.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace heddle::farm {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kVersion = 2;
constexpr std::size_t kMostText = 64 << 10, kMostList = std::size_t{1} << 20, kMostDepth = 8;
constexpr std::uint64_t kMostBound = 1000;
constexpr std::size_t kMostFilesOfRun = 1000, kLeastFolder = 8;  // a shorter one would stand in each text
constexpr std::size_t kMostDeltas = std::size_t{4} << 20;        // of all subtrees: a few bytes can stand for many

// --- reading

struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool holds, const char* what) {
  if (!holds) throw Unfit(what);
}

const Json& member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw Unfit(std::string("it has no \"") + name + "\"");
  return *found;
}

std::uint64_t number(const Json& value, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  require(value.is_number_unsigned(), "something that is to be a number is none");
  const auto result = value.get<std::uint64_t>();
  require(result <= most, "a number is too large");
  return result;
}
template <typename Number>
Number number_as(const Json& value) {
  return static_cast<Number>(number(value, std::numeric_limits<Number>::max()));
}

double seconds(const Json& value) {
  require(value.is_number(), "a time is no number");
  const auto result = value.get<double>();
  require(std::isfinite(result) && result >= 0 && result < 1e7, "a time makes no sense");
  return result;
}

bool flag(const Json& value) {
  require(value.is_boolean(), "something that is to be yes or no is neither");
  return value.get<bool>();
}

std::string text(const Json& value, std::size_t most = kMostText) {
  require(value.is_string(), "something that is to be a text is none");
  const auto& result = value.get_ref<const std::string&>();
  require(result.size() <= most, "a text is too long");
  return result;
}

const Json& list(const Json& value, std::size_t most = kMostList) {
  require(value.is_array(), "something that is to be a list is none");
  require(value.size() <= most, "a list is too long");
  return value;
}

// Bytes that hold `Item`s, as they lie in memory of this machine.
template <typename Item>
std::vector<Item> packed(const Json& value) {
  require(value.is_binary(), "something that is to be bytes is none");
  const auto& bytes = value.get_binary();
  require(bytes.size() % sizeof(Item) == 0, "a list of numbers is cut off");
  std::vector<Item> items(bytes.size() / sizeof(Item));
  if (!items.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}
template <typename Item>
Json to_packed(const std::vector<Item>& items) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(items.data());
  return Json::binary({bytes, bytes + items.size() * sizeof(Item)});
}

// --- parts

// Each subtree: how many deltas it shares with the one before, how many follow, its preemptions, then those deltas.
std::vector<std::uint32_t> words_of(const Subtrees& subtrees) {
  std::vector<std::uint32_t> words;
  const Deltas none;
  const Deltas* last = &none;
  for (const Subtree& one : subtrees) {
    std::size_t same = 0;
    while (same < last->size() && same < one.deltas.size() && (*last)[same] == one.deltas[same]) ++same;
    words.push_back(static_cast<std::uint32_t>(same));
    words.push_back(static_cast<std::uint32_t>(one.deltas.size() - same));
    words.push_back(one.preemptions);
    for (std::size_t i = same; i < one.deltas.size(); ++i) {
      words.push_back(one.deltas[i].step);
      words.push_back(std::uint32_t{one.deltas[i].choice.task} << 16 | one.deltas[i].choice.variant);
    }
    last = &one.deltas;
  }
  return words;
}
Json to_json(const Subtrees& subtrees) { return to_packed(words_of(subtrees)); }

Subtrees subtrees_of(const std::vector<std::uint32_t>& words) {
  Subtrees result;
  std::size_t at = 0, deltas = 0;
  while (at < words.size()) {
    require(words.size() - at >= 3, "a subtree is cut off");
    const std::size_t same = words[at], more = words[at + 1];
    Subtree one;
    one.preemptions = words[at + 2];
    at += 3;
    require(same <= (result.empty() ? 0 : result.back().deltas.size()), "a subtree shares what there is not");
    require(more <= (words.size() - at) / 2, "a subtree is cut off");
    require((deltas += same + more) <= kMostDeltas, "there are too many deviations");
    require(one.preemptions <= kMostBound, "a subtree has too many preemptions");
    if (same != 0)
      one.deltas.assign(result.back().deltas.begin(), result.back().deltas.begin() + static_cast<std::ptrdiff_t>(same));
    for (std::size_t i = 0; i < more; ++i, at += 2) {
      const Delta delta{words[at],
                        {static_cast<TaskId>(words[at + 1] >> 16), static_cast<Variant>(words[at + 1] & 0xffff)}};
      require(delta.step != std::numeric_limits<std::uint32_t>::max(), "a step has no number");
      require(one.deltas.empty() || one.deltas.back().step < delta.step, "deviations are not in their order");
      one.deltas.push_back(delta);
    }
    result.push_back(std::move(one));
    require(result.size() <= kMostList, "there are too many subtrees");
  }
  return result;
}
Subtrees subtrees_from(const Json& value) { return subtrees_of(packed<std::uint32_t>(value)); }

Json to_json(const CodePlace& place) { return {place.file, place.offset}; }

CodePlace place_from(const Json& value) {
  list(value, 2);
  require(value.size() == 2, "a place is not two things");
  return {text(value[0], 4096), number(value[1])};
}

Json to_json(const std::vector<CodePlace>& places) {
  Json result = Json::array();
  for (const CodePlace& place : places) result.push_back(to_json(place));
  return result;
}
Json to_json(const std::vector<SpinLoop>& loops) {
  Json result = Json::array();
  for (const SpinLoop& loop : loops) result.push_back({to_json(loop.place), loop.period});
  return result;
}

std::vector<CodePlace> places_from(const Json& value) {
  std::vector<CodePlace> result;
  for (const Json& one : list(value)) result.push_back(place_from(one));
  return result;
}
std::vector<SpinLoop> loops_from(const Json& value) {
  std::vector<SpinLoop> result;
  for (const Json& one : list(value)) {
    require(list(one, 2).size() == 2, "a loop is not two things");
    result.push_back({place_from(one[0]), number_as<std::uint32_t>(one[1])});
  }
  return result;
}

Json to_json(const FarmBug& bug) {
  return {{"key", bug.key},
          {"kind", bug.kind},
          {"message", bug.message},
          {"site", bug.site},
          {"preemptions", bug.preemptions},
          {"trace", bug.trace},
          {"trace_bytes", bug.trace_bytes}};
}
FarmBug bug_from(const Json& value) {
  require(value.is_object(), "a bug is no object");
  FarmBug bug;
  bug.key = text(member(value, "key"), 256);
  bug.kind = text(member(value, "kind"), 256);
  bug.message = text(member(value, "message"));
  bug.site = text(member(value, "site"));
  bug.preemptions = static_cast<unsigned>(number(member(value, "preemptions"), kMostBound));
  bug.trace = text(member(value, "trace"), 64);
  bug.trace_bytes = number(member(value, "trace_bytes"), std::uint64_t{1} << 30);
  require(bug.trace.find_first_not_of("0123456789abcdef") == std::string::npos, "a digest is not in hex");
  require(!bug.key.empty(), "a bug has no key");
  return bug;
}

Json to_json(const std::vector<FarmFile>& files) {
  Json result = Json::array();
  for (const FarmFile& file : files)
    result.push_back(
        {{"path", file.path}, {"digest", file.digest}, {"bytes", file.bytes}, {"executable", file.executable}});
  return result;
}
std::vector<FarmFile> files_from(const Json& value) {
  std::vector<FarmFile> result;
  for (const Json& one : list(value, 4096)) {
    require(one.is_object(), "a file is no object");
    FarmFile file;
    file.path = text(member(one, "path"), 4096);
    file.digest = text(member(one, "digest"), 64);
    file.bytes = number(member(one, "bytes"), std::uint64_t{1} << 40);
    file.executable = flag(member(one, "executable"));
    // It becomes part of a subject and of a path.
    require(!file.digest.empty() && file.digest.find_first_not_of("0123456789abcdef") == std::string::npos,
            "a digest is not in hex");
    require(!file.path.empty() && file.path.find('\0') == std::string::npos, "a file has no name");
    result.push_back(std::move(file));
  }
  return result;
}

std::vector<std::string> texts_from(const Json& value) {
  std::vector<std::string> result;
  for (const Json& one : list(value, 65'536)) result.push_back(text(one));
  return result;
}

Json to_json(const std::optional<TestRun>& run) {
  if (!run) return nullptr;
  return {{"status", run->status}, {"said", run->said}, {"folder", run->folder}, {"files", to_json(run->files)}};
}
std::optional<TestRun> test_run_from(const Json& value) {
  if (value.is_null()) return {};
  require(value.is_object(), "what came of a test is no object");
  TestRun run;
  run.status = static_cast<std::uint32_t>(number(member(value, "status"), 255));
  run.said = text(member(value, "said"));
  run.folder = text(member(value, "folder"), 4096);
  require(run.folder.size() >= kLeastFolder && run.folder[0] == '/', "a folder has no path");
  run.files = files_from(member(value, "files"));
  require(run.files.size() <= kMostFilesOfRun, "a test has too many files");
  for (const FarmFile& file : run.files) {
    require(is_plain_name(file.path), "a file of a test has no plain name");
    require(file.bytes <= kMostFile_bytes, "a file of a test is too large");
  }
  return run;
}

Json to_json(const std::vector<FarmTest>& tests) {
  Json result = Json::array();
  for (const FarmTest& test : tests) result.push_back({test.name, test.words});
  return result;
}
std::vector<FarmTest> tests_from(const Json& value) {
  std::vector<FarmTest> tests;
  for (const Json& one : list(value, 65'536)) {
    require(list(one, 2).size() == 2, "a test is not two things");
    tests.push_back({text(one[0]), texts_from(one[1])});
  }
  return tests;
}

ShardProgress progress_from(const Json& value) {
  ShardProgress progress;
  progress.waiting = subtrees_from(member(value, "waiting"));
  progress.run = packed<std::uint64_t>(member(value, "run"));
  require(progress.run.size() <= kMostBound + 1, "there are too many bounds");
  progress.beyond = flag(member(value, "beyond"));
  progress.lost = number(member(value, "lost"));
  return progress;
}

// --- whole messages

std::string bytes_of(const Json& value) {
  std::string bytes;
  Json::to_cbor(value, bytes);
  return bytes;
}

// What can be known before anything is built of a message: whether it is nested deeper than any message is, and which
// job and shard it names.
struct Glance final : nlohmann::json_sax<Json> {
  std::size_t depth = 0;
  std::string last_key, job;
  ShardId id = 0;
  bool enter() { return ++depth <= kMostDepth; }
  bool leave() { return --depth, true; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t number) override {
    if (depth == 1 && last_key == "id") id = number;
    return true;
  }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t& text) override {
    if (depth == 1 && last_key == "job") job = text;
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t& name) override {
    if (depth == 1) last_key = name;
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
};

struct OfAnother : Unfit {
  explicit OfAnother(ShardId of) : Unfit("it is of another job"), id(of) {}
  ShardId id;
};

Json parse(std::string_view bytes, const char* kind, const std::string& job) {
  require(bytes.size() <= kMostBytes, "it is too long");
  Glance glance;
  require(Json::sax_parse(bytes.begin(), bytes.end(), &glance, Json::input_format_t::cbor), "it is no CBOR");
  if (!job.empty() && glance.job != job) throw OfAnother(glance.id);
  Json value = Json::from_cbor(bytes.begin(), bytes.end());
  require(value.is_object(), "it is no object");
  require(number(member(value, "version")) == kVersion, "it is of another version of Heddle");
  require(text(member(value, "is"), 16) == kind, "it is another kind of message");
  return value;
}

template <typename Value, typename Read>
std::variant<Value, Refused> read(std::string_view bytes, const char* kind, Read&& members,
                                  const std::string& job = {}) {
  try {
    Value value;
    members(parse(bytes, kind, job), value);
    return value;
  } catch (const OfAnother& error) {
    return Refused{error.what(), error.id};
  } catch (const Unfit& error) {
    return Refused{error.what()};
  } catch (const Json::exception& error) {
    return Refused{error.what()};
  }
}

}  // namespace

bool is_plain_name(std::string_view name) {
  constexpr std::size_t kMost = 100;
  return !name.empty() && name.size() <= kMost && name[0] != '.' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
             std::string_view::npos;
}

std::string subtrees_to_bytes(const Subtrees& subtrees) {
  const auto words = words_of(subtrees);
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]};
}

std::variant<Subtrees, Refused> subtrees_from_bytes(std::string_view bytes) {
  try {
    require(bytes.size() <= kMostFile_bytes, "it is too long");
    require(bytes.size() % sizeof(std::uint32_t) == 0, "a list of numbers is cut off");
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
    return subtrees_of(words);
  } catch (const Unfit& error) {
    return Refused{error.what()};
  }
}

std::string to_bytes(const Shard& shard) {
  return bytes_of({{"version", kVersion},
                   {"is", "shard"},
                   {"job", shard.job},
                   {"id", shard.id},
                   {"bound", shard.bound},
                   {"budget", shard.budget_s},
                   {"subtrees", to_json(shard.subtrees)},
                   {"points", to_json(shard.points)},
                   {"spins", to_json(shard.spins)},
                   {"search", shard.search},
                   {"seed", shard.seed}});
}

std::variant<Shard, Refused> shard_from(std::string_view bytes) {
  return read<Shard>(bytes, "shard", [](const Json& value, Shard& shard) {
    shard.job = text(member(value, "job"), 64);
    shard.id = number(member(value, "id"));
    shard.bound = static_cast<unsigned>(number(member(value, "bound"), kMostBound));
    shard.budget_s = seconds(member(value, "budget"));
    shard.subtrees = subtrees_from(member(value, "subtrees"));
    shard.points = places_from(member(value, "points"));
    shard.spins = loops_from(member(value, "spins"));
    shard.search = text(member(value, "search"), 64);
    shard.seed = number(member(value, "seed"));
  });
}

std::string to_bytes(const ShardResult& result) {
  Json bugs = Json::array();
  for (const FarmBug& bug : result.bugs) bugs.push_back(to_json(bug));
  return bytes_of({{"version", kVersion},
                   {"is", "result"},
                   {"job", result.job},
                   {"id", result.id},
                   {"worker", result.worker},
                   {"failed", result.failed},
                   {"waiting", to_json(result.progress.waiting)},
                   {"run", to_packed(result.progress.run)},
                   {"beyond", result.progress.beyond},
                   {"lost", result.progress.lost},
                   {"broke_down", result.broke_down},
                   {"cut_off", result.cut_off},
                   {"steps_max", result.steps_max},
                   {"tasks_max", result.tasks_max},
                   {"seconds", result.seconds},
                   {"points", to_json(result.points)},
                   {"spins", to_json(result.spins)},
                   {"classes", to_packed(result.classes.hashes())},
                   {"bugs", bugs},
                   {"test", to_json(result.test)},
                   {"waiting_file", to_json(result.waiting_file)}});
}

std::variant<ShardResult, Refused> result_from(std::string_view bytes, const std::string& job) {
  const auto members = [](const Json& value, ShardResult& result) {
    result.job = text(member(value, "job"), 64);
    result.id = number(member(value, "id"));
    result.worker = text(member(value, "worker"), 256);
    result.failed = text(member(value, "failed"));
    result.progress = progress_from(value);
    result.broke_down = flag(member(value, "broke_down"));
    result.cut_off = number(member(value, "cut_off"), std::uint64_t{1} << 40);
    result.steps_max = number_as<std::uint32_t>(member(value, "steps_max"));
    result.tasks_max = number_as<std::uint32_t>(member(value, "tasks_max"));
    result.seconds = seconds(member(value, "seconds"));
    result.points = places_from(member(value, "points"));
    result.spins = loops_from(member(value, "spins"));
    const auto hashes = packed<std::uint64_t>(member(value, "classes"));
    require(hashes.size() <= SmallestHashes::kMost, "there are too many classes");
    for (const std::uint64_t hash : hashes) result.classes.add(hash);
    for (const Json& bug : list(member(value, "bugs"), 10'000)) result.bugs.push_back(bug_from(bug));
    result.test = test_run_from(member(value, "test"));
    result.waiting_file = files_from(member(value, "waiting_file"));
    require(result.waiting_file.size() <= 1, "there are several files of what waits");
    for (const FarmFile& file : result.waiting_file) require(file.bytes <= kMostFile_bytes, "what waits is too large");
  };
  return read<ShardResult>(bytes, "result", members, job);
}

std::string to_bytes(const Job& job) {
  Json options = Json::array();
  for (const auto& [name, option] : job.options) options.push_back({name, option});
  return bytes_of({{"version", kVersion},
                   {"is", "job"},
                   {"id", job.id},
                   {"heddle", job.heddle},
                   {"command", job.command},
                   {"options", options},
                   {"program", to_json(job.program)},
                   {"data", to_json(job.data)},
                   {"sources", to_json(job.sources)},
                   {"processors", job.processors},
                   {"keep_going", job.keep_going},
                   {"pieces", job.pieces},
                   {"shard_seconds", job.shard_s},
                   {"hunts", job.hunts},
                   {"hunts_waiting", job.hunts_waiting},
                   {"over", job.over},
                   {"tests", to_json(job.tests)},
                   {"framework", job.framework},
                   {"probe_test", job.probe_test},
                   {"probe_class", job.probe_class},
                   {"probe_steps", job.probe_steps},
                   {"probe_tasks", job.probe_tasks}});
}

std::variant<Job, Refused> job_from(std::string_view bytes) {
  return read<Job>(bytes, "job", [](const Json& value, Job& job) {
    job.id = text(member(value, "id"), 64);
    job.heddle = text(member(value, "heddle"), 1024);
    job.command = texts_from(member(value, "command"));
    require(!job.command.empty(), "it names no program");
    for (const Json& one : list(member(value, "options"), 1000)) {
      require(list(one, 2).size() == 2, "an option is not two things");
      job.options.emplace_back(text(one[0]), text(one[1]));
    }
    job.program = files_from(member(value, "program"));
    require(!job.program.empty(), "the program is not among its files");
    job.data = files_from(member(value, "data"));
    job.sources = files_from(member(value, "sources"));
    job.processors = number_as<std::uint32_t>(member(value, "processors"));
    job.keep_going = flag(member(value, "keep_going"));
    job.pieces = number(member(value, "pieces"), 100'000);
    job.shard_s = seconds(member(value, "shard_seconds"));
    job.hunts = texts_from(member(value, "hunts"));
    job.hunts_waiting = number(member(value, "hunts_waiting"), 100'000);
    job.over = flag(member(value, "over"));
    job.tests = tests_from(member(value, "tests"));
    job.framework = text(member(value, "framework"), 64);
    job.probe_test = number(member(value, "probe_test"), job.tests.size());
    job.probe_class = number(member(value, "probe_class"));
    job.probe_steps = number_as<std::uint32_t>(member(value, "probe_steps"));
    job.probe_tasks = number_as<std::uint32_t>(member(value, "probe_tasks"));
  });
}

}  // namespace heddle::farm
