// What tests of the import share: text in, configuration and findings out.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "config/config.h"
#include "control/import/translate.h"

namespace sojourn::imports {

struct Imported {
  std::string text;       // "": refused
  std::string said = {};  // a line a finding
  bool has_lost = false;
  Config config = {};

  const Parameters& egress() const { return config.wires.at(0).egress.parameters; }
  const Parameters& ingress() const { return config.wires.at(0).ingress.parameters; }
  bool says(const std::string& part) const { return said.find(part) != std::string::npos; }
};

using Import = std::string (*)(std::string_view, const std::string&, const Ends&, Findings&);

// Holds what all imports promise: either a configuration that parse() accepts, or a reason why there is none.
inline Imported imported(Import import, std::string_view text, const Ends& ends) {
  Findings findings;
  Imported out{.text = import(text, "in", ends, findings)};
  for (const Finding& finding : findings.sorted()) out.said += to_string(finding, "in") + '\n';
  out.has_lost = findings.has_lost();
  EXPECT_EQ(out.text.empty(), findings.is_refused()) << out.said;
  if (out.text.empty()) return out;
  Result result = parse(out.text, "sojourn.conf");
  for (const Diagnostic& d : result.errors) ADD_FAILURE() << to_string(d, "error") << '\n' << out.text;
  out.config = std::move(result.config);
  return out;
}

inline Imported from_tc(std::string_view text, const Ends& ends = {}) {
  return imported(import_tc, text, ends);
}
inline Imported from_dummynet(std::string_view text, const Ends& ends = {}) {
  return imported(import_dummynet, text, ends);
}

}  // namespace sojourn::imports
