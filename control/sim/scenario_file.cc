#include "control/sim/scenario_file.h"

#include <algorithm>

#include "config/consistency.h"
#include "config/direction.h"
#include "config/read_group.h"
#include "config/source.h"
#include "control/sim/scenario_keys.h"

namespace sojourn::sim {
namespace {

constexpr uint64_t kMostFlows = 100'000;
constexpr size_t kMostBottlenecks = 64;

void read_bottleneck(Document& document, const Node& node, const std::string& name, Scenario& scenario) {
  BottleneckScenario bottleneck;
  if (read_keys(document, node, name, bottleneck_keys(), bottleneck))
    require_keys(document, node, name, bottleneck_keys());
  if (const Node* queue = child(node, "queue")) {
    DirectionConfig direction;
    read_direction(document, *queue, dotted(name, "queue"), bottleneck.mtu_bytes, direction);
    check_direction(document, dotted(name, "queue"), direction.parameters, bottleneck.mtu_bytes);
    bottleneck.parameters = direction.parameters;
  }
  if (const Node* timetable = child(node, "timetable"))
    read_list(document, *timetable, dotted(name, "timetable"), {}, [&](const Node& element, const std::string& label) {
      RateChange change;
      if (read_keys(document, element, label, rate_change_keys(), change))
        require_keys(document, element, label, rate_change_keys());
      bottleneck.timetable.push_back(change);
    });
  scenario.bottlenecks.push_back(std::move(bottleneck));
}

void read_flow(Document& document, const Node& node, const std::string& name, Scenario& scenario) {
  FlowScenario flow;
  if (read_keys(document, node, name, flow_keys(), flow)) require_keys(document, node, name, flow_keys());
  for (const Key<FlowScenario>& key : flow_keys())
    if (document.has(dotted(name, key.name)) && !heeds(flow.source, key.name))
      document.warning(dotted(name, key.name), "has no effect with source = " + quote(word_of(flow.source)));
  scenario.flows.push_back(std::move(flow));
}

void check_times(Document& document, const Scenario& scenario) {
  if (scenario.warmup >= scenario.duration)
    document.error("warmup", quote(format_time(scenario.warmup)) + " leaves nothing to measure; it must be below the " +
                                 "duration, " + quote(format_time(scenario.duration)));
}

template <typename Group>
void check_unique_names(Document& document, const char* list, const std::vector<Group>& groups) {
  Labels labels(list);
  for (size_t i = 0; i < groups.size(); ++i) {
    const std::string label = labels.next(groups[i].name);
    for (size_t j = 0; j < i; ++j)
      if (groups[j].name == groups[i].name) {
        document.error(dotted(label, "name"), quote(groups[i].name) + " is already the name of another");
        break;
      }
  }
}

void check_flow(Document& document, const std::string& name, const FlowScenario& flow, const Scenario& scenario) {
  if (flow.start >= scenario.duration)
    document.error(dotted(name, "start"),
                   quote(format_time(flow.start)) + " is not before the end, " + quote(format_time(scenario.duration)));
  if (flow.stop && *flow.stop <= flow.start)
    document.error(dotted(name, "stop"),
                   quote(format_time(*flow.stop)) + " is not after the start, " + quote(format_time(flow.start)));
  std::vector<std::string> known;
  for (const BottleneckScenario& b : scenario.bottlenecks) known.push_back(b.name);
  for (const std::string& passed : flow.through)
    if (std::ranges::find(known, passed) == known.end())
      document.error(dotted(name, "through"), "no bottleneck " + quote(passed) + suggestion(passed, known));
  for (const std::string& passed : known)
    if (std::ranges::count(flow.through, passed) > 1)
      document.error(dotted(name, "through"), quote(passed) + " stands there twice; a flow passes a bottleneck once");
  for (const BottleneckScenario& b : scenario.bottlenecks)
    if (flow.packet_bytes > mtu_frame_bytes(b.mtu_bytes))
      document.error(dotted(name, "packet"), quote(format_size(flow.packet_bytes)) + " is more than a frame of " +
                                                 quote(b.name) + "; nearest is " +
                                                 quote(format_size(mtu_frame_bytes(b.mtu_bytes))));
  if (heeds(flow.source, "rate") && flow.rate == kUnlimited)
    document.error(dotted(name, "rate"), "a source of datagrams needs a rate, such as \"1mbit\"");
}

void check_scenario(Document& document, const Scenario& scenario) {
  check_times(document, scenario);
  check_unique_names(document, "bottlenecks", scenario.bottlenecks);
  check_unique_names(document, "flows", scenario.flows);
  if (scenario.bottlenecks.size() > kMostBottlenecks)
    document.error("bottlenecks", "has " + std::to_string(scenario.bottlenecks.size()) + " elements; nearest is " +
                                      std::to_string(kMostBottlenecks));
  uint64_t count = 0;
  Labels labels("flows");
  for (const FlowScenario& flow : scenario.flows) {
    check_flow(document, labels.next(flow.name), flow, scenario);
    count += flow.count;
  }
  if (count > kMostFlows)
    document.error("flows", "are " + std::to_string(count) + " in all; nearest is " + std::to_string(kMostFlows));
}

void read_scenario(Document& document, const Node& root, Scenario& scenario) {
  read_keys(document, root, "", scenario_keys(), scenario);
  require_keys(document, root, "", scenario_keys());
  const auto read = [&](const char* key, auto read_element) {
    const Node* node = child(root, key);
    if (node == nullptr) return;
    if (node->children.empty()) document.error(key, "is empty");
    read_list(document, *node, key, "name",
              [&](const Node& element, const std::string& name) { read_element(document, element, name, scenario); });
  };
  read("bottlenecks", read_bottleneck);
  read("flows", read_flow);
  check_scenario(document, scenario);
}

ScenarioResult read(const Source& source, const std::string& filename) {
  ScenarioResult result;
  Document document;
  document.result.errors = source.errors;
  if (source.is_complete) {
    if (const auto root = parse_tree(source, document.result.errors)) {
      document.place("", {filename, 0});
      read_scenario(document, *root, result.scenario);
    }
  }
  for (auto* list : {&document.result.errors, &document.result.warnings})
    std::ranges::stable_sort(*list, {}, [](const Diagnostic& d) { return std::pair(d.file, d.line); });
  result.errors = std::move(document.result.errors);
  result.warnings = std::move(document.result.warnings);
  return result;
}

}  // namespace

ScenarioResult load_scenario(const std::string& path) {
  return read(read_source(path), path);
}

ScenarioResult parse_scenario(std::string_view text, const std::string& filename) {
  return read(expand_source(text, filename), filename);
}

}  // namespace sojourn::sim
