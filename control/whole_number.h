// An argument that is a whole number, and nothing that merely starts like one.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace sojourn {

inline CLI::Validator whole_number() {
  return {[](std::string& text) {
            uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto parsed = std::from_chars(text.data(), end, value);
            const bool is_one = parsed.ec == std::errc() && parsed.ptr == end;
            if (is_one) text = std::to_string(value);  // without leading zeros, which would be octal
            return is_one ? std::string() : "\"" + text + "\" is no whole number from 0 to 18446744073709551615";
          },
          "UINT"};
}

}  // namespace sojourn
