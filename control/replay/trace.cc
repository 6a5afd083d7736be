#include "control/replay/trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

namespace sojourn {
namespace {

constexpr size_t kFileBufferBytes = size_t{1} << 18;
constexpr const char* kHeader =
    "frame,arrival_ns,end_ns,fate,cause,queue,list,sojourn_ns,bytes,mark,codel_count,codel_drop_next_ns,flow\n";

const char* name_of(FlowList list) {
  return list == FlowList::kNew ? "new" : list == FlowList::kOld ? "old" : "";
}

const char* name_of(EcnMark mark) {
  return mark == EcnMark::kMarked ? "ce" : mark == EcnMark::kAlreadyCe ? "already_ce" : "";
}

std::string csv_line(const Departure& d) {
  const Passage& p = d.passage;
  const bool is_sent = d.fate == Fate::kSent;
  const std::string queue = d.fate == Fate::kNotSendable ? "" : std::to_string(p.queue);
  const std::string codel =
      d.is_codel_action ? fmt::format("{},{}", d.codel_count, d.codel_drop_next.ns) : std::string(",");
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", p.number, p.arrival.ns, d.time.ns,
                     is_sent ? "sent" : "dropped", is_sent ? "" : fate_name(d), queue, name_of(d.list),
                     (d.time - p.arrival).ns, p.length, name_of(p.mark), codel, format(p.key));
}

std::string json_line(const Departure& d) {
  const Passage& p = d.passage;
  const bool is_sent = d.fate == Fate::kSent;
  nlohmann::ordered_json j = {{"frame", p.number},
                              {"arrival_ns", p.arrival.ns},
                              {"end_ns", d.time.ns},
                              {"fate", is_sent ? "sent" : "dropped"},
                              {"sojourn_ns", (d.time - p.arrival).ns},
                              {"bytes", p.length},
                              {"flow", format(p.key)}};
  if (!is_sent) j["cause"] = fate_name(d);
  if (d.fate != Fate::kNotSendable) j["queue"] = p.queue;
  if (*name_of(d.list) != 0) j["list"] = name_of(d.list);
  if (*name_of(p.mark) != 0) j["mark"] = name_of(p.mark);
  if (d.is_codel_action) j["codel"] = {{"count", d.codel_count}, {"drop_next_ns", d.codel_drop_next.ns}};
  return j.dump() + '\n';
}

}  // namespace

const char* fate_name(const Departure& d) {
  if (d.fate == Fate::kSent) return "sent";
  if (d.fate == Fate::kNotSendable) return "malformed";
  switch (d.cause) {
    case DropCause::kAqm:
      return "aqm";
    case DropCause::kOverLimit:
      return "over_limit";
    case DropCause::kOverMemory:
      break;
  }
  return "over_memory";
}

bool Trace::has_known_ending(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".jsonl");
}

Trace::Trace(const std::string& path)
    : path_(path), is_csv_(path.ends_with(".csv")), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw CaptureError(path + ": " + std::strerror(errno), false);
  std::setvbuf(file_.get(), nullptr, _IOFBF, kFileBufferBytes);
  if (is_csv_) std::fputs(kHeader, file_.get());
}

void Trace::write(const Departure& departure) {
  const std::string line = is_csv_ ? csv_line(departure) : json_line(departure);
  std::fwrite(line.data(), 1, line.size(), file_.get());
}

void Trace::finish() {
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get()) != 0) {
    throw CaptureError(path_ + ": cannot be written: " + std::strerror(errno), false);
  }
  file_.reset();
}

}  // namespace sojourn
