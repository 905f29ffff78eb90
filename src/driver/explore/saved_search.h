// The file in which a search is kept while it runs, so that `run --resume` can go on with it after whatever ended it:
// heddle-out/PROGRAM.state, or DIR.state with -o DIR.
//
// It holds the state of the whole search at one moment, never a part of one: a new file is written beside the old one
// and replaces it by a rename. The writer holds a lock on it, which ends with the process: so no other run can resume a
// search that is still running. A checksum stands at the end.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/process/descriptor.h"
#include "driver/target/options.h"
#include "trace/state_archive.h"

namespace heddle {

// What must be the same when a search is gone on with.
struct SearchIdentity {
  std::string heddle;                                        // which build of Heddle
  std::string program, build_id;                             // the file, and which build of it
  std::vector<std::string> command;                          // program and arguments, as they were given
  std::vector<std::pair<std::string, std::string>> options;  // those that decide which schedules there are
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.heddle, self.program, self.build_id, self.command, self.options);
  }
};

// What has to be known before a search can be made again.
struct SavedHeader {
  std::uint64_t schedules = 0;
  IsolationKind isolation = IsolationKind::Snapshot;  // that it had come to
  std::vector<CodePlace> points;
  std::string output_folder;                                    // where its bugs are; empty: there is none yet
  std::vector<std::pair<std::string, std::string>> files = {};  // that the program had loaded: paths and builds
  std::vector<SpinLoop> spins = {};
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.schedules, self.isolation, self.points, self.output_folder, self.files, self.spins);
  }
};

class SavedSearch {
 public:
  // A search may grow without end; what is written of it must not. Behind this size the last state stays as it is.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  SavedSearch(std::string path, SearchIdentity identity, std::uint64_t max_bytes = kMaxBytes)
      : path_(std::move(path)), identity_(std::move(identity)), max_bytes_(max_bytes) {}
  ~SavedSearch() { forget(); }
  SavedSearch(const SavedSearch&) = delete;
  SavedSearch& operator=(const SavedSearch&) = delete;

  const std::string& path() const { return path_; }
  // Where a part of the search may lie that is too large for memory (search/frontier_file.h):
  // heddle-out/PROGRAM.frontier.
  std::string frontier_path() const;

  // For --resume. Empty, or why this can't be gone on with and what to do.
  std::string load();
  // Does another run that is going on keep its search there?
  bool is_in_use() const;
  bool loaded() const { return loaded_; }
  const SavedHeader& header() const { return header_; }
  std::string_view content() const { return content_; }
  // The content is no longer needed.
  void forget();

  // Empty, or why it could not be written; then the file that was there before still is.
  std::string write(const SavedHeader& header, const std::function<void(StateWriter&)>& content);
  // The search has come to its end. The file stays until what came of the search is told: if we are killed in between,
  // --resume goes on with the last part of it.
  void has_ended() { ended_ = true; }
  // Leaves what others have written.
  void remove_if_ended();
  // It is on disk, as we loaded or wrote it.
  bool kept() const { return locked_.get() >= 0; }

 private:
  std::string check(std::string_view file);
  std::string too_large() const;
  std::string mismatch_with(const SearchIdentity& saved) const;
  std::string mismatch_of_files() const;

  std::string path_;
  SearchIdentity identity_;
  std::uint64_t max_bytes_;
  Descriptor locked_;  // the file that has our name now
  bool loaded_ = false;
  bool ended_ = false;
  SavedHeader header_;
  std::string_view content_;
  std::string_view mapped_;
};

}  // namespace heddle
