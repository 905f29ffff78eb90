// See broker.h.
#include "farm/broker.h"

#include <dlfcn.h>
#include <nats/nats.h>

#include <algorithm>
#include <thread>
#include <utility>
#define XXH_INLINE_ALL  // header only
#include <fmt/format.h>
#include <xxhash.h>

namespace heddle::farm {
namespace {

struct Library {
  std::string error;  // why it can't be used; empty: it can
#define HEDDLE_NATS(name) decltype(&::name) name = nullptr;
#include "farm/nats_functions.def"

  Library() {
    void* const file = dlopen("libnats.so.3.4", RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) {
      error = "the library libnats.so.3.4 is not here, and a farm needs it: apt-get install libnats3.4";
      return;
    }
#define HEDDLE_NATS(function)                                                 \
  function = reinterpret_cast<decltype(&::function)>(dlsym(file, #function)); \
  if (function == nullptr) error = "libnats.so.3.4 has no function " #function;
#include "farm/nats_functions.def"
  }
};

const Library& nats() {
  static const Library library;
  return library;
}

constexpr std::size_t kPiece_bytes = std::size_t{512} << 10;
constexpr std::int64_t kPing_ms = 1000;
constexpr int kMostPings = 2;  // without an answer; then the connection counts as lost
constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kRemembers_ns = kSecond_ns * 24 * 3600;  // ids of messages
constexpr std::int64_t kPause_ms = 500;                         // until a shard that was given back is handed out
constexpr int kCopies = 3;                                      // where a cluster of servers can keep them; else one
constexpr std::chrono::seconds kUntilLed{30};
// Of a queue: its last word in subjects, and the consumer, which all workers share.
constexpr const char* name_of(Broker::Queue queue) { return queue == Broker::Queue::Work ? "all" : "hunts"; }
constexpr const char* consumer_of(Broker::Queue queue) { return queue == Broker::Queue::Work ? "workers" : "hunters"; }

std::string reason(natsStatus status) {
  natsStatus last = NATS_OK;
  const char* const said = nats().nats_GetLastError(&last);
  std::string text = nats().natsStatus_GetText(status);
  if (said == nullptr || last != status || *said == '\0') return text;
  std::string_view words = said;  // The place in the library comes first, in brackets.
  if (const std::size_t end = words.find("): "); words.starts_with('(') && end != std::string_view::npos)
    words.remove_prefix(end + 3);
  return words == text || text == "Error" ? std::string(words) : fmt::format("{} ({})", words, text);
}

std::string text_of(natsMsg* message) {
  const auto size = static_cast<std::size_t>(std::max(0, nats().natsMsg_GetDataLength(message)));
  return size == 0 ? std::string() : std::string(nats().natsMsg_GetData(message), size);
}

}  // namespace

struct Broker::Connection {
  std::string name;
  natsConnection* server = nullptr;
  jsCtx* streams = nullptr;
  natsSubscription* shards[2] = {};  // by queue
  natsSubscription* beats = nullptr;

  ~Connection() {
    if (!nats().error.empty()) return;
    for (natsSubscription* const queue : shards) nats().natsSubscription_Destroy(queue);
    nats().natsSubscription_Destroy(beats);
    nats().jsCtx_Destroy(streams);
    nats().natsConnection_Destroy(server);
  }
  std::string stream(const char* of) const { return fmt::format("HEDDLE-{}-{}", name, of); }
  std::string subject(const char* of, const std::string& what) const {
    return fmt::format("heddle.{}.{}.{}", name, of, what);
  }

  // A cluster that has just been started takes a few seconds until it knows who leads it. A server on a disk that is
  // busy answers late; to make a stream twice is to make it once.
  natsStatus add(jsStreamConfig& config) const {
    for (const auto late = std::chrono::steady_clock::now() + kUntilLed;;) {
      jsErrCode code = static_cast<jsErrCode>(0);
      jsStreamInfo* info = nullptr;
      const natsStatus status = nats().js_AddStream(&info, streams, &config, nullptr, &code);
      nats().jsStreamInfo_Destroy(info);
      const bool again = code == JSClusterNotAvailErr || status == NATS_TIMEOUT;
      if (!again || std::chrono::steady_clock::now() > late) return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  std::string make(const char* of, jsRetentionPolicy retention, std::int64_t most_of_each) {
    const std::string name_of_it = stream(of), all = subject(of, ">");
    const char* subjects[] = {all.c_str()};
    jsErrCode code = static_cast<jsErrCode>(0);
    nats().js_DeleteStream(streams, name_of_it.c_str(), nullptr, &code);  // there may be none
    jsStreamConfig config;
    nats().jsStreamConfig_Init(&config);
    config.Name = name_of_it.c_str();
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Retention = retention;
    config.MaxMsgsPerSubject = most_of_each;
    config.Storage = js_FileStorage;
    config.Duplicates = kRemembers_ns;
    natsStatus status = NATS_ERR;
    for (const int copies : {kCopies, 1}) {
      config.Replicas = copies;
      status = add(config);
      if (status == NATS_OK) break;
    }
    return status == NATS_OK ? std::string() : reason(status);
  }

  std::string put(const std::string& to, std::string_view bytes, const std::string& id) const {
    jsPubOptions options;
    nats().jsPubOptions_Init(&options);
    if (!id.empty()) options.MsgId = id.c_str();
    jsErrCode code = static_cast<jsErrCode>(0);
    const natsStatus status =
        nats().js_Publish(nullptr, streams, to.c_str(), bytes.data(), static_cast<int>(bytes.size()), &options, &code);
    return status == NATS_OK ? std::string() : reason(status);
  }

  static std::optional<std::string> taken(natsStatus status, natsMsg* message, std::string& error) {
    error.clear();
    if (status == NATS_NOT_FOUND) return {};
    if (status != NATS_OK) {
      error = reason(status);
      return {};
    }
    std::string text = text_of(message);
    nats().natsMsg_Destroy(message);
    return text;
  }
};

std::vector<std::string> urls_of(std::string_view list) {
  std::vector<std::string> urls;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (end != 0) urls.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return urls;
}

Broker::Broker() = default;
Broker::~Broker() = default;

std::string Broker::connect(const Access& access, const std::string& name) {
  if (!nats().error.empty()) return nats().error;
  connection_ = std::make_unique<Connection>();
  connection_->name = name;
  natsOptions* options = nullptr;
  natsStatus status = nats().natsOptions_Create(&options);
  const auto then = [&](natsStatus next) { status = status == NATS_OK ? next : status; };
  const std::vector<std::string> urls = urls_of(access.url);
  std::vector<const char*> servers;
  servers.reserve(urls.size());
  for (const std::string& url : urls) servers.push_back(url.c_str());
  then(nats().natsOptions_SetServers(options, servers.data(), static_cast<int>(servers.size())));
  then(nats().natsOptions_SetTimeout(options, 3000));
  then(nats().natsOptions_SetMaxReconnect(options, -1));
  then(nats().natsOptions_SetPingInterval(options, kPing_ms));
  then(nats().natsOptions_SetMaxPingsOut(options, kMostPings));
  then(nats().natsOptions_SetReconnectWait(options, 200));
  if (!access.credentials.empty())
    then(nats().natsOptions_SetUserCredentialsFromFiles(options, access.credentials.c_str(), nullptr));
  if (!access.ca.empty() || !access.certificate.empty()) then(nats().natsOptions_SetSecure(options, true));
  if (!access.ca.empty()) then(nats().natsOptions_LoadCATrustedCertificates(options, access.ca.c_str()));
  if (!access.certificate.empty())
    then(nats().natsOptions_LoadCertificatesChain(options, access.certificate.c_str(), access.key.c_str()));
  if (status == NATS_OK) then(nats().natsConnection_Connect(&connection_->server, options));
  if (status == NATS_OK) then(nats().natsConnection_JetStream(&connection_->streams, connection_->server, nullptr));
  nats().natsOptions_Destroy(options);
  return status == NATS_OK ? std::string() : reason(status);
}

bool Broker::connected() const {
  return connection_ != nullptr && nats().natsConnection_Status(connection_->server) == NATS_CONN_STATUS_CONNECTED;
}

std::string Broker::make_streams() {
  std::string error = connection_->make("shards", js_WorkQueuePolicy, -1);
  if (error.empty()) error = connection_->make("results", js_LimitsPolicy, -1);
  if (error.empty()) error = connection_->make("state", js_LimitsPolicy, 1);
  return error.empty() ? error : error + "; does the server have JetStream (nats-server --jetstream)?";
}

std::string Broker::put_shard(Queue queue, std::string_view bytes, const std::string& id) {
  return connection_->put(connection_->subject("shards", name_of(queue)), bytes, id);
}

std::string Broker::drop_shards(Queue queue) {
  jsErrCode code = static_cast<jsErrCode>(0);
  jsOptions options;
  nats().jsOptions_Init(&options);
  const std::string subject = connection_->subject("shards", name_of(queue));
  options.Stream.Purge.Subject = subject.c_str();
  const natsStatus status =
      nats().js_PurgeStream(connection_->streams, connection_->stream("shards").c_str(), &options, &code);
  return status == NATS_OK ? std::string() : reason(status);
}

std::string Broker::put_result(std::string_view bytes) {
  return connection_->put(connection_->subject("results", "all"), bytes, {});
}

std::optional<std::string> Broker::result(std::uint64_t number, std::string& error) {
  jsErrCode code = static_cast<jsErrCode>(0);
  natsMsg* message = nullptr;
  const natsStatus status =
      nats().js_GetMsg(&message, connection_->streams, connection_->stream("results").c_str(), number, nullptr, &code);
  return Connection::taken(status, message, error);
}

std::string Broker::put_state(const std::string& name, std::string_view bytes) {
  return connection_->put(connection_->subject("state", name), bytes, {});
}

std::optional<std::string> Broker::state(const std::string& name, std::string& error) {
  jsErrCode code = static_cast<jsErrCode>(0);
  natsMsg* message = nullptr;
  const natsStatus status = nats().js_GetLastMsg(&message, connection_->streams, connection_->stream("state").c_str(),
                                                 connection_->subject("state", name).c_str(), nullptr, &code);
  return Connection::taken(status, message, error);
}

// The last piece comes last, so where it is there all are.
std::string Broker::put_file(const std::string& digest, std::string_view content) {
  const std::size_t pieces = content.size() / kPiece_bytes + 1;
  std::string error;
  if (state(fmt::format("file.{}.{}", digest, pieces - 1), error)) return {};
  for (std::size_t i = 0; i < pieces && error.empty(); ++i)
    error = put_state(fmt::format("file.{}.{}", digest, i), content.substr(i * kPiece_bytes, kPiece_bytes));
  return error;
}

std::optional<std::string> Broker::file(const std::string& digest, std::uint64_t bytes, std::string& error) {
  std::string content;
  for (std::uint64_t i = 0; i <= bytes / kPiece_bytes; ++i) {
    const auto piece = state(fmt::format("file.{}.{}", digest, i), error);
    if (!piece && error.empty()) error = "a piece of it is not on the server";
    if (!piece) return {};
    content += *piece;
  }
  if (content.size() == bytes && digest_of(content) == digest) return content;
  error = "what is on the server is not what its name says";
  return {};
}

std::shared_ptr<Broker::Delivery> Broker::take_shard(Queue queue, std::chrono::milliseconds wait, std::string& error) {
  error.clear();
  jsErrCode code = static_cast<jsErrCode>(0);
  natsSubscription*& shards = connection_->shards[static_cast<std::size_t>(queue)];
  if (shards == nullptr) {
    jsSubOptions options;
    nats().jsSubOptions_Init(&options);
    const std::string stream = connection_->stream("shards");
    options.Stream = stream.c_str();
    options.Config.AckWait = std::chrono::nanoseconds(kPatience).count();
    options.Config.MaxAckPending = 100'000;
    const natsStatus status =
        nats().js_PullSubscribe(&shards, connection_->streams, connection_->subject("shards", name_of(queue)).c_str(),
                                consumer_of(queue), nullptr, &options, &code);
    if (status != NATS_OK) {
      error = reason(status);
      return nullptr;
    }
  }
  natsMsgList list = {};
  const natsStatus status = nats().natsSubscription_Fetch(&list, shards, 1, wait.count(), &code);
  if (status == NATS_OK && list.Count == 1) {
    auto delivery = std::make_shared<Delivery>(std::exchange(list.Msgs[0], nullptr));
    nats().natsMsgList_Destroy(&list);
    return delivery;
  }
  nats().natsMsgList_Destroy(&list);
  if (status == NATS_OK || status == NATS_TIMEOUT) return nullptr;
  error = reason(status);
  nats().natsSubscription_Destroy(std::exchange(shards, nullptr));  // the queue may have been made anew
  return nullptr;
}

void Broker::beat(const std::string& worker) {
  nats().natsConnection_Publish(connection_->server, connection_->subject("beats", "all").c_str(), worker.data(),
                                static_cast<int>(worker.size()));
}

std::vector<std::string> Broker::listen(std::chrono::milliseconds wait) {
  std::vector<std::string> workers;
  if (connection_->beats == nullptr &&
      nats().natsConnection_SubscribeSync(&connection_->beats, connection_->server,
                                          connection_->subject("beats", "all").c_str()) != NATS_OK) {
    std::this_thread::sleep_for(wait);
    return workers;
  }
  constexpr std::size_t kMost = 1000, kMostName = 256;
  natsMsg* message = nullptr;
  natsStatus status = nats().natsSubscription_NextMsg(&message, connection_->beats, wait.count());
  for (; status == NATS_OK; status = nats().natsSubscription_NextMsg(&message, connection_->beats, 1)) {
    if (std::string text = text_of(message); text.size() <= kMostName) workers.push_back(std::move(text));
    nats().natsMsg_Destroy(message);
    if (workers.size() == kMost) return workers;
  }
  if (workers.empty() && status != NATS_TIMEOUT) std::this_thread::sleep_for(wait);  // the server is gone
  return workers;
}

Broker::Delivery::~Delivery() { nats().natsMsg_Destroy(static_cast<natsMsg*>(message_)); }

std::string_view Broker::Delivery::bytes() const {
  auto* const message = static_cast<natsMsg*>(message_);
  return {nats().natsMsg_GetData(message),
          static_cast<std::size_t>(std::max(0, nats().natsMsg_GetDataLength(message)))};
}

// Where it does not arrive, somebody else runs the shard, too, and one of both results counts.
void Broker::Delivery::keep() { nats().natsMsg_InProgress(static_cast<natsMsg*>(message_), nullptr); }

void Broker::Delivery::done() {
  jsErrCode code = static_cast<jsErrCode>(0);
  nats().natsMsg_AckSync(static_cast<natsMsg*>(message_), nullptr, &code);
}

void Broker::Delivery::again() { nats().natsMsg_NakWithDelay(static_cast<natsMsg*>(message_), kPause_ms, nullptr); }

std::string digest_of(std::string_view content) {
  const XXH128_hash_t digest = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace heddle::farm
