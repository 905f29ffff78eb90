// The small files of a folder, kept in memory. They are laid into other folders again and again, unchanged.
//
// A file is copied only if the program can't tell the copy from the original. So programs, libraries and scripts are
// left out, since they may look for what lies beside them. Files that belong to somebody else, have several names, lie
// on another file system or can't be read are left out, too. The caller makes links to the rest.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace heddle {

class FolderCopy {
 public:
  struct Limits {
    std::size_t entries = 256;     // files, folders and links: each is looked at before each execution
    std::size_t bytes = 4u << 20;  // in files, which are kept in memory, and compared where that is needed
    std::size_t examined = 65536;  // in folders, to find out which are small
  };

  FolderCopy() = default;
  // Reads those of `names` in `from` that are small together with all that is in them, the smallest first, as long as
  // they keep within the limits. Of links only those that lead to something in `from` are among them.
  FolderCopy(const std::filesystem::path& from, const std::set<std::string>& names, const Limits& limits);

  bool has(const std::string& name) const { return pieces_.count(name) != 0; }
  // Makes what has this name in `to`, where there is nothing of that name.
  void lay(const std::string& name, const std::filesystem::path& to, std::error_code& error);
  // Makes what was laid in `to`, and a program has changed since, as it was. Files that are still there keep their
  // inodes, and folders the order in which they are listed, where that is possible. False: what has this name is not
  // what was laid, and nothing was done.
  bool restore(const std::string& name, const std::filesystem::path& to, std::error_code& error);

 private:
  enum class Kind { File, Folder, Link };
  struct Entry {
    std::string path;  // below the folder
    Kind kind;
    mode_t mode;
    timespec modified;
    std::string content;  // of a file; of a link where it leads
    struct stat laid;     // as it was laid last; not of a folder's time, which comes later
  };
  // A name in the folder and all that is in it: folders before what is in them, in the order of their names.
  using Piece = std::vector<Entry>;
  class Reader;

  static void make(Entry& entry, const std::filesystem::path& to, std::error_code& error);
  static void make(Piece& piece, std::size_t first, const std::filesystem::path& to, std::error_code& error);
  static bool is_what_was_copied(const Entry& entry, const std::filesystem::path& to, struct stat& status);
  bool is_as_it_was(const Entry& entry, const std::filesystem::path& to, const struct stat& status) const;
  bool has_what_was_copied(Piece& piece, const std::filesystem::path& to, std::vector<Entry*>& changed) const;
  static void write_again(Entry& entry, const std::filesystem::path& to, std::error_code& error);
  static void finish_folders(const Piece& piece, const std::filesystem::path& to, std::error_code& error);

  std::map<std::string, Piece> pieces_;
  bool compares_content_ = false;
};

}  // namespace heddle
