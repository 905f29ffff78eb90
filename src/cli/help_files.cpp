// See help_files.h. The manual pages use the man macros, groff_man(7).
#include "cli/help_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/help.h"
#include "trace/version.h"

namespace heddle::cli {
namespace {

// A hyphen that is typed is a minus; a dot or quote at the begin of a line would be a request.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return !result.empty() && (result[0] == '.' || result[0] == '\'') ? "\\&" + result : result;
}

std::string head(const std::string& name, std::string_view summary) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"Heddle {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", upper, kHeddleVersion,
                     roff(name), roff(summary));
}

std::string entry(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(tag), roff(text));
}

std::string options_of(const Command& command) {
  std::string result;
  const char* group = "";
  for (const Option& option : options()) {
    if ((option.commands & command.options) == 0) continue;
    if (std::string_view(group) != option.group) result += fmt::format(".SS {}\n", option.group);
    group = option.group;
    result += entry(spelled(option), with_default(option));
  }
  return result.empty() ? result : ".SH OPTIONS\n" + result;
}

std::string exit_statuses() {
  std::string result = ".SH EXIT STATUS\n";
  for (const ExitStatusRow& row : kExitStatuses)
    result += entry(std::to_string(static_cast<int>(row.status)), row.meaning);
  return result;
}

std::string names_of_commands() {
  std::string names;
  for (const Command* command : commands()) names += (names.empty() ? "" : " ") + std::string(command->name);
  return names;
}

// "--time= -j --junit=": words that begin an option of the command.
std::string names_of_options(const Command& command) {
  std::string names;
  for (const Option& option : options()) {
    if ((option.commands & command.options) == 0) continue;
    const bool has_value = *option.value != '\0' && option.name[1] == '-';
    names += fmt::format("{}{}{}", names.empty() ? "" : " ", option.name, has_value ? "=" : "");
  }
  return names;
}

std::string for_bash() {
  std::string cases;
  for (const Command* command : commands())
    if (command->options != 0)
      cases += fmt::format("    {}) words=\"{}\" ;;\n", command->name, names_of_options(*command));
  return fmt::format(R"(# bash completion for heddle
_heddle() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "{}" -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  [[ $current != -* ]] || COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ ${{COMPREPLY[0]}} != *= ]] || compopt -o nospace
}}
complete -o default -F _heddle heddle
)",
                     names_of_commands(), cases);
}

// In single quotes.
std::string quoted_for_zsh(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

std::string for_zsh() {
  std::string described, cases;
  for (const Command* command : commands()) {
    described += fmt::format("    '{}:{}'\n", command->name, quoted_for_zsh(command->summary));
    if (command->options == 0) continue;
    cases += fmt::format("    {}) _arguments", command->name);
    for (const Option& option : options()) {
      if ((option.commands & command->options) == 0) continue;
      const bool is_long = option.name[1] == '-';
      const std::string value = *option.value == '\0' ? "" : fmt::format(":{}:_files", quoted_for_zsh(option.value));
      cases += fmt::format(" \\\n      '{}{}[{}]{}'", option.name, value.empty() || !is_long ? "" : "=",
                           quoted_for_zsh(option.help), value);
    }
    cases += " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef heddle
_heddle() {{
  local -a names=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
{}    *) _files ;;
  esac
}}
_heddle "$@"
)",
                     described, cases);
}

std::string quoted_for_fish(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result;
}

std::string for_fish() {
  std::string result = "# fish completion for heddle\n";
  for (const Command* command : commands()) {
    result += fmt::format("complete -c heddle -n __fish_use_subcommand -a {} -d '{}'\n", command->name,
                          quoted_for_fish(command->summary));
    for (const Option& option : options()) {
      if ((option.commands & command->options) == 0) continue;
      const bool is_long = option.name[1] == '-';
      result += fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}' {} {}{} -d '{}'\n", command->name,
                            is_long ? "-l" : "-s", option.name + (is_long ? 2 : 1), *option.value != '\0' ? " -r" : "",
                            quoted_for_fish(option.help));
    }
  }
  return result;
}

}  // namespace

std::string man_page(const Command* command) {
  if (command == nullptr) {
    std::string page = head("heddle", "finds and reproduces concurrency bugs in C and C++ programs");
    page += ".SH SYNOPSIS\n.B heddle\nCOMMAND [options] …\n.SH COMMANDS\n";
    for (const Command* one : commands())
      page += entry(fmt::format("heddle {} {}", one->name, one->operands), one->summary);
    page += exit_statuses() + ".SH SEE ALSO\n";
    for (const Command* one : commands())
      if (has_statuses(*one)) page += fmt::format(".BR heddle\\-{} (1)\n", one->name);
    return page + "/usr/share/doc/heddle/GUIDE.md\n";
  }
  std::string page = head(fmt::format("heddle-{}", command->name), command->summary);
  page += fmt::format(".SH SYNOPSIS\n.B heddle {}\n{}\n", command->name, roff(command->operands));
  if (command->program_follows && command->options != 0)
    page +=
        ".SH DESCRIPTION\nOptions end at the first word that is not one; the rest is the program and its arguments.\n";
  page += options_of(*command);
  return has_statuses(*command) ? page + exit_statuses() + ".SH SEE ALSO\n.BR heddle (1)\n" : page;
}

std::string completion(std::string_view shell) {
  if (shell == "bash") return for_bash();
  if (shell == "zsh") return for_zsh();
  return shell == "fish" ? for_fish() : std::string();
}

}  // namespace heddle::cli
