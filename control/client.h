// The tool's end of the control socket.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sojourn {

// One request and its answer. Throws std::runtime_error with one sentence: nobody listens, no permission, no answer in
// five seconds, or what sojournd said was wrong.
nlohmann::json ask(const std::string& socket_path, const nlohmann::json& request);

}  // namespace sojourn
