// sojournd's log: one line an event, on standard error. Never on the packet path.
#pragma once

#include <spdlog/spdlog.h>

namespace sojourn::log {

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

}  // namespace sojourn::log
