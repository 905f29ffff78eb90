// See frontier_lists.h.
#include "search/frontier_lists.h"

namespace heddle {
namespace {

void drop_first(FrontierEntries& entries, std::size_t count) {
  entries = FrontierEntries(entries.begin() + static_cast<std::ptrdiff_t>(count), entries.end());
}

}  // namespace

PageBack read_page(FrontierFile& file, const FrontierFile::Page& page, FrontierEntries& entries) {
  entries.resize(file.page_entries());
  if (file.read(page, entries)) return {};
  entries.clear();
  return {file.page_entries(), page.leaves};
}

std::size_t write_pages(FrontierFile& file, FrontierEntries& entries, std::size_t wanted, FrontierPages& pages) {
  const std::size_t each = file.page_entries();
  std::size_t done = 0;
  for (; done < wanted && done + each <= entries.size(); done += each) {
    FrontierFile::Page page;
    if (!file.write(std::span(entries).subspan(done, each), page)) break;
    pages.push_back(page);
  }
  if (done != 0) drop_first(entries, done);
  return done;
}

PageBack FrontierStack::read(FrontierFile& file) {
  HEDDLE_ASSERT(must_read(), "a page is read when its turn has come");
  const PageBack back = read_page(file, pages_.back(), top_);
  pages_.pop_back();
  on_disk_ -= file.page_entries();
  return back;
}

// The top page stays: it comes next.
std::size_t FrontierStack::write(FrontierFile& file, std::size_t wanted) {
  const std::size_t each = file.page_entries();
  if (top_.size() < 2 * each) return 0;
  const std::size_t done = write_pages(file, top_, std::min(wanted, top_.size() - each), pages_);
  on_disk_ += done;
  return done;
}

PageBack FrontierQueue::read(FrontierFile& file) {
  HEDDLE_ASSERT(must_read(), "a page is read when its turn has come");
  taken_ = 0;
  const PageBack back = read_page(file, pages_.front(), front_);
  pages_.erase(pages_.begin());
  on_disk_ -= file.page_entries();
  return back;
}

FrontierEntry FrontierQueue::take() {
  constexpr std::size_t kWorthwhile = 1u << 16;  // entries that are gone: their memory is given back
  if (taken_ == front_.size()) {
    front_ = std::exchange(back_, {});
    taken_ = 0;
  }
  const FrontierEntry entry = front_[taken_++];
  if (taken_ == front_.size() || (taken_ >= kWorthwhile && 2 * taken_ >= front_.size())) {
    drop_first(front_, taken_);
    taken_ = 0;
  }
  return entry;
}

// The first page stays: it comes next.
std::size_t FrontierQueue::write(FrontierFile& file, std::size_t wanted) {
  const std::size_t each = file.page_entries();
  if (back_.size() < 2 * each) return 0;
  if (taken_ == front_.size() && on_disk_ == 0) {
    front_ = FrontierEntries(back_.begin(), back_.begin() + static_cast<std::ptrdiff_t>(each));
    taken_ = 0;
    drop_first(back_, each);
  }
  const std::size_t done = write_pages(file, back_, wanted, pages_);
  on_disk_ += done;
  return done;
}

}  // namespace heddle
