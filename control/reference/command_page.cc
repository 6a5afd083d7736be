#include "control/reference/command_page.h"

#include "control/reference/roff.h"

namespace sojourn::reference {
namespace {

std::string value_of(const Parameter& p) {
  return italic(p.value);
}

// "-c, --config FILE"
std::string term(const Parameter& p) {
  if (p.is_positional()) return value_of(p);
  std::string text;
  for (const std::string& name : p.names) text += (text.empty() ? "" : ", ") + bold(name);
  return p.is_flag() ? text : text + ' ' + value_of(p);
}

std::string meaning(const Parameter& p) {
  std::string text = roff(p.meaning);
  if (!p.choices.empty()) {
    text += "\n.br\none of:";
    for (const std::string& choice : p.choices) text += ' ' + bold(choice);
  }
  if (!p.limits.empty()) text += "\n.br\n" + roff(p.limits);
  if (!p.fallback.empty()) text += "\n.br\ndefault: " + bold(p.fallback);
  if (p.is_required && !p.is_positional()) text += "\n.br\nrequired";
  return text;
}

// "sojourn check FILE [OPTIONS]"
std::string usage(const Command& c) {
  std::string text = bold(c.name);
  for (const Parameter& p : c.options()) {
    if (p.is_required) text += ' ' + bold(p.names.back()) + ' ' + value_of(p);
  }
  text += " [" + italic("OPTIONS") + ']';
  for (const Parameter& p : c.positionals()) text += ' ' + (p.is_required ? value_of(p) : '[' + value_of(p) + ']');
  if (!c.commands.empty()) text += ' ' + italic("COMMAND");
  return text + '\n';
}

std::string parameters(const Command& c) {
  std::string text;
  for (const Parameter& p : c.positionals()) text += entry(term(p), meaning(p));
  for (const Parameter& p : c.options()) text += entry(term(p), meaning(p));
  return text;
}

// Those that do something themselves, in the order of the tree.
std::string commands(const Command& c) {
  std::string text;
  for (const Command& sub : c.commands) {
    text += ".SS " + roff(sub.name) + '\n' + usage(sub) + ".PP\n" + roff(sub.purpose) + ".\n" + parameters(sub);
    for (const std::string& note : sub.notes) text += ".PP\n" + roff(note) + '\n';
    text += commands(sub);
  }
  return text;
}

// "Signals: what they do" is a section of its own.
std::string notes(const Command& c) {
  std::string text;
  for (const std::string& note : c.notes) {
    const size_t colon = note.find(": ");
    text += colon == std::string::npos ? ".PP\n" + roff(note) + '\n'
                                       : heading(note.substr(0, colon)) + roff(note.substr(colon + 2)) + '\n';
  }
  return text;
}

}  // namespace

std::string command_page(const Command& command, int section, const std::string& version, const std::string& see_also) {
  std::string text = page_head(command.name, section, version, command.purpose) + heading("Synopsis") + usage(command) +
                     heading("Options") + parameters(command);
  if (!command.commands.empty()) text += heading("Commands") + commands(command);
  return text + notes(command) + heading("See also") + roff(see_also) + '\n';
}

}  // namespace sojourn::reference
