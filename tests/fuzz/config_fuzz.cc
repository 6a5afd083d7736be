// libFuzzer: any text at all as a configuration. What is accepted must come back equal from its own effective text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/config.h"
#include "config/effective.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sojourn;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("@include") != text.npos) return 0;  // reads other files
  const Result result = parse(text, "fuzz.conf");
  for (const Diagnostic& d : result.errors) {
    if (to_string(d, "error").find('\n') != std::string::npos) std::abort();
  }
  if (!result.ok()) return 0;
  const Result again = parse(effective_text(result.config), "effective.conf");
  if (!again.ok() || again.config != result.config) std::abort();
  if (!nlohmann::json::accept(effective_json(result.config))) std::abort();
  return 0;
}
