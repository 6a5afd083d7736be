// Completion of a command line by shells: commands, options, choices and files.
#pragma once

#include <string>

#include "control/reference/command.h"

namespace sojourn::reference {

std::string bash_completion(const Command& command);
std::string zsh_completion(const Command& command);

}  // namespace sojourn::reference
