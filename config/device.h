// DPDK's names of devices, as far as they can be told good from bad without DPDK.
#pragma once

#include <string>
#include <string_view>

namespace sojourn {

// Why this names no device, or "". Accepts PCI addresses ("3b:00.0", "0000:3b:00.0"), virtual devices ("net_ring0"),
// and whatever names its bus ("auxiliary:..."), each with arguments after a comma.
std::string check_device(const std::string& device);

// The device as it is told from others: "3b:00.0" and "0000:3b:00.0" are one, and so are two virtual devices of one
// name.
std::string device_identity(const std::string& device);

}  // namespace sojourn
