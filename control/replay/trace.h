// What became of every frame, a line each: CSV or JSON lines.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "control/replay/virtual_direction.h"

namespace sojourn {

class Trace {
 public:
  // The file's ending, .csv or .jsonl, says the form. Throws CaptureError.
  explicit Trace(const std::string& path);
  static bool has_known_ending(const std::string& path);

  void write(const Departure& departure);
  // Throws CaptureError when not every line could be written.
  void finish();

 private:
  struct Close {
    void operator()(FILE* f) const { std::fclose(f); }
  };
  std::string path_;
  bool is_csv_;
  std::unique_ptr<FILE, Close> file_;
};

// "sent", or the cause of the drop: "aqm", "over_limit", "over_memory", "malformed".
const char* fate_name(const Departure& departure);

}  // namespace sojourn
