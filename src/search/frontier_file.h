// A file for what a frontier has no room for in memory (run --memory-limit): pages of entries, of the schedules that
// come last. Source: GAMBIT (PPoPP 2010), section 3.3.
//
// The state of a search that is kept for --resume names its pages, with a hash of each. So a page that was read back
// stays as it is until a later state has been kept, which does without it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "search/frontier_entry.h"
#include "trace/state_archive.h"

namespace heddle {

class FrontierFile {
 public:
  struct Options {
    std::string path = {};              // empty: there is no file
    std::size_t entries_in_memory = 0;  // beyond so many, those that come last are written to it
    std::size_t page_entries = kPageEntries;
  };
  static constexpr std::size_t kPageEntries = 4096;

  struct Page {
    std::uint64_t hash = 0;
    std::uint32_t slot = 0;    // where in the file
    std::uint32_t leaves = 0;  // so many of its entries are no revisits
  };

  explicit FrontierFile(Options options) : options_(std::move(options)) {}
  // The file stays if the state of a search is kept that needs it.
  ~FrontierFile();
  FrontierFile(const FrontierFile&) = delete;
  FrontierFile& operator=(const FrontierFile&) = delete;

  const Options& options() const { return options_; }
  std::size_t page_entries() const { return options_.page_entries; }
  // False: there is no file, or it takes nothing more; take_note() says why.
  bool takes_more() const { return !options_.path.empty() && !given_up_; }
  // Of the entries that are in it, how many are no revisits?
  std::size_t leaves() const { return leaves_; }

  // So many of the entries that wait, `leaves` and revisits, should be written now: an eighth more than must.
  std::size_t due(std::size_t leaves) const {
    const std::size_t most = options_.entries_in_memory, now = leaves - leaves_;
    return takes_more() && now > std::max(most, next_due_) ? now - (most - most / 8) : 0;
  }
  // As many were as there were whole pages: it is no use to look again at once.
  void was_due(std::size_t leaves) { next_due_ = leaves - leaves_ + options_.entries_in_memory / 8; }

  // A page full of entries. False: the file takes nothing more.
  bool write(std::span<const FrontierEntry> entries, Page& page);
  // The page is gone then. False: so are its entries, as what is there is not what was written.
  bool read(const Page& page, std::span<FrontierEntry> entries);
  // All pages are gone.
  void clear();

  // The state that was saved last is on disk.
  void state_was_kept();
  void save(StateWriter& writer) const;
  // `pages`: those that the state needs.
  void restore(StateReader& reader, const std::vector<Page>& pages);
  // What the user should know, once; empty: nothing.
  std::string take_note() { return std::exchange(note_, {}); }

 private:
  struct Head;
  std::size_t page_bytes() const { return page_entries() * sizeof(FrontierEntry); }
  std::uint64_t position_of(std::uint32_t slot) const;
  int open_and_lock(int flags);
  bool create();
  bool give_up(int error);
  void free_slot(std::uint32_t slot);

  Options options_;
  int file_ = -1;
  std::uint64_t id_ = 0;  // of the file
  std::uint32_t slots_ = 0;
  std::size_t leaves_ = 0;
  std::size_t next_due_ = 0;  // not before so many entries are in memory
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> freed_;  // since a state was kept that needs them
  bool is_needed_ = false;            // by a state that is kept
  bool given_up_ = false;
  std::string note_;
};

}  // namespace heddle
