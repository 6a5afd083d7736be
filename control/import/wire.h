// The wire that an import comes to, and its text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/import/findings.h"
#include "control/import/shape.h"

namespace sojourn::imports {

// What the command line says of the ends of the wire. Interfaces of the kernel or devices of DPDK; "": not said.
struct Ends {
  std::string inside, outside;
  std::string egress, ingress;  // dummynet: name or number of the limiter
};

struct Wire {
  std::string inside, outside;
  std::optional<Shape> egress, ingress;
};

// Why an end cannot be named so, or "".
std::string check_end(const std::string& name);

// The configuration, with what was found as comments. A direction without a rate gets "unlimited", which is said.
std::string conf_text(Wire wire, const std::string& source, const std::string& command, Findings& findings);

}  // namespace sojourn::imports
