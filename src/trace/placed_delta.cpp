// The JSON form of deltas by place; see placed_delta.h.
#include "trace/placed_delta.h"

#include "trace/words.h"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(Variant variant) {
  if (variant >= kFirstSpecial) return word_for(kVariantWords, variant);
  return variant;
}

// Nothing: there is no such alternative.
std::optional<Variant> variant_of(const Json& json) {
  if (json.is_string()) return value_of(kVariantWords, json.get<std::string>());
  const auto value = json.get<std::uint64_t>();
  return value < kFirstSpecial ? std::optional(static_cast<Variant>(value)) : std::nullopt;
}

// Without a number that a thread can have: it has kNoTask.
ThreadLabel label_of(const Json& json, const char* number, const char* name) {
  const auto value = json.at(number).get<std::uint64_t>();
  return {value < kNoTask ? static_cast<TaskId>(value) : kNoTask, json.at(name).get<std::string>()};
}

}  // namespace

Json json_of(const PlacedDelta& delta) {
  Json json{{"thread", delta.thread.number}, {"name", delta.thread.name}, {"before", name(delta.operation)}};
  if (!delta.place.file.empty() || !delta.place.function.empty()) {
    json["function"] = delta.place.function;
    json["text"] = delta.place.text;
    json["file"] = delta.place.file;
    json["line"] = delta.place.line;
  }
  json["occurrence"] = delta.occurrence + 1;
  json["next"] = delta.next.number;
  json["next_name"] = delta.next.name;
  if (delta.variant != 0) json["variant"] = json_of(delta.variant);
  return json;
}

std::optional<PlacedDelta> placed_delta_of(const Json& json) {
  try {
    PlacedDelta delta;
    delta.thread = label_of(json, "thread", "name");
    delta.next = label_of(json, "next", "next_name");
    delta.operation = operation_named(json.at("before").get<std::string>().c_str());
    if (json.contains("function")) {
      delta.place.function = json.at("function").get<std::string>();
      delta.place.text = json.at("text").get<std::string>();
      delta.place.file = json.at("file").get<std::string>();
      delta.place.line = json.at("line").get<int>();
    }
    const auto occurrence = json.at("occurrence").get<std::uint32_t>();
    const auto variant = json.contains("variant") ? variant_of(json["variant"]) : Variant{0};
    const bool are_threads = delta.thread.number != kNoTask && delta.next.number != kNoTask;
    if (!are_threads || delta.operation == OperationKind::None || occurrence == 0 || !variant) return {};
    delta.occurrence = occurrence - 1;
    delta.variant = *variant;
    return delta;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace heddle
