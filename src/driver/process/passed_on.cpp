// See passed_on.h.
#include "driver/process/passed_on.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace heddle {
namespace {

constexpr int kFirst = STDERR_FILENO + 1;

std::vector<int> open_now() {
  std::vector<int> numbers;
  for (int number = kFirst; number <= kMostPassedOn; ++number) {
    const int flags = fcntl(number, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) numbers.push_back(number);
  }
  return numbers;
}

std::vector<int>& passed_on() {
  static std::vector<int> numbers = open_now();
  return numbers;
}

// A kernel before 5.11 goes without that flag.
void close_all_on_exec() {
  if (syscall(SYS_close_range, kFirst, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int number = kFirst; number <= kMostPassedOn; ++number) fcntl(number, F_SETFD, FD_CLOEXEC);
}

}  // namespace

const std::vector<int>& passed_on_descriptors() { return passed_on(); }

bool pass_on_empty_file(int number) {
  if (number < kFirst || number > kMostPassedOn || fcntl(number, F_GETFD) >= 0) return false;
  const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int copy = file == number ? file : fcntl(file, F_DUPFD_CLOEXEC, number);
  if (file >= 0 && file != number) close(file);
  if (copy >= 0 && copy != number) close(copy);
  if (copy != number) return false;
  std::vector<int>& numbers = passed_on();
  numbers.insert(std::upper_bound(numbers.begin(), numbers.end(), number), number);
  return true;
}

void keep_back(int number) { std::erase(passed_on(), number); }

void close_all_but_passed_on() {
  close_all_on_exec();
  for (const int number : passed_on()) fcntl(number, F_SETFD, 0);
}

}  // namespace heddle
