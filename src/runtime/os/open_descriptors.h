// Which descriptors are open, by the kernel's own list (/proc/self/fd): to try each number would take a thousand system
// calls at every start. Without /proc the lowest numbers are tried.
#pragma once

#include <dirent.h>

namespace heddle::os {

class OpenDescriptors {
 public:
  // Of the numbers below `limit`.
  explicit OpenDescriptors(int limit);
  ~OpenDescriptors();
  OpenDescriptors(const OpenDescriptors&) = delete;
  OpenDescriptors& operator=(const OpenDescriptors&) = delete;

  // The next one, in rising order; -1: there is no other.
  int next();
  // False: there is no list, or it broke off (a filter may refuse it), and what is open beyond the first thousand is
  // not known.
  bool listed() const { return folder_ >= 0; }

 private:
  void close_list();
  int next_listed();
  int next_tried();

  int limit_;
  long folder_;
  int tried_ = 0;             // numbers below were, where there is no list
  long at_ = 0, filled_ = 0;  // bytes of `entries_`
  alignas(dirent64) char entries_[2048];
};

}  // namespace heddle::os
