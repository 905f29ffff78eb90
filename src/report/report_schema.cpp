// See report_schema.h. It knows the words of JSON Schema (2020-12) that stand in this schema, and no others.
#include "report/report_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace heddle {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema =
#include "report/report_schema_text.inc"
    ;

const Json& schema_of_reports() {
  static const Json schema = Json::parse(kSchema);
  return schema;
}

// `wanted`: a word, or a list of them.
bool is_of_type(const Json& value, const Json& wanted) {
  if (wanted.is_array())
    return std::any_of(wanted.begin(), wanted.end(), [&](const Json& one) { return is_of_type(value, one); });
  const auto& type = wanted.get_ref<const std::string&>();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == (value.is_boolean() ? "boolean" : value.type_name());
}

std::string why_not(const Json& value, const Json& schema, const std::string& where);

std::string why_members_not(const Json& value, const Json& schema, const std::string& where) {
  for (const Json& name : schema.value("required", Json::array()))
    if (!value.contains(name.get_ref<const std::string&>()))
      return fmt::format("{} has no \"{}\"", where, name.get_ref<const std::string&>());
  const Json& known = schema.at("properties");
  for (const auto& [name, member] : value.items()) {
    const auto found = known.find(name);
    if (found == known.end()) return fmt::format("{} has an unknown field", where);
    if (std::string why = why_not(member, *found, fmt::format("{}.{}", where, name)); !why.empty()) return why;
  }
  return {};
}

// Does it hold what one word of a schema says? Those about members are looked at by themselves.
bool holds(const Json& value, const std::string& word, const Json& wanted) {
  if (word == "type") return is_of_type(value, wanted);
  if (word == "const") return value == wanted;
  if (word == "enum") return std::find(wanted.begin(), wanted.end(), value) != wanted.end();
  if (word == "minimum") return !value.is_number() || value >= wanted;
  if (word == "maximum") return !value.is_number() || value <= wanted;
  constexpr const char* kOthers[] = {"$schema",     "$id",        "$defs",    "$ref",  "title",
                                     "description", "properties", "required", "items", "additionalProperties"};
  if (std::find(std::begin(kOthers), std::end(kOthers), word) == std::end(kOthers))
    throw std::logic_error("the schema of reports has a word that is not known: " + word);
  return true;
}

std::string why_not(const Json& value, const Json& schema, const std::string& where) {
  for (const auto& [word, wanted] : schema.items())
    if (!holds(value, word, wanted)) return fmt::format("{} is not what it is to be ({})", where, word);
  if (const auto named = schema.find("$ref"); named != schema.end())  // "#/$defs/bug"
    return why_not(value, schema_of_reports().at(Json::json_pointer(named->get<std::string>().substr(1))), where);
  if (const auto items = schema.find("items"); items != schema.end() && value.is_array())
    for (const Json& one : value)
      if (std::string why = why_not(one, *items, where + "[]"); !why.empty()) return why;
  return value.is_object() && schema.contains("properties") ? why_members_not(value, schema, where) : std::string();
}

}  // namespace

std::string why_no_report(const Json& value) { return why_not(value, schema_of_reports(), "it"); }

}  // namespace heddle
