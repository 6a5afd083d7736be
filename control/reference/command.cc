#include "control/reference/command.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace sojourn::reference {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

// CLI11 says what a value is as "TYPE", "TYPE:{choice,choice}" or "TYPE:its limits".
void read_type(const std::string& type, Parameter& p) {
  const size_t colon = type.find(':');
  if (p.value.empty()) p.value = type.substr(0, colon);
  if (colon == std::string::npos) return;
  const std::string rest = type.substr(colon + 1);
  if (rest.starts_with('{') && rest.ends_with('}')) {
    p.choices = split(rest.substr(1, rest.size() - 2), ',');
  } else if (rest != p.value) {
    p.limits = rest;
  }
}

Parameter parameter_of(const CLI::Option& option) {
  Parameter p;
  for (const std::string& name : option.get_snames()) p.names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) p.names.push_back("--" + name);
  p.meaning = option.get_description();
  p.is_required = option.get_required();
  if (p.is_positional()) p.value = option.get_name(true);
  if (p.is_positional() || option.get_items_expected_max() > 0) {
    read_type(option.get_type_name(), p);
    p.fallback = option.get_default_str();
  }
  return p;
}

std::vector<Parameter> those(const std::vector<Parameter>& all, bool are_positional) {
  std::vector<Parameter> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const Parameter& p) { return p.is_positional() == are_positional; });
  return some;
}

}  // namespace

std::vector<Parameter> Command::options() const {
  return those(parameters, false);
}

std::vector<Parameter> Command::positionals() const {
  return those(parameters, true);
}

Command command_of(const CLI::App& app, const std::string& above) {
  Command c;
  c.name = above + app.get_name();
  c.purpose = app.get_description();
  if (const std::string prefix = app.get_name() + ": "; c.purpose.starts_with(prefix))
    c.purpose.erase(0, prefix.size());
  // A command without a footer of its own inherits one: said once is enough.
  const bool is_own = app.get_parent() == nullptr || app.get_footer() != app.get_parent()->get_footer();
  if (is_own) c.notes = split(app.get_footer(), '\n');
  for (const CLI::Option* option : app.get_options()) c.parameters.push_back(parameter_of(*option));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    c.commands.push_back(command_of(*sub, c.name + ' '));
  return c;
}

}  // namespace sojourn::reference
