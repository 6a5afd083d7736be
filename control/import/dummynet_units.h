// Quantities as ipfw(8) and dnctl(8) read them.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/quantity.h"

namespace sojourn::imports {

// Whole numbers of bit/s, with k, m or g (x 1000) and Bit/s or Byte/s; a bare number is bit/s, and "Mb" is Mbit/s. 0 is
// no limit: kUnlimited. dummynet itself ends at 4294967295 bit/s, or at half of that; this does not (CASES DN-4).
Parsed<BitsPerSecond> parse_dummynet_rate(std::string_view text);
// us, ms, s; a bare number is milliseconds.
Parsed<Duration> parse_dummynet_time(std::string_view text);
// A bare number is packets ("slots"); with K, KB, KBytes (x 1024), B or Bytes it is bytes.
struct DummynetQueue {
  uint64_t packets = 0, bytes = 0;  // one of them, the other one 0
};
Parsed<DummynetQueue> parse_dummynet_queue(std::string_view text);
// Of a burst: bytes, with k, m, g x 1024.
Parsed<uint64_t> parse_dummynet_burst(std::string_view text);
// A share from 0 to 1.
Parsed<PartsPerBillion> parse_dummynet_share(std::string_view text);

}  // namespace sojourn::imports
