// A command line as data: what manual pages and completions are written from. Made from the tree that reads the
// arguments, so that none of them can say anything else than --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sojourn::reference {

struct Parameter {
  std::vector<std::string> names;  // "-j", "--json"; of a positional: none
  std::string value;               // what is given, as --help names it: "FILE"; of a flag: empty
  std::vector<std::string> choices;
  std::string limits;  // "INT in [1 - 10]"; empty: none
  std::string fallback;
  std::string meaning;
  bool is_required = false;

  bool is_positional() const { return names.empty(); }
  bool is_flag() const { return value.empty(); }
  // Sockets are files too.
  bool is_file() const { return value.find("FILE") != std::string::npos || value == "SOCKET"; }
};

struct Command {
  std::string name;  // with those above it: "sojourn show stats"
  std::string purpose;
  std::vector<std::string> notes;  // paragraphs
  std::vector<Parameter> parameters;
  std::vector<Command> commands;

  std::string word() const { return name.substr(name.rfind(' ') + 1); }
  std::vector<Parameter> options() const;
  std::vector<Parameter> positionals() const;
};

Command command_of(const CLI::App& app, const std::string& above = "");

}  // namespace sojourn::reference
