// Qdiscs and classes, as commands and `tc -j qdisc show` name them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "control/import/findings.h"
#include "control/import/words.h"

namespace sojourn::imports {

struct TcObject {
  bool is_class = false;
  std::string device;  // "": not said
  std::string parent;  // "root", "ingress", "1:10"
  std::string handle;  // of a class its classid; "": not said
  std::string kind;
  int line = 0;
  std::vector<Words> passes;  // the options of what added it, and of each change
  Words stab;
};

struct TcObjects {
  std::vector<TcObject> all;
  std::map<std::string, std::string> redirects;  // from ifb0 to the interface whose arrivals go there

  // What `add`, `replace`, `change` and `del` do to what was there.
  void put(TcObject object, bool is_change, Findings& findings);
  void remove(const TcObject& object);
};

// "tc qdisc add ...", also without `tc`, as in a batch file, and without `qdisc add dev ...`: "cake bandwidth 20gbit".
void read_tc_command(const Words& command, TcObjects& out, Findings& findings);

// One or more arrays of `tc -j qdisc show` and `tc -j class show`, with or without -s.
void read_tc_json(std::string_view text, TcObjects& out, Findings& findings);

}  // namespace sojourn::imports
