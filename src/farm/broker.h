// What a farm needs of a server of NATS with JetStream (docs/ARCHITECTURE.md says why NATS): three streams on its disk.
// A cluster of servers keeps three copies of each, so one server may be lost.
//
//   shards   two work queues, of bounds or tests and of hunts: each message goes to one worker, and to another one if
//            it is not acknowledged in time
//   results  a log, in the order in which they came; it is never changed
//   state    the last value of each name: the job, the coordinator's status, files by their digests
//
// The client library (libnats) is loaded when it is first used. So heddle runs where it is not installed; only the farm
// needs it there.
//
// One thread at a time. A function that returns a text returns an empty one when all went well, else a reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::farm {

struct Access {
  std::string url;          // nats://[USER:PASSWORD@]HOST:PORT, or tls://…; of a cluster, with commas between
  std::string credentials;  // a file of the server's; empty: none
  std::string ca, certificate, key;  // files for TLS; empty: the system's, or none
};

// Each address in a list with commas between them.
std::vector<std::string> urls_of(std::string_view list);

class Broker {
 public:
  Broker();
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  // `name`: of the farm; letters, digits, - and _.
  std::string connect(const Access& access, const std::string& name);
  // Is the server there now? The library looks for it by itself when it is gone.
  bool connected() const;

  // Makes the streams, or makes them empty.
  std::string make_streams();

  enum class Queue { Work, Hunts };
  // Of messages with one id the server keeps the first.
  std::string put_shard(Queue queue, std::string_view bytes, const std::string& id);
  std::string drop_shards(Queue queue);
  std::string put_result(std::string_view bytes);
  // The number of a result counts from 1. Nothing: it has not come yet, or `error` says why it can't be read.
  std::optional<std::string> result(std::uint64_t number, std::string& error);
  std::string put_state(const std::string& name, std::string_view bytes);
  // Nothing: there is none of this name, or `error` says why it can't be read.
  std::optional<std::string> state(const std::string& name, std::string& error);
  // A file, in pieces. Its name is its digest: what is there already is not sent again.
  std::string put_file(const std::string& digest, std::string_view content);
  std::optional<std::string> file(const std::string& digest, std::uint64_t bytes, std::string& error);

  // A shard that this worker is to run; gone from the queue once it is acknowledged.
  class Delivery;
  // Waits so long at most. Null: there is none now.
  std::shared_ptr<Delivery> take_shard(Queue queue, std::chrono::milliseconds wait, std::string& error);

  // A sign of life, for whoever listens now.
  void beat(const std::string& worker);
  // Waits for such signs, so long at most: from whom they came.
  std::vector<std::string> listen(std::chrono::milliseconds wait);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

class Broker::Delivery {
 public:
  explicit Delivery(void* message) : message_(message) {}
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;
  std::string_view bytes() const;
  // It is still worked on: nobody else is to get it.
  void keep();
  void done();
  // Somebody is to get it again, after a moment: whoever gives it back is not to be the first.
  void again();

 private:
  void* message_;
};

// Until it is acknowledged or kept, a shard is handed to another worker after so long.
inline constexpr std::chrono::seconds kPatience{10};

// Of content, in hex (XXH3, 128 bits). It tells files apart; it is no protection from who wants two to look the same.
std::string digest_of(std::string_view content);

}  // namespace heddle::farm
