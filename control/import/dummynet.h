// dummynet's pipes, schedulers and queues, and the rules that steer packets into them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "control/import/findings.h"
#include "control/import/wire.h"
#include "control/import/words.h"

namespace sojourn::imports {

enum class DummynetKind { kPipe, kQueue, kSched };

struct DummynetObject {
  DummynetKind kind = DummynetKind::kPipe;
  uint32_t number = 0;
  std::string name;  // of pfSense and OPNsense, "": none
  int line = 0;
  std::vector<Words> passes;  // what stands behind `config`, each time
};

// A rule that sends packets to a pipe or a queue.
struct Steering {
  DummynetKind kind = DummynetKind::kPipe;
  uint32_t number = 0;
  bool is_out = false, is_in = false;
  int line = 0;
};

struct Dummynet {
  std::vector<DummynetObject> objects;
  std::vector<Steering> rules;

  // Adds, or configures again what has that number.
  void put(DummynetObject object, Findings& findings);
  void steer(const Steering& rule);
};

// "ipfw pipe 1 config bw 40Mbit/s", "dnctl sched ...", "ipfw add ..."; also without the first word, as in a rules file.
void read_dummynet_command(const Words& command, Dummynet& out, Findings& findings);

// config.xml of pfSense (<dnshaper>) or OPNsense (<TrafficShaper>).
void read_limiter_xml(std::string_view text, Dummynet& out, Findings& findings);

// Which limiter is which direction is said by `ends`, by their names, by the rules, or is taken from their order.
Wire wire_of(const Dummynet& objects, const Ends& ends, Findings& findings);

}  // namespace sojourn::imports
