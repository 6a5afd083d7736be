#include <fmt/format.h>

#include "control/reference/completion.h"

namespace sojourn::reference {
namespace {

std::string function_of(const Command& c) {
  std::string name = "_" + c.name;
  for (char& letter : name) letter = letter == ' ' ? '_' : letter;
  return name;
}

// In single quotes, where _arguments and _describe take these letters for their own.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// ":FILE:_files"
std::string value_of(const Parameter& p) {
  if (p.is_flag()) return "";
  std::string action = p.is_file() ? "_files" : " ";
  if (!p.choices.empty()) {
    action = "(";
    for (const std::string& choice : p.choices) action += (action == "(" ? "" : " ") + escaped(choice);
    action += ')';
  }
  return ':' + escaped(p.value) + ':' + action;
}

// Of each parameter a specification a name, which excludes the others.
std::string specifications(const Command& c) {
  std::string text;
  for (const Parameter& p : c.options()) {
    std::string names;
    for (const std::string& name : p.names) names += (names.empty() ? "" : " ") + name;
    for (const std::string& name : p.names) {
      text += fmt::format(" \\\n    '({}){}{}[{}]{}'", names, name, !p.is_flag() && name.starts_with("--") ? "=" : "",
                          escaped(p.meaning), value_of(p));
    }
  }
  size_t place = 1;
  for (const Parameter& p : c.positionals()) text += fmt::format(" \\\n    '{}{}'", place++, value_of(p));
  return text;
}

std::string leaf(const Command& c) {
  return fmt::format("{}() {{\n  _arguments -s{}\n}}\n\n", function_of(c), specifications(c));
}

std::string branch(const Command& c) {
  std::string words, calls;
  for (const Command& sub : c.commands) {
    words += fmt::format("\n        '{}:{}'", sub.word(), escaped(sub.purpose));
    calls += fmt::format("        {}) {} && ret=0 ;;\n", sub.word(), function_of(sub));
  }
  return fmt::format(
      "{}() {{\n"
      "  local curcontext=$curcontext state ret=1\n"
      "  local -a line commands\n"
      "  typeset -A opt_args\n"
      "  _arguments -C -s{} \\\n    '1: :->command' '*:: :->rest' && ret=0\n"
      "  case $state in\n"
      "    command)\n"
      "      commands=({})\n"
      "      _describe command commands && ret=0 ;;\n"
      "    rest)\n"
      "      case $line[1] in\n{}      esac ;;\n"
      "  esac\n"
      "  return ret\n"
      "}}\n\n",
      function_of(c), specifications(c), words, calls);
}

std::string functions(const Command& c) {
  std::string text;
  for (const Command& sub : c.commands) text += functions(sub);
  return text + (c.commands.empty() ? leaf(c) : branch(c));
}

}  // namespace

std::string zsh_completion(const Command& command) {
  return fmt::format(
      "#compdef {0}\n# zsh completion of {0}, written from its command line when it is built.\n\n{1}"
      "if [[ $funcstack[1] == _{0} ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
      command.name, functions(command));
}

}  // namespace sojourn::reference
