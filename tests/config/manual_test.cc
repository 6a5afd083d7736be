#include "config/manual.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace sojourn {
namespace {

// The tables of docs/configuration.md are those of the code: print them with `sojourn keys`.
TEST(Manual, HasEveryKeyWithItsDefaultAndRange) {
  std::ifstream file(std::string(SOJOURN_SOURCE_DIR) + "/docs/configuration.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string manual = text.str();
  const size_t first = manual.find("### ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(manual.substr(first), manual_markdown());
}

}  // namespace
}  // namespace sojourn
