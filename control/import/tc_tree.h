// What the qdiscs and classes of each interface come to: one queue behind one rate.
#pragma once

#include <string>
#include <vector>

#include "control/import/shape.h"
#include "control/import/tc_object.h"

namespace sojourn::imports {

struct DeviceShape {
  std::string device;       // "": not said
  bool is_ingress = false;  // outside to inside
  bool is_inside = false;   // of the ports, the device is the inside one
  Shape shape = {};
};

std::vector<DeviceShape> shapes_of(const TcObjects& objects, Findings& findings);

// An interface that bears IP packets without an Ethernet header, by its name: lengths are counted without one, and no
// port of sojourn can be there.
bool has_no_ethernet(const std::string& device);

}  // namespace sojourn::imports
