#include "control/import.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "control/check.h"
#include "control/file.h"
#include "control/import/translate.h"
#include "control/same_file.h"

namespace sojourn {
namespace {

using namespace imports;

// At most a byte more than is taken: what never ends is refused as what is too long.
std::string read_some(std::istream& in) {
  std::string text(kMostImportBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

std::optional<std::string> read_input(const std::string& file, std::istream& in, std::ostream& err) {
  if (file == "-") return read_some(in);
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (stream) text = read_some(stream);
  if (stream.is_open() && !stream.bad() && errno == 0) return text;
  err << file << ": error: cannot be read: " << std::strerror(errno == 0 ? EIO : errno) << '\n';
  return std::nullopt;
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

// "" when written, else why not.
std::string write_new(const std::string& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return std::strerror(errno);
  ::close(file);
  replace_file(path, text);
  return {};
}

// An error in one sentence, or "".
std::string write_output(const ImportOptions& options, const std::string& text, std::ostream& out) {
  if (options.out.empty() || options.out == "-") {
    out << text << std::flush;
    return out ? "" : "sojourn: cannot write the configuration";
  }
  try {
    if (options.may_overwrite && exists(options.out)) return replace_file(options.out, text), std::string();
    const std::string reason = write_new(options.out, text);
    return reason.empty() ? "" : options.out + ": cannot be written: " + reason;
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::string reason_against_output(const ImportOptions& options) {
  if (options.out.empty() || options.out == "-") return {};
  if (options.file != "-" && is_same_file(options.file, options.out))
    return options.out + ": would be written over its own input";
  return exists(options.out) && !options.may_overwrite ? options.out + ": exists; --force overwrites it" : "";
}

CLI::Validator of_end() {
  return {[](std::string& text) { return check_end(text); }, "IFACE|DEVICE"};
}

CLI::App* add_source(CLI::App* group, const char* name, const char* help,
                     const std::shared_ptr<ImportOptions>& options) {
  CLI::App* command = group->add_subcommand(name, help);
  command->add_option("FILE", options->file, "what is read; -: standard input")->capture_default_str();
  command->add_option("--out", options->out, "where the configuration goes; default: standard output");
  command->add_flag("--force", options->may_overwrite, "overwrite what is there");
  command->add_option("--inside", options->ends.inside, "the port towards users or servers")->check(of_end());
  command->add_option("--outside", options->ends.outside, "the port towards the bottleneck")->check(of_end());
  command->footer(
      "Exit code 0: all is translated; 3: a configuration was written, and what has no equivalent was named;\n"
      "1: refused, nothing was written; 2: usage.");
  return command;
}

}  // namespace

void add_import(CLI::App& app, int& exit_code) {
  CLI::App* group = app.add_subcommand("import", "Make a configuration from that of another shaper");
  group->require_subcommand(1);
  auto tc = std::make_shared<ImportOptions>(), dummynet = std::make_shared<ImportOptions>();
  dummynet->is_dummynet = true;
  CLI::App* from_tc =
      add_source(group, "tc", "From `tc qdisc` and `tc class` commands, or from what `tc -j qdisc show` prints", tc);
  CLI::App* from_dummynet =
      add_source(group, "dummynet",
                 "From `dnctl` or `ipfw` lines, or from the limiters in a config.xml of pfSense or OPNsense", dummynet);
  from_dummynet->add_option("--egress", dummynet->ends.egress, "name or number of the limiter from inside to outside");
  from_dummynet->add_option("--ingress", dummynet->ends.ingress,
                            "name or number of the limiter from outside to inside");
  from_tc->callback([tc, &exit_code] { exit_code = run_import(*tc, std::cin, std::cout, std::cerr); });
  from_dummynet->callback(
      [dummynet, &exit_code] { exit_code = run_import(*dummynet, std::cin, std::cout, std::cerr); });
}

int run_import(const ImportOptions& options, std::istream& in, std::ostream& out, std::ostream& err) {
  const auto fail = [&](const std::string& why) {
    err << why << '\n';
    return kExitFailed;
  };
  if (const std::string reason = reason_against_output(options); !reason.empty()) return fail(reason);
  const auto input = read_input(options.file, in, err);
  if (!input) return kExitFailed;
  const std::string source = options.file == "-" ? "standard input" : options.file;
  Findings findings;
  const std::string text = options.is_dummynet ? import_dummynet(*input, source, options.ends, findings)
                                               : import_tc(*input, source, options.ends, findings);
  for (const Finding& finding : findings.sorted())
    err << to_string(finding, options.file == "-" ? "<stdin>" : options.file) << '\n';
  if (text.empty()) return kExitFailed;
  if (const std::string reason = write_output(options, text, out); !reason.empty()) return fail(reason);
  return findings.has_lost() ? kExitPartly : kExitOk;
}

}  // namespace sojourn
