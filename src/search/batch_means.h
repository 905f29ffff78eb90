// How uncertain the mean of a series is, when neighbouring values are alike. The series is cut into batches, and the
// spread of their means counts (the method of batch means). There are at most 32 batches; beyond that, each two become
// one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace heddle {

class BatchMeans {
 public:
  void add(double value) {
    sum_ += value;
    if (++in_last_ < size_) return;
    sums_.push_back(sum_);
    sum_ = 0;
    in_last_ = 0;
    if (sums_.size() < kMax) return;
    for (std::size_t i = 0; i < kMax / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
    sums_.resize(kMax / 2);
    size_ *= 2;
  }
  std::size_t batches() const { return sums_.size(); }
  // The standard error of the mean; there must be two batches.
  double error() const {
    const auto count = static_cast<double>(sums_.size());
    double mean = 0, squares = 0;
    for (const double sum : sums_) mean += sum / count;
    for (const double sum : sums_) squares += (sum - mean) * (sum - mean);
    return std::sqrt(squares / (count - 1) / count) / static_cast<double>(size_);
  }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.sums_, self.size_, self.sum_, self.in_last_);
  }

 private:
  static constexpr std::size_t kMax = 32;
  std::vector<double> sums_;  // of whole batches
  std::size_t size_ = 1;      // of a batch
  double sum_ = 0;            // of the batch that is not whole
  std::size_t in_last_ = 0;   // values in it
};

}  // namespace heddle
