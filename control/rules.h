// From rules as the operator wrote them to what the packet path takes.
#pragma once

#include <memory>

#include "config/config.h"
#include "dataplane/rules.h"

namespace sojourn {

// The wire's own rules, and after them those for the control plane, if it wants them. Null: there are none.
std::shared_ptr<const RuleSet> compile_rules(const WireConfig& wire);

}  // namespace sojourn
