// Objects are in regions, and only the owner of a region may use what is in it. Who owns two regions can merge them:
// one then leads to the other.
// Bug 1: a thread looks for the region where an object is now and then takes it. It does not look again whether the
// region was merged in between, and owns a region that is no more while another thread uses the object (assertion).
// Shape of GAMBIT's test RegionOwnership.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Region {
 public:
  // Waits until the region is free, and owns it. It may be another one that the region was merged into.
  Region* acquire() {
    while (true) {
      Region* region = find();
      if (region->try_own()) return region;
      std::this_thread::yield();
    }
  }

  void release() {
    const std::lock_guard guard(lock_);
    assert(owned_);
    owned_ = false;
  }

  // The caller owns both, and goes on to own this one.
  void merge(Region& other) {
    const std::scoped_lock guard(lock_, other.lock_);
    other.into_ = this;
    other.owned_ = false;
  }

 private:
  Region* find() {
    Region* region = this;
    while (true) {
      const std::lock_guard guard(region->lock_);
      if (region->into_ == nullptr) return region;
      region = region->into_;
    }
  }

  bool try_own() {
    const std::lock_guard guard(lock_);
#if BUG != 1
    if (into_ != nullptr) return false;
#endif
    if (owned_) return false;
    owned_ = true;
    return true;
  }

  std::mutex lock_;
  Region* into_ = nullptr;
  bool owned_ = false;
};

class Object {
 public:
  explicit Object(Region& region) : region_(region) {}

  void use() {
    Region* owned = region_.acquire();
    change_users(1);
    change_users(-1);
    owned->release();
  }

 private:
  void change_users(int change) {
    const std::lock_guard guard(lock_);
    users_ += change;
    assert(users_ == 0 || users_ == 1);
  }

  Region& region_;
  std::mutex lock_;
  int users_ = 0;
};

int main() {
  Region left, right;
  Object first(left), second(right);
  std::thread merger([&] {
    first.use();
    Region* const one = left.acquire();
    Region* const other = right.acquire();
    one->merge(*other);
    one->release();
    first.use();
  });
  const auto user = [&] {
    for (int i = 0; i < 3; ++i) second.use();
  };
  std::thread users[] = {std::thread(user), std::thread(user)};
  merger.join();
  for (std::thread& thread : users) thread.join();
}
