#include "config/node.h"

#include <algorithm>
#include <libconfig.h++>

namespace sojourn {
namespace {

constexpr int kMostDepth = 16;

// Line `number` of the text, shortened, to show beside libconfig's terse message.
std::string excerpt(const std::string& text, int number) {
  constexpr size_t kMostLength = 60;
  size_t begin = 0;
  for (int line = 1; line < number && begin < text.size(); ++line)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const size_t end = std::min(text.find('\n', begin), text.size());
  const std::string line(trimmed(std::string_view(text).substr(begin, end - begin)));
  if (line.empty()) return {};
  return " near: " + (line.size() > kMostLength ? line.substr(0, kMostLength) + "..." : line);
}

bool convert(const libconfig::Setting& setting, const Source& source, int depth, Node& out);

bool convert_children(const libconfig::Setting& setting, const Source& source, int depth, Node& out) {
  if (depth >= kMostDepth) return false;
  out.children.resize(static_cast<size_t>(setting.getLength()));
  for (int i = 0; i < setting.getLength(); ++i)
    if (!convert(setting[i], source, depth + 1, out.children[static_cast<size_t>(i)])) return false;
  return true;
}

// False: nested too deep.
bool convert(const libconfig::Setting& setting, const Source& source, int depth, Node& out) {
  using libconfig::Setting;
  out.name = setting.getName() == nullptr ? "" : setting.getName();
  out.where = source.where(static_cast<int>(setting.getSourceLine()));
  switch (setting.getType()) {
    case Setting::TypeInt:
    case Setting::TypeInt64:
      out.kind = Node::Kind::kInteger;
      out.integer = setting.getType() == Setting::TypeInt ? static_cast<int>(setting) : static_cast<long long>(setting);
      return true;
    case Setting::TypeFloat:
      out.kind = Node::Kind::kFloat;
      out.number = setting;
      return true;
    case Setting::TypeString:
      out.kind = Node::Kind::kString;
      out.text = trimmed(setting.c_str());
      return true;
    case Setting::TypeBoolean:
      out.kind = Node::Kind::kBoolean;
      out.boolean = setting;
      return true;
    default:
      out.kind = setting.isGroup() ? Node::Kind::kGroup : setting.isList() ? Node::Kind::kList : Node::Kind::kArray;
      return convert_children(setting, source, depth, out);
  }
}

}  // namespace

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kInteger:
      return "the number " + std::to_string(node.integer);
    case Node::Kind::kFloat:
      return "the number " + std::to_string(node.number);
    case Node::Kind::kString:
      return "the text \"" + node.text + '"';
    case Node::Kind::kBoolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::kGroup:
      return "a group { ... }";
    case Node::Kind::kArray:
      return "an array [ ... ]";
    case Node::Kind::kList:
      break;
  }
  return "a list ( ... )";
}

std::optional<Node> parse_tree(const Source& source, std::vector<Diagnostic>& errors) {
  libconfig::Config config;
  const auto refuse = [&](int line, const std::string& message) {
    const Where where = source.where(line);
    errors.push_back({where.file, where.line, {}, message});
    return std::nullopt;
  };
  try {
    config.readString(source.text);
  } catch (const libconfig::ParseException& e) {
    // bison's words for a nesting deeper than its stack.
    if (e.getError() == std::string_view("memory exhausted")) return refuse(e.getLine(), "nested too deep");
    return refuse(e.getLine(), e.getError() + excerpt(source.text, e.getLine()));
  }
  Node root;
  if (!convert(config.getRoot(), source, 0, root))
    return refuse(1, "nested deeper than " + std::to_string(kMostDepth) + " groups or lists");
  return root;
}

}  // namespace sojourn
