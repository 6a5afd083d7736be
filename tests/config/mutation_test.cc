// Whatever the bytes, parse() gives a configuration or at least one reason, and never crashes. Worth most under ASan.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "config/config.h"
#include "config/effective.h"

// libconfig 1.5 leaks the text it was reading at a syntax error. Ours is still looked for.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:strbuf_append\nleak:libconfig_yylex\n";
}

namespace sojourn {
namespace {

std::string example(const std::string& name) {
  std::ifstream file(std::string(SOJOURN_SOURCE_DIR) + "/examples/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_config_or_reason(const std::string& text) {
  const Result result = parse(text, "mutant");
  if (!result.ok()) return;
  // What is accepted is complete: it can be said in full and read back.
  const Result again = parse(effective_text(result.config), "effective");
  ASSERT_TRUE(again.ok()) << to_string(again.errors[0], "error") << "\nfrom:\n" << text;
  ASSERT_EQ(again.config, result.config) << text;
  ASSERT_FALSE(result.config.ports.empty() || result.config.wires.empty()) << text;
}

std::string mutated(std::string text, std::mt19937& random) {
  static const std::string kTokens[] = {"{",           "}",
                                        "(",           ")",
                                        "[",           "]",
                                        "\"",          ";",
                                        "=",           ",",
                                        "0",           "-1",
                                        "1.5",         "9e999",
                                        "\\",          "@include \"",
                                        "/*",          "true",
                                        "\"5ms\"",     "rate",
                                        "4294967296",  "\n@include \"/\"\n",
                                        "0xFFFFFFFFFF"};
  for (unsigned changes = 1 + random() % 6; changes > 0; --changes) {
    const size_t at = random() % (text.size() + 1), length = random() % 8;
    switch (random() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kTokens[random() % std::size(kTokens)]);
        break;
      case 2:
        text.insert(at, text.substr(random() % (text.size() + 1), random() % 40));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random() % 256);
    }
  }
  return text;
}

TEST(Mutants, OfTheExamplesGiveAConfigOrAReason) {
  std::mt19937 random(1);
  for (const char* name : {"gateway.conf", "edge.conf", "lab.conf"}) {
    const std::string text = example(name);
    ASSERT_FALSE(text.empty());
    for (int i = 0; i < 3'000; ++i) ASSERT_NO_FATAL_FAILURE(expect_config_or_reason(mutated(text, random)));
  }
}
TEST(Prefixes, OfTheExamplesGiveAConfigOrAReason) {
  const std::string text = example("lab.conf");
  for (size_t length = 0; length <= text.size(); ++length)
    ASSERT_NO_FATAL_FAILURE(expect_config_or_reason(text.substr(0, length)));
}
TEST(RandomBytes, GiveAReason) {
  std::mt19937 random(2);
  for (int i = 0; i < 5'000; ++i) {
    std::string text(random() % 200, ' ');
    for (char& c : text) c = static_cast<char>(random() % (i % 2 == 0 ? 256 : 128));
    EXPECT_FALSE(parse(text, "random").errors.empty());
  }
}

}  // namespace
}  // namespace sojourn
