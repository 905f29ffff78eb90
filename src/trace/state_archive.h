// The state of a search as bytes, for `run --resume`, and back. Each class lists its members once, for both directions:
//
//   template <typename Self, typename Archive>
//   static void transfer(Self& self, Archive& archive) { archive(self.one_, self.other_); }
//
// Trivially copyable values are written as they lie in memory, so only the build of Heddle that wrote them can read
// them; driver/explore/saved_search.h checks that, and finds damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle {

namespace archive {

template <typename T>
concept Sequence = requires(T value) {
  value.data();
  value.resize(std::size_t{});
};
template <typename T>
concept Map = requires {
  typename T::mapped_type;
};
template <typename T>
concept Set = requires(T value, typename T::key_type key) {
  value.insert(key);
  value.find(key);
}
&&!Sequence<T>;
template <typename T>
concept Transferred = requires(T value, int archive) {
  T::transfer(value, archive);
};
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

}  // namespace archive

class StateWriter {
 public:
  using Sink = std::function<void(std::string_view)>;
  // To memory; or by pieces to `sink`, the last one at flush().
  explicit StateWriter(Sink sink = {}) : sink_(std::move(sink)) {}

  template <typename... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }
  void bytes(const void* data, std::size_t size);
  void flush();
  const std::string& written() const { return buffer_; }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;

  template <typename T>
  void put(const T& value) {
    if constexpr (archive::Transferred<T>) {
      T::transfer(value, *this);
    } else if constexpr (archive::Sequence<T>) {
      put(std::uint64_t{value.size()});
      if constexpr (archive::Plain<typename T::value_type>)
        bytes(value.data(), value.size() * sizeof(typename T::value_type));
      else
        for (const auto& element : value) put(element);
    } else if constexpr (archive::Set<T> || archive::Map<T>) {
      put(std::uint64_t{value.size()});
      for (const auto& element : value) put(element);
    } else {
      put_other(value);
    }
  }
  template <typename First, typename Second>
  void put_other(const std::pair<First, Second>& value) {
    put(value.first);
    put(value.second);
  }
  template <archive::Plain T>
  void put_other(const T& value) {
    bytes(&value, sizeof value);
  }

  Sink sink_;
  std::string buffer_;
};

// What does not fit makes it fail; then everything that follows reads as nothing.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : left_(bytes) {}

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }
  bool failed() const { return failed_; }
  // What was read makes sense, but can't be used.
  void fail(std::string why) {
    failed_ = true;
    left_ = {};
    why_ = std::move(why);
  }
  // Empty: it does not fit.
  const std::string& why() const { return why_; }
  bool at_end() const { return left_.empty(); }
  std::string_view left() const { return left_; }
  bool bytes(void* data, std::size_t size);

 private:
  // How many elements follow, of at least so many bytes each.
  std::size_t count(std::size_t least);

  template <typename T>
  void get(T& value) {
    if constexpr (archive::Transferred<T>) {
      T::transfer(value, *this);
    } else if constexpr (archive::Sequence<T>) {
      using Element = typename T::value_type;
      constexpr bool plain = archive::Plain<Element>;
      value.resize(count(plain ? sizeof(Element) : 1));
      if constexpr (plain)
        bytes(value.data(), value.size() * sizeof(Element));
      else
        for (auto& element : value) get(element);
    } else if constexpr (archive::Map<T>) {
      value.clear();
      for (std::size_t left = count(1); left > 0 && !failed_; --left) {
        std::pair<typename T::key_type, typename T::mapped_type> element;
        get(element);
        value.insert(std::move(element));
      }
    } else if constexpr (archive::Set<T>) {
      value.clear();
      for (std::size_t left = count(1); left > 0 && !failed_; --left) {
        typename T::key_type element{};
        get(element);
        value.insert(std::move(element));
      }
    } else {
      get_other(value);
    }
  }
  template <typename First, typename Second>
  void get_other(std::pair<First, Second>& value) {
    get(value.first);
    get(value.second);
  }
  template <archive::Plain T>
  void get_other(T& value) {
    if (!bytes(&value, sizeof value)) value = T{};
  }

  std::string_view left_;
  bool failed_ = false;
  std::string why_;
};

}  // namespace heddle
