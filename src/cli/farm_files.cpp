// See farm_files.h.
#include "cli/farm_files.h"

#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "analysis/lines.h"
#include "analysis/source_files.h"
#include "cli/ask_program.h"
#include "driver/target/elf_file.h"
#include "trace/atomic_file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::variant<farm::FarmFile, std::string> file_at(const std::string& path) {
  const FileContent file = read_file(path);
  if (!file.error.empty()) return file.error;
  std::error_code error;
  const bool executable = (fs::status(path, error).permissions() & fs::perms::owner_exec) != fs::perms::none;
  return farm::FarmFile{path, farm::digest_of(file.content), file.content.size(), executable};
}

bool is_here(const farm::FarmFile& file, const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) != file.bytes) return false;
  const FileContent here = read_file(path);
  return here.error.empty() && farm::digest_of(here.content) == file.digest;
}

// "	libx.so.1 => /usr/lib/libx.so.1 (0x7f…)", as ld.so --list prints it.
std::string library_in(std::string_view line) {
  const std::size_t arrow = line.find("=> /"), end = line.rfind(" (0x");
  if (end == std::string_view::npos) return {};
  if (arrow != std::string_view::npos) return std::string(line.substr(arrow + 3, end - arrow - 3));
  const std::string_view path = trimmed(line.substr(0, end));
  return path.starts_with("/") ? std::string(path) : std::string();
}

// Fetched files lie in a folder of their own, by digest: cache/DIGEST/NAME. Empty, or why it can't be had.
std::string fetch(const farm::FarmFile& file, farm::Broker& broker, const std::string& path) {
  if (is_here(file, path)) return {};
  std::string error;
  const auto content = broker.file(file.digest, file.bytes, error);
  if (!content) return fmt::format("{} can't be fetched: {}", file.path, error);
  if (const int failed = make_folders(fs::path(path).parent_path().string()); failed != 0)
    return fmt::format("{} can't be made: {}", fs::path(path).parent_path().string(),
                       std::system_category().message(failed));
  // Another worker that sees it is to find it as it must be.
  const std::string made = fmt::format("{}.{}", path, ::getpid());
  if (error = write_file(made, *content); !error.empty()) return error;
  if (file.executable) ::chmod(made.c_str(), 0700);
  if (::rename(made.c_str(), path.c_str()) == 0) return {};
  return fmt::format("{} can't be made: {}", path, std::system_category().message(errno));
}

// "data/x": nothing that would lie elsewhere.
bool stays_below(const fs::path& path) {
  return !path.is_absolute() && std::find(path.begin(), path.end(), "..") == path.end();
}

}  // namespace

FarmFiles program_files(const std::string& program) {
  std::error_code error;
  auto first = file_at(fs::absolute(program, error).lexically_normal().string());
  if (const auto* problem = std::get_if<std::string>(&first)) return *problem;
  std::vector<farm::FarmFile> files{std::get<farm::FarmFile>(first)};
  const auto elf = ElfFile::read(program, "");
  if (!elf || elf->interpreter.empty()) return files;  // a script, or linked statically
  const std::string listed =
      ask_program(elf->interpreter, {elf->interpreter, "--list", files[0].path}, Streams::Output);
  for (const std::string_view line : lines_of(listed)) {
    const std::string path = library_in(line);
    if (path.empty()) continue;
    auto library = file_at(path);
    if (const auto* problem = std::get_if<std::string>(&library)) return *problem;
    files.push_back(std::get<farm::FarmFile>(std::move(library)));
  }
  return files;
}

FarmFiles data_files(const std::string& names) {
  std::vector<farm::FarmFile> files;
  for (std::size_t from = 0, to = 0; !names.empty() && to != std::string::npos; from = to + 1) {
    to = names.find(',', from);
    const std::string name = names.substr(from, to == std::string::npos ? to : to - from);
    if (name.empty()) return std::string("a name of a file is empty");
    if (!stays_below(name))
      return fmt::format("{} does not lie below this folder: start in one that it lies below, and name it from there",
                         name);
    auto file = file_at(name);
    if (const auto* problem = std::get_if<std::string>(&file)) return *problem;
    files.push_back(std::get<farm::FarmFile>(std::move(file)));
  }
  return files;
}

std::vector<farm::FarmFile> source_files_of(const std::vector<farm::FarmFile>& program) {
  constexpr std::size_t kMost = 1000, kMostPaths_bytes = 128 << 10;
  constexpr std::uint64_t kMostOfOne_bytes = 4 << 20, kMostOfAll_bytes = 32 << 20;
  std::vector<farm::FarmFile> sources;
  std::set<std::string> known;
  std::size_t paths = 0;
  std::uint64_t bytes = 0;
  for (const farm::FarmFile& part : program) {
    if (&part != &program[0] && is_of_system(part)) continue;
    for (const std::string& path : source_files(part.path, kMost)) {
      std::error_code error;
      const std::uint64_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
      if (error || size == 0 || size > kMostOfOne_bytes || !known.insert(path).second) continue;
      paths += path.size();
      bytes += size;
      if (sources.size() == kMost || paths > kMostPaths_bytes || bytes > kMostOfAll_bytes) return sources;
      auto source = file_at(path);
      if (auto* file = std::get_if<farm::FarmFile>(&source)) sources.push_back(std::move(*file));
    }
  }
  return sources;
}

bool is_of_system(const farm::FarmFile& file) {
  constexpr std::string_view kFolders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return std::any_of(std::begin(kFolders), std::end(kFolders),
                     [&](std::string_view folder) { return file.path.starts_with(folder); });
}

std::string send_files(const farm::Job& job, farm::Broker& broker) {
  for (const auto* files : {&job.program, &job.data, &job.sources})
    for (const farm::FarmFile& file : *files) {
      if (files == &job.program && &file != &job.program[0] && is_of_system(file)) continue;
      const FileContent content = read_file(file.path);
      std::string error = content.error;
      if (error.empty() && farm::digest_of(content.content) != file.digest) error = "it has just been changed";
      if (error.empty()) error = broker.put_file(file.digest, content.content);
      if (!error.empty()) return fmt::format("{} can't be sent: {}", file.path, error);
    }
  return {};
}

std::string with_path(std::string text, const std::string& here, const std::string& there) {
  if (here.empty() || here == there) return text;
  for (std::size_t at = text.find(here); at != std::string::npos; at = text.find(here, at + there.size()))
    text.replace(at, here.size(), there);
  return text;
}

std::string sent_file(const std::string& folder, const std::string& digest) {
  return fmt::format("{}/sent-{}", folder, digest);
}

std::variant<FarmPlace, std::string> fetch_files(const farm::Job& job, farm::Broker& broker, const std::string& cache) {
  FarmPlace place;
  for (const farm::FarmFile& file : job.program) {
    const bool is_program = &file == &job.program[0], here = is_here(file, file.path);
    if (is_program && here) place.program = file.path;
    if (here && (is_program || !is_of_system(file))) place.files.push_back(file.path);
    if (here) continue;
    if (!is_program && is_of_system(file))
      return fmt::format(
          "{} is another build here than where the farm was started, so executions may differ: install "
          "the same version of it",
          file.path);
    const std::string name = fs::path(file.path).filename().string();
    const std::string path = is_program ? fmt::format("{}/{}/{}", cache, file.digest, name)
                                        : fmt::format("{}/{}/libraries/{}", cache, job.program[0].digest, name);
    if (std::string error = fetch(file, broker, path); !error.empty()) return error;
    place.files.push_back(path);
    if (is_program)
      place.program = path;
    else
      place.libraries = fs::path(path).parent_path().string();
  }
  // They are all copied: in a sandbox nothing else can be read.
  if (!job.sources.empty()) place.sources = fmt::format("{}/{}/sources", cache, job.program[0].digest);
  for (const farm::FarmFile& file : job.sources) {
    const fs::path path(file.path);
    if (!path.is_absolute() || path.lexically_normal() != path)
      return fmt::format("the farm names a source that has no plain path: {}", file.path);
    if (std::string error = fetch(file, broker, place.sources + file.path); !error.empty()) return error;
  }
  bool all_here = true;
  for (const farm::FarmFile& file : job.data) {
    if (!stays_below(file.path)) return fmt::format("the farm names a file outside of its folder: {}", file.path);
    all_here = all_here && is_here(file, file.path);
  }
  if (all_here) return place;
  place.work = fmt::format("{}/work-{}", cache, job.id);
  for (const farm::FarmFile& file : job.data)
    if (std::string error = fetch(file, broker, place.work + "/" + file.path); !error.empty()) return error;
  return place;
}

}  // namespace heddle::cli
