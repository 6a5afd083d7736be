// The rules that concern more than one key.
#pragma once

#include "config/document.h"

namespace sojourn {

void check_consistency(Document& document);

// Those of one direction, called `name`.
void check_direction(Document& document, const std::string& name, const Parameters& parameters, uint32_t mtu_bytes);

}  // namespace sojourn
