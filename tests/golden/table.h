// Reads the golden tables beside this file. SOJOURN_GOLDEN is their directory.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sojourn::test {

using Row = std::map<std::string, std::string>;

// Reads a CSV file: a header, then rows; fields may be quoted.
inline std::vector<Row> table(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no table " + path);
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields(1);
    bool is_quoted = false;
    for (char c : line) {
      if (c == '"')
        is_quoted = !is_quoted;
      else if (c == ',' && !is_quoted)
        fields.emplace_back();
      else if (c != '\r')
        fields.back() += c;
    }
    return fields;
  };
  std::string line;
  std::getline(in, line);
  const auto header = split(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const auto fields = split(line);
    Row row;
    for (size_t i = 0; i < fields.size() && i < header.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

inline std::vector<Row> golden(const std::string& name) {
  return table(std::string(SOJOURN_GOLDEN) + "/" + name);
}

inline int64_t number(const Row& row, const std::string& column) {
  return std::stoll(row.at(column));
}

}  // namespace sojourn::test
