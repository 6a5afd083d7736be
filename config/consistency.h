// The rules that concern more than one key.
#pragma once

#include "config/document.h"

namespace sojourn {

void check_consistency(Document& document);

}  // namespace sojourn
