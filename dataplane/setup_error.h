// What a constructor throws when the machine cannot give what the configuration asks for: one sentence for the
// operator.
#pragma once

#include <stdexcept>

namespace sojourn {

class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sojourn
