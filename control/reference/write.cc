// Writes one manual page or completion to standard output: write PAGE [EXAMPLE...]. Run by the build.
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>

#include "control/command_line.h"
#include "control/daemon_options.h"
#include "control/file.h"
#include "control/reference/command_page.h"
#include "control/reference/completion.h"
#include "control/reference/keys_page.h"

namespace {

using namespace sojourn;
using namespace sojourn::reference;

Command tool() {
  int unused = 0;
  return command_of(*tool_command_line(unused));
}

Command daemon_command() {
  DaemonOptions defaults;
  return command_of(*daemon_command_line(defaults));
}

std::string page(const std::string& name, const std::vector<std::string>& files) {
  if (name == "sojourn.1")
    return command_page(tool(), 1, SOJOURN_VERSION, "sojournd(8), sojourn.conf(5), sojourn-bind(8)");
  if (name == "sojournd.8")
    return command_page(daemon_command(), 8, SOJOURN_VERSION, "sojourn(1), sojourn.conf(5), sojourn-bind(8)");
  if (name == "sojourn.bash") return bash_completion(tool());
  if (name == "sojournd.bash") return bash_completion(daemon_command());
  if (name == "_sojourn") return zsh_completion(tool());
  if (name == "_sojournd") return zsh_completion(daemon_command());
  if (name != "sojourn.conf.5") throw std::runtime_error(name + " is no page");
  std::vector<Example> examples;
  for (const std::string& file : files) examples.push_back({std::filesystem::path(file).filename(), read_file(file)});
  return keys_page(SOJOURN_VERSION, examples);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::runtime_error("which page?");
    std::cout << page(argv[1], {argv + 2, argv + argc}) << std::flush;
    return std::cout ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "write: " << e.what() << '\n';
    return 1;
  }
}
