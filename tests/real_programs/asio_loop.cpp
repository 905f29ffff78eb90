// An event loop of Boost.Asio: a thread runs it, two others post to it, and a timer expires in it. Its epoll set, event
// counter and timer are there before the first thread, and gone when the loop is.
#include <boost/asio.hpp>
#include <chrono>
#include <cstdio>
#include <thread>

int main() {
  int done = 0;
  {
    boost::asio::io_context loop;
    auto work = boost::asio::make_work_guard(loop);
    const auto one_more = [&] {
      if (++done == 3) work.reset();
    };
    boost::asio::steady_timer timer(loop, std::chrono::milliseconds(5));
    timer.async_wait([&](const boost::system::error_code&) { one_more(); });
    std::thread runs([&] { loop.run(); });
    std::thread first([&] { boost::asio::post(loop, one_more); });
    std::thread second([&] { boost::asio::post(loop, one_more); });
    first.join();
    second.join();
    runs.join();
  }
  std::printf("%d were done\n", done);
  return done == 3 ? 0 : 1;
}
