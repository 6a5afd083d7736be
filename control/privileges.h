// What a thread may do beyond any user, given up for good when it has done what needed it. Linux counts capabilities
// by thread.
#pragma once

#include <initializer_list>
#include <string>

namespace sojourn {

// Leaves this thread with at most these capabilities (CAP_...), also for what it may ever execute. Returns why not, or
// "".
std::string keep_only(std::initializer_list<unsigned> capabilities);

// The capabilities that any thread of this process has, by name: "net_admin, net_raw", or "none".
std::string capabilities_of_process();

}  // namespace sojourn
