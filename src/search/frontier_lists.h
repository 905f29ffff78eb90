// The entries of a bin of the frontier (frontier.h), as a stack and as a queue. What comes last may lie in a file, in
// whole pages; a page comes back when its turn comes. So the order is the same as without a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "protocol/assert.h"
#include "search/frontier_entry.h"
#include "search/frontier_file.h"
#include "trace/large_pages.h"

namespace heddle {

using FrontierEntries = LargeVector<FrontierEntry>;
using FrontierPages = std::vector<FrontierFile::Page>;

// What came back from a page, or was lost with it.
struct PageBack {
  std::size_t lost = 0;         // entries
  std::size_t lost_leaves = 0;  // of them, no revisits
};

// Its entries are gone from here, whether they could be read or not.
PageBack read_page(FrontierFile& file, const FrontierFile::Page& page, FrontierEntries& entries);
// Writes whole pages from the front of `entries`, until so many entries are written. How many are; they are gone from
// `entries`.
std::size_t write_pages(FrontierFile& file, FrontierEntries& entries, std::size_t wanted, FrontierPages& pages);

class FrontierStack {
 public:
  void push(const FrontierEntry& entry) { top_.push_back(entry); }
  std::size_t size() const { return top_.size() + on_disk_; }
  std::size_t in_memory() const { return top_.size(); }
  // The next entry lies in the file.
  bool must_read() const { return top_.empty() && on_disk_ != 0; }
  PageBack read(FrontierFile& file);
  FrontierEntry take() {
    const FrontierEntry entry = top_.back();
    top_.pop_back();
    return entry;
  }
  Deviations::Id next_node() const { return top_.empty() ? Deviations::kNone : top_.back().node; }
  std::size_t write(FrontierFile& file, std::size_t wanted);
  const FrontierPages& pages() const { return pages_; }
  // Those in memory, the one that is taken last first.
  const FrontierEntries& in_order() const { return top_; }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.pages_, self.on_disk_, self.top_);
  }

 private:
  FrontierPages pages_;  // below
  std::size_t on_disk_ = 0;
  FrontierEntries top_;
};

class FrontierQueue {
 public:
  void push(const FrontierEntry& entry) { back_.push_back(entry); }
  std::size_t size() const { return front_.size() - taken_ + on_disk_ + back_.size(); }
  std::size_t in_memory() const { return size() - on_disk_; }
  bool must_read() const { return taken_ == front_.size() && on_disk_ != 0; }
  PageBack read(FrontierFile& file);
  FrontierEntry take();
  Deviations::Id next_node() const { return taken_ < front_.size() ? front_[taken_].node : Deviations::kNone; }
  std::size_t write(FrontierFile& file, std::size_t wanted);
  const FrontierPages& pages() const { return pages_; }
  // Where the next entry is put, and what was put behind such a mark the other way round. In between nothing may be
  // taken or written.
  std::size_t mark() const { return back_.size(); }
  void turn_round(std::size_t mark) { std::reverse(back_.begin() + static_cast<std::ptrdiff_t>(mark), back_.end()); }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.front_, self.taken_, self.pages_, self.on_disk_, self.back_);
  }

 private:
  FrontierEntries front_;
  std::size_t taken_ = 0;  // the first so many are gone
  FrontierPages pages_;
  std::size_t on_disk_ = 0;
  FrontierEntries back_;
};

}  // namespace heddle
