#include "control/reference/keys_page.h"

#include "config/manual.h"
#include "control/reference/roff.h"

namespace sojourn::reference {
namespace {

constexpr const char* kSyntax =
    "The file that sojournd reads, by default `/etc/sojourn/sojourn.conf`, in libconfig's syntax: `name = value;`, "
    "groups in `{ }`, lists in `( )`, texts in quotes, comments after `#` or `//`, other files by `@include \"FILE\"`. "
    "Quantities are texts with a unit, as in tc: `\"40mbit\"`, `\"5ms\"`, `\"32mb\"`. What is not known is an error; "
    "`sojourn check FILE` says every error at once, or what would be in force.";

std::string section(const ManualSection& s) {
  std::string title;
  for (const char c : s.title) title += c == '`' ? std::string() : std::string(1, c);
  std::string text = heading(title);
  for (const KeyRow& row : s.rows) {
    std::string facts = row.unit + (row.range.empty() ? "" : ": " + row.range);
    facts += row.fallback == "required" ? "; required" : "; default: " + row.fallback;
    text += entry(bold(row.name), roff_of_markdown(row.meaning) + "\n.br\n" + roff_of_markdown(facts));
  }
  return text;
}

std::string presets() {
  std::string text = heading("Presets");
  for (const PresetRow& row : preset_rows()) {
    std::string values;
    for (const std::string& value : row.values) values += (values.empty() ? "" : ", ") + value;
    text += entry(bold(row.name), roff(row.meaning) + "\n.br\n" + roff(values));
  }
  return text;
}

}  // namespace

std::string keys_page(const std::string& version, const std::vector<Example>& examples) {
  std::string text = page_head("sojourn.conf", 5, version, "configuration of sojournd") + heading("Description") +
                     roff_of_markdown(kSyntax) + '\n';
  for (const ManualSection& s : manual_sections()) text += section(s);
  text += presets() + heading("Examples");
  for (const Example& example : examples) text += ".SS " + roff(example.name) + '\n' + listing(example.text);
  return text + heading("See also") + roff("sojournd(8), sojourn(1)") + '\n';
}

}  // namespace sojourn::reference
