// libFuzzer: any bytes at all through the parser and the marker.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dataplane/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sojourn;
  const Frame f = parse({data, size}, HashDepth::kInner);
  if (parse({data, size}, HashDepth::kOuter).ecn_offset != f.ecn_offset) std::abort();
  if (parse_ip({data, size}, HashDepth::kInner).ip_headers > kMostIpHeaders) std::abort();
  std::vector<uint8_t> marked(data, data + size);
  const EcnMark mark = mark_ce(marked);
  if ((mark == EcnMark::kNotIp) != (f.outer == IpVersion::kNone)) std::abort();
  for (size_t i = 0; i < size; ++i) {
    const size_t offset = i - f.ecn_offset;
    const bool may_change =
        mark == EcnMark::kMarked && (offset == 1 || (f.outer == IpVersion::k4 && (offset == 10 || offset == 11)));
    if (marked[i] != data[i] && !may_change) std::abort();
  }
  std::vector<uint8_t> bare(data, data + size);
  mark_ce_ip(bare);
  return 0;
}
