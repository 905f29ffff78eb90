// See scratch.h.
#include "driver/scratch.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

namespace heddle {
namespace {

namespace fs = std::filesystem;

std::string make_directory(std::error_code& error) {
  std::string name = (fs::temp_directory_path(error) / "heddle-XXXXXX").string();
  if (error) return {};
  if (mkdtemp(name.data()) != nullptr) return name;
  error = std::error_code(errno, std::generic_category());
  return {};
}

void remove_contents(const fs::path& directory, std::error_code& error) {
  for (const auto& entry : fs::directory_iterator(directory, error)) fs::remove_all(entry.path(), error);
}

// Links, not copies: large data costs nothing. A program that changes a file which was there changes the real one.
void fill(const fs::path& directory, std::error_code& error) {
  for (const auto& entry : fs::directory_iterator(fs::current_path(error), error))
    fs::create_symlink(entry.path(), directory / entry.path().filename(), error);
}

}  // namespace

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string ScratchDirectory::renew() {
  std::error_code error;
  if (path_.empty()) path_ = make_directory(error);
  if (!error) remove_contents(path_, error);
  if (!error) fill(path_, error);
  return error ? "no folder could be made for the program to write in: " + error.message() : std::string();
}

}  // namespace heddle
