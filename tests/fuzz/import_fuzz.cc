// libFuzzer: any text at all as another shaper's configuration. What comes of it is one that parse() accepts, or
// nothing and a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "config/config.h"
#include "control/import/translate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sojourn::imports;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto import_text : {import_tc, import_dummynet}) {
    Findings findings;
    const std::string conf = import_text(text, "in", {}, findings);
    if (conf.empty() != findings.is_refused()) std::abort();
    for (const Finding& finding : findings.sorted())
      if (to_string(finding, "in").find('\n') != std::string::npos) std::abort();
    if (!conf.empty() && !sojourn::parse(conf, "sojourn.conf").ok()) std::abort();
  }
  return 0;
}
