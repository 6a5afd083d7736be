#include <fmt/format.h>

#include "control/reference/completion.h"

namespace sojourn::reference {
namespace {

// What every command's script does; @ is the command. `at`: the command so far; `place`: its positionals so far;
// `before`: the option whose value is being written. bash makes three words of --option=value.
constexpr const char* kScript = R"(
_@() {
  local cur=${COMP_WORDS[COMP_CWORD]} at=@ place=0 before= i word commands options valued words= are_files=
  COMPREPLY=()
  _@_at "$at"
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ -n $before ]]; then
      [[ $word == '=' ]] || before=
    elif [[ $word == -* ]]; then
      [[ " $valued " != *" $word "* ]] || before=$word
    elif [[ " $commands " == *" $word "* ]]; then
      at+=" $word" place=0
      _@_at "$at"
    else
      ((++place))
    fi
  done
  if [[ -n $before ]]; then
    [[ $cur != '=' ]] || cur=
    _@_value "$at $before"
  elif [[ $cur == -* ]]; then
    words=$options
  elif [[ -n $commands ]]; then
    words=$commands
  else
    _@_value "$at $place"
  fi
  if [[ -n $are_files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  fi
}
complete -F _@ @
)";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// What may come next at each place of the tree.
std::string places(const Command& c) {
  std::vector<std::string> commands, options, valued;
  for (const Command& sub : c.commands) commands.push_back(sub.word());
  for (const Parameter& p : c.options()) {
    options.insert(options.end(), p.names.begin(), p.names.end());
    if (!p.is_flag()) valued.insert(valued.end(), p.names.begin(), p.names.end());
  }
  std::string text = fmt::format("    '{}') commands='{}' options='{}' valued='{}' ;;\n", c.name, joined(commands),
                                 joined(options), joined(valued));
  for (const Command& sub : c.commands) text += places(sub);
  return text;
}

std::string value(const std::string& pattern, const Parameter& p) {
  if (!p.choices.empty()) return fmt::format("    {}) words='{}' ;;\n", pattern, joined(p.choices));
  return p.is_file() ? fmt::format("    {}) are_files=1 ;;\n", pattern) : "";
}

std::string values(const Command& c) {
  std::string text;
  size_t place = 0;
  for (const Parameter& p : c.positionals()) text += value(fmt::format("'{} {}'", c.name, place++), p);
  for (const Parameter& p : c.options()) {
    std::string pattern;
    for (const std::string& name : p.names)
      pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", c.name, name);
    if (!p.is_flag()) text += value(pattern, p);
  }
  for (const Command& sub : c.commands) text += values(sub);
  return text;
}

}  // namespace

std::string bash_completion(const Command& command) {
  std::string script;
  for (const char c : std::string(kScript)) script += c == '@' ? command.name : std::string(1, c);
  return fmt::format(
             "# bash completion of {0}, written from its command line when it is built.\n"
             "_{0}_at() {{\n  case $1 in\n{1}  esac\n}}\n\n_{0}_value() {{\n  case $1 in\n{2}  esac\n}}\n",
             command.name, places(command), values(command)) +
         script;
}

}  // namespace sojourn::reference
