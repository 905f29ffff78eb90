// Work on a Boost.Asio thread pool: posted from outside and from inside, in order through a strand.
#include <boost/asio.hpp>
#include <cstdio>
#include <mutex>
#include <vector>

int main() {
  boost::asio::thread_pool pool(2);
  auto strand = boost::asio::make_strand(pool);
  std::mutex mutex;
  int sum = 0;
  std::vector<int> order;
  for (int i = 1; i <= 4; ++i) {
    boost::asio::post(pool, [&, i] {
      const std::lock_guard lock(mutex);
      sum += i;
    });
    boost::asio::post(strand, [&, i] { order.push_back(i); });
  }
  boost::asio::post(pool, [&] {
    boost::asio::post(pool, [&] {
      const std::lock_guard lock(mutex);
      sum += 100;
    });
  });
  pool.join();
  std::printf("sum %d, in order:", sum);
  for (const int number : order) std::printf(" %d", number);
  std::printf("\n");
  return sum == 110 && order == std::vector{1, 2, 3, 4} ? 0 : 1;
}
