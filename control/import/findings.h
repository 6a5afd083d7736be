// What an import has to say of its input, line by line.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace sojourn::imports {

enum class Severity { kNote, kLost, kRefused };

struct Finding {
  Severity severity;
  int line;  // 0: the input as a whole
  std::string text;
};

class Findings {
 public:
  void note(int line, std::string text) { add(Severity::kNote, line, std::move(text)); }  // translated all the same
  void lost(int line, std::string text) { add(Severity::kLost, line, std::move(text)); }  // has no equivalent
  void refuse(int line, std::string text);                                                // nothing can be written

  bool is_refused() const { return refused_ != 0; }
  bool has_lost() const { return has_lost_; }
  // In the order of the lines.
  std::vector<Finding> sorted() const;

 private:
  void add(Severity severity, int line, std::string text);

  std::vector<Finding> all_;
  size_t refused_ = 0;
  bool has_lost_ = false;
};

// "gateway.sh:3: warning: no equivalent: ..."
std::string to_string(const Finding& finding, const std::string& file);

}  // namespace sojourn::imports
