// A list of records, like std::vector. Many records can be appended with one check for room: the decoder appends every
// record of every execution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

template <typename Item>
class RecordList {
 public:
  static_assert(std::is_trivially_copyable_v<Item>);
  using value_type = Item;
  using iterator = Item*;
  using const_iterator = const Item*;

  RecordList() = default;
  RecordList(std::initializer_list<Item> items) : room_(items), count_(items.size()) {}
  RecordList(const RecordList& other) : room_(other.begin(), other.end()), count_(other.count_) {}
  RecordList(RecordList&& other) noexcept
      : room_(std::exchange(other.room_, {})), count_(std::exchange(other.count_, 0)) {}
  RecordList& operator=(RecordList other) noexcept {
    std::swap(room_, other.room_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~RecordList() = default;

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Item* data() { return room_.data(); }
  const Item* data() const { return room_.data(); }
  Item* begin() { return data(); }
  Item* end() { return data() + count_; }
  const Item* begin() const { return data(); }
  const Item* end() const { return data() + count_; }
  Item& operator[](std::size_t index) { return room_[index]; }
  const Item& operator[](std::size_t index) const { return room_[index]; }
  Item& back() { return room_[count_ - 1]; }
  const Item& back() const { return room_[count_ - 1]; }

  void clear() { count_ = 0; }
  void push_back(const Item& item) {
    const Item copy = item;  // it may lie in here
    *room_for(1) = copy;
    ++count_;
  }
  void pop_back() { --count_; }
  void erase(Item* first, Item* last) { ends_at(std::copy(last, end(), first)); }
  void resize(std::size_t count) {
    if (count > count_) std::fill_n(room_for(count - count_), count - count_, Item());
    count_ = count;
  }

  // Where the next so many may be written. Then ends_at() says where the list ends.
  Item* room_for(std::size_t more) {
    if (room_.size() - count_ < more) [[unlikely]]
      room_.resize(std::max(count_ + more, 2 * count_));
    return end();
  }
  void ends_at(const Item* end) { count_ = static_cast<std::size_t>(end - data()); }

 private:
  std::vector<Item> room_;  // the first `count_` are the list
  std::size_t count_ = 0;
};

template <typename Item>
void append(RecordList<Item>& to, const Item* first, const Item* last) {
  to.ends_at(std::copy(first, last, to.room_for(static_cast<std::size_t>(last - first))));
}
template <typename Item>
void append(std::vector<Item>& to, const Item* first, const Item* last) {
  to.insert(to.end(), first, last);
}

}  // namespace heddle
