// Quantities as tc reads them (tc(8), PARAMETERS): a number without a unit has one all the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/quantity.h"

namespace sojourn::imports {

// A bare number is bits per second; "bps" is bytes per second. A share of the device's speed ("50%") is refused.
Parsed<BitsPerSecond> parse_tc_rate(std::string_view text);
// A bare number is microseconds.
Parsed<Duration> parse_tc_time(std::string_view text);
// A bare number is bytes; k, m, g are powers of 1024, and so are kbit, mbit, gbit: "64Mbit" is 8 MB.
Parsed<uint64_t> parse_tc_size(std::string_view text);
// "BYTES/CELL", as bursts have it: the cell is of a table that is not needed here.
Parsed<uint64_t> parse_tc_size_and_cell(std::string_view text);

// CoDel in Linux keeps times in units of 1024 ns and shows them in whole microseconds: 5 ms comes back as 4999 us. The
// roundest time that would be shown as this one.
Duration codel_time_behind(uint64_t shown_us);

}  // namespace sojourn::imports
