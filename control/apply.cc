#include "control/apply.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "config/config.h"
#include "config/keys.h"
#include "control/check.h"
#include "control/client.h"
#include "control/file.h"

namespace sojourn {
namespace {

constexpr std::chrono::seconds kPatience{10};

struct ApplyOptions {
  std::string socket = ControlConfig{}.socket;
  std::string file;
  std::string wire, direction, key, value;
  bool is_dry_run = false, is_kept = false, as_json = false;
};

int send(const ApplyOptions& options, const nlohmann::json& request) {
  const nlohmann::json answer = ask(options.socket, request, kPatience);
  const bool is_refused = answer.contains("refused");
  if (options.as_json) {
    std::cout << answer.dump(2) << '\n';
  } else {
    (is_refused ? std::cerr : std::cout) << change_text(answer);
  }
  return std::cout.flush() && !is_refused ? kExitOk : kExitFailed;
}

// Whatever goes wrong is one sentence.
template <typename Run>
int guarded(Run run) {
  try {
    return run();
  } catch (const std::exception& e) {
    std::cerr << "sojourn: " << e.what() << '\n';
    return kExitFailed;
  }
}

int apply(const ApplyOptions& o) {
  const std::string path = std::filesystem::absolute(o.file);
  return send(o, {{"command", "apply"}, {"file", path}, {"text", read_file(o.file)}, {"dry_run", o.is_dry_run}});
}

int set(const ApplyOptions& o) {
  return send(o, {{"command", "set"},
                  {"wire", o.wire},
                  {"direction", o.direction},
                  {"key", o.key},
                  {"value", o.value},
                  {"dry_run", o.is_dry_run},
                  {"persist", o.is_kept}});
}

void add_options(CLI::App* command, const std::shared_ptr<ApplyOptions>& o) {
  command->add_flag("--dry-run", o->is_dry_run, "say what would change, and change nothing");
  command->add_flag("-j,--json", o->as_json, "print JSON");
  command->add_option("--socket", o->socket, "control socket of sojournd")->type_name("SOCKET")->capture_default_str();
}

// Help and completion know the keys; what is none is sojournd's to refuse, with the nearest.
CLI::Validator one_of_keys() {
  std::string names;
  for (const auto& key : direction_keys()) names += (names.empty() ? "" : ",") + key.name;
  return {[](std::string&) { return std::string(); }, '{' + names + '}'};
}

std::string value_text(const nlohmann::json& value) {
  return value.is_null() ? "default" : value.get<std::string>();
}

}  // namespace

std::string change_text(const nlohmann::json& a) {
  std::string text;
  for (const auto& warning : a.value("warnings", nlohmann::json::array())) text += warning.get<std::string>() + '\n';
  if (a.contains("refused")) {
    for (const auto& reason : a.at("refused")) text += reason.get<std::string>() + '\n';
    return text + "refused; the configuration in force stays\n";
  }
  for (const auto& c : a.at("changes")) {
    text += fmt::format("{}: {} -> {}\n", c.at("name").get<std::string>(), value_text(c.at("from")),
                        value_text(c.at("to")));
  }
  const auto generation = a.at("generation").get<uint64_t>();
  if (a.at("changes").empty()) {
    text += fmt::format("nothing has changed; configuration {} is in force\n", generation);
  } else {
    text += a.at("is_dry_run").get<bool>() ? "dry run: nothing has been changed\n"
                                           : fmt::format("configuration {} is in force\n", generation);
  }
  if (a.contains("persisted")) text += "written to " + a.at("persisted").get<std::string>() + '\n';
  return text;
}

void add_apply(CLI::App& app, int& exit_code) {
  const auto o = std::make_shared<ApplyOptions>();
  CLI::App* apply_command = app.add_subcommand("apply", "Put a configuration in force, without loss or restart");
  apply_command->add_option("FILE", o->file, "configuration")->required();
  add_options(apply_command, o);
  apply_command->callback([o, &exit_code] { exit_code = guarded([&] { return apply(*o); }); });

  CLI::App* set_command = app.add_subcommand("set", "Set one value: sojourn set egress rate 38mbit");
  set_command->add_option("DIRECTION", o->direction, "egress or ingress")
      ->required()
      ->check(CLI::IsMember({"egress", "ingress"}));
  set_command->add_option("KEY", o->key, "key of that direction (see sojourn keys)")->required()->check(one_of_keys());
  set_command->add_option("VALUE", o->value, "value, as in tc: 38mbit, 5ms, on, 2048; or default")->required();
  set_command->add_option("--wire", o->wire, "which wire, where there are several")->type_name("NAME");
  set_command->add_flag("--persist", o->is_kept, "also write it into sojournd's configuration file");
  add_options(set_command, o);
  set_command->callback([o, &exit_code] { exit_code = guarded([&] { return set(*o); }); });
}

}  // namespace sojourn
