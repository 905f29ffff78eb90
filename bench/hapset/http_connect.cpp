// A connection asks the socket thread to connect, and gets its transaction afterwards. The socket thread may be done
// before and find no transaction. Shape of Mozilla's nsHttpConnection. An order violation.
// build: heddle-c++
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Transaction {
  bool sent;
};

struct Connection {
  Transaction* transaction;
  bool connected;
};

static std::mutex lock;
static std::condition_variable posted;
static Transaction transaction;
static Connection connection;
static Connection* event;

static void on_connected(Connection& target) {
  target.connected = true;
  assert(target.transaction != nullptr);
  target.transaction->sent = true;
}

static void run_sockets() {
  std::unique_lock guard(lock);
  posted.wait(guard, [] { return event != nullptr; });
  Connection& target = *event;
  guard.unlock();
  on_connected(target);
}

static void post(Connection& target) {
  const std::lock_guard guard(lock);
  event = &target;
  posted.notify_one();
}

static void connect() {
#ifdef FIXED
  connection.transaction = &transaction;
  post(connection);
#else
  post(connection);
  connection.transaction = &transaction;
#endif
}

int main() {
  std::thread sockets(run_sockets);
  connect();
  sockets.join();
  assert(connection.connected && transaction.sent);
}
