// See farm_access.h.
#include "cli/farm_access.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/lines.h"
#include "driver/process/remove_tree.h"
#include "driver/target/target.h"
#include "farm/messages.h"
#include "trace/atomic_file.h"
#include "trace/build_id.h"

namespace heddle::cli {
namespace {

constexpr const char* kUrlFile = "url";
constexpr unsigned kMostRestarts = 100;

std::string random_password() {
  std::uint64_t words[4] = {};
  if (::getrandom(words, sizeof words, 0) != sizeof words) return {};
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", words[0], words[1], words[2], words[3]);
}

// The server says in a file which port it has taken.
std::string port_in(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".ports") continue;
    const auto json = nlohmann::json::parse(read_file(entry.path().string()).content, nullptr, false);
    if (!json.is_object() || !json.contains("nats") || !json["nats"].is_array() || json["nats"].empty()) continue;
    const std::string url = json["nats"][0].get<std::string>();
    return url.substr(url.rfind(':') + 1);
  }
  return {};
}

}  // namespace

std::string farm_is_running(const std::string& name) {
  return fmt::format("the farm {} is running; heddle farm status shows it, --farm-name=NAME starts another one", name);
}

std::string FarmServer::start(bool keep) {
  std::error_code error;
  const std::filesystem::path folder(folder_);
  if (const int failed = make_folders(folder.parent_path().string()); failed != 0)
    return fmt::format("{} can't be made: {}", folder.parent_path().string(), std::system_category().message(failed));
  const std::string lock = folder_ + ".lock";
  lock_ = Descriptor(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode));
  if (!lock_) return fmt::format("{} can't be opened: {}", lock, std::system_category().message(errno));
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return farm_is_running(folder.filename().string());
  if (!keep) remove_tree(folder_, error);
  if (const int failed = make_folders(folder_); failed != 0)
    return fmt::format("{} can't be made: {}", folder_, std::system_category().message(failed));
  password_ = random_password();
  if (password_.empty()) return "the system gives no random password";
  if (std::string problem = launch("-1"); !problem.empty()) return problem;
  return write_file(folder_ + "/" + kUrlFile, url_);
}

std::string FarmServer::launch(const std::string& port) {
  using namespace std::chrono_literals;
  const std::string program = find_in_path("nats-server");
  const std::string path = program.empty() ? "/usr/sbin/nats-server" : program;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return "nats-server is not here, and --farm=local starts it: apt-get install nats-server";
  const std::string ports = folder_ + "/ports", config = folder_ + "/server.conf";
  remove_tree(ports, ignored);
  if (const int failed = make_folders(ports); failed != 0) return std::system_category().message(failed);
  std::string error = write_file(
      config, fmt::format("listen: \"127.0.0.1:{}\"\nports_file_dir: \"{}\"\nmax_payload: {}\njetstream {{ store_dir: "
                          "\"{}/streams\" }}\nauthorization {{ user: heddle, password: \"{}\" }}\n",
                          port, ports, farm::kMostBytes, folder_, password_));
  if (!error.empty()) return error;
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor log(::open((folder_ + "/log").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  bool randomized = false;
  error =
      process_.start({path, {"nats-server", "-c", config}, {"PATH=/usr/bin:/bin"}, input.get(), log.get()}, randomized);
  if (!error.empty()) return error;
  for (auto end = std::chrono::steady_clock::now() + 20s; std::chrono::steady_clock::now() < end;) {
    process_.wait(20ms);
    if (process_.ended()) break;
    const std::string taken = port_in(ports);
    if (taken.empty()) continue;
    url_ = fmt::format("nats://heddle:{}@127.0.0.1:{}", password_, taken);
    return {};
  }
  process_.kill_group();
  const std::string said = read_file(folder_ + "/log").content;
  const auto lines = lines_of(said);
  return fmt::format("nats-server did not start{}{}", lines.empty() ? "" : ": ", lines.empty() ? "" : lines.back());
}

std::string FarmServer::restart_if_gone() {
  if (url_.empty() || (process_.running() && !process_.ended())) return {};
  if (++restarts_ > kMostRestarts) return fmt::format("nats-server has ended {} times", kMostRestarts);
  return launch(url_.substr(url_.rfind(':') + 1));
}

std::string farm_folder(const Settings& settings) {
  std::error_code error;
  const std::string folder = fmt::format("{}/farm/{}", settings.output_root, settings.farm.name);
  return std::filesystem::absolute(folder, error).lexically_normal().string();
}

const char* farm_variable() {
  const char* const url = ::getenv(kFarmVariable);
  return url != nullptr && *url != '\0' ? url : nullptr;
}

farm::Access farm_access(const Settings& settings) {
  const FarmSettings& farm = settings.farm;
  farm::Access access{farm.url, farm.credentials, farm.ca, farm.certificate, farm.key};
  if (const char* const url = farm_variable(); url != nullptr && farm.url == "local") access.url = url;
  if (access.url != "local") return access;
  const FileContent file = read_file(farm_folder(settings) + "/" + kUrlFile);
  access.url = file.error.empty() ? file.content : std::string();
  return access;
}

std::string unfit_access(const FarmSettings& settings) {
  if (settings.certificate.empty() != settings.key.empty())
    return "--tls-certificate and --tls-key belong together: give both";
  const char* const variable = settings.url == "local" ? farm_variable() : nullptr;
  const std::string list = variable != nullptr ? variable : settings.url;
  if (list == "local") return {};
  const std::vector<std::string> urls = farm::urls_of(list);
  const bool fit = !urls.empty() && std::all_of(urls.begin(), urls.end(), [](const std::string& url) {
    return url.starts_with("nats://") || url.starts_with("tls://");
  });
  if (fit) return {};
  return fmt::format(
      "{}={}: this is no address; write local, nats://HOST:PORT or tls://HOST:PORT, and commas between the servers of "
      "a "
      "cluster",
      variable != nullptr ? kFarmVariable : "--farm", shown_url(list));
}

std::string shown_url(const std::string& list) {
  std::string shown;
  for (const std::string& url : farm::urls_of(list)) {
    const std::size_t begin = url.find("://"), at = url.rfind('@');
    const bool has_scheme = begin != std::string::npos && at != std::string::npos && url.find(':') == begin;
    const std::string scheme = has_scheme ? url.substr(0, begin + 3) : std::string();
    shown += (shown.empty() ? "" : ",") + (at != std::string::npos ? scheme + url.substr(at + 1) : url);
  }
  return shown;
}

std::string heddle_build(const std::string& library) {
  return build_id_of("/proc/self/exe") + " " + build_id_of(library);
}

}  // namespace heddle::cli
