// The tool's end of the control socket.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace sojourn {

// One request and its answer. Throws std::runtime_error with one sentence: nobody listens, no permission, no answer in
// time, or what sojournd said was wrong.
nlohmann::json ask(const std::string& socket_path, const nlohmann::json& request,
                   std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace sojourn
