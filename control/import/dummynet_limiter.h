// One pipe with its scheduler and queues, as one direction of a wire.
#pragma once

#include <string>
#include <vector>

#include "control/import/dummynet.h"
#include "control/import/shape.h"

namespace sojourn::imports {

// `parts` are the pipe, what schedules it and the queues in front of it, in the order they were written.
Shape shape_of(const std::vector<const DummynetObject*>& parts, const std::string& name, Findings& findings);

}  // namespace sojourn::imports
