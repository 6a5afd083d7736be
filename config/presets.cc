#include "config/presets.h"

#include <algorithm>

namespace sojourn {

using namespace std::string_view_literals;

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      {"gateway",
       "one home or office uplink, up to a few hundred Mbit/s",
       {
           {"target", "5ms"sv},
           {"interval", "100ms"sv},
           {"flows", 1024},
           // A fifth of a full frame, as sqm-scripts sets it for slow links: small packets (DNS, ACKs, voice) pass
           // between the frames of a bulk flow, and at these rates the extra turns cost nothing.
           {"quantum", "300b"sv},
           {"limit", 10240},
           {"memory", "32mb"sv},
           {"ecn", true},
       }},
      {"edge",
       "content egress with short paths, 10 to 40 Gbit/s",
       {
           {"target", "8ms"sv},
           {"interval", "40ms"sv},
           {"flows", 65536},
           // tc's 10240 are 6 ms of full frames at 20 Gbit/s: the limit would drop before CoDel sees its target. 65536
           // are an interval's worth there, and more than two targets' at 40 Gbit/s. The quantum is left to follow the
           // MTU: small ones cost turns that are dear at this rate.
           {"limit", 65536},
           {"memory", "160mb"sv},
           {"ecn", true},
       }},
      {"transatlantic-edge",
       "content egress whose busiest paths are long: 5 ms would leave them under-used",
       {
           {"target", "12ms"sv},
           {"interval", "100ms"sv},
           {"flows", 65536},
           {"limit", 65536},
           {"memory", "160mb"sv},
           {"ecn", true},
       }},
  };
  return kPresets;
}

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Preset::name);
  return found == presets().end() ? nullptr : &*found;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace sojourn
