// The manual page of a command, with all of its commands.
#pragma once

#include <string>

#include "control/reference/command.h"

namespace sojourn::reference {

std::string command_page(const Command& command, int section, const std::string& version, const std::string& see_also);

}  // namespace sojourn::reference
