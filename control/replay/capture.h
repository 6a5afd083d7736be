// Capture files, read and written by libpcap: pcap with micro- or nanoseconds, and pcapng.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "sched/units.h"

struct pcap;
struct pcap_dumper;

namespace sojourn {

enum class LinkType : uint8_t { kEthernet, kIp };  // a frame starts with an Ethernet header, or with an IP header

struct CapturedFrame {
  Time time;                       // since 1970, as the capture has it
  std::span<const uint8_t> bytes;  // what was captured of it; valid until the next frame is read
  uint32_t length = 0;             // of the whole frame on the wire, without FCS; at least bytes.size()
};

// A capture that cannot be used at all, in one sentence. `is_damaged`: the file is there, and is no sound capture.
struct CaptureError : std::runtime_error {
  CaptureError(const std::string& what, bool damaged) : std::runtime_error(what), is_damaged(damaged) {}
  bool is_damaged;
};

class CaptureReader {
 public:
  // "-" is standard input. Throws CaptureError.
  explicit CaptureReader(const std::string& path);

  LinkType link_type() const { return link_type_; }
  std::string link_type_name() const;

  // The next frame; false at the end, be it the file's or of what can be read of it.
  bool next(CapturedFrame& frame);

  // Frames whose fraction of a second is none: they count as of the whole second.
  uint64_t wrong_times() const { return wrong_times_; }

  // Where and why reading ended before the end of the file, in one sentence; empty while all is well.
  const std::string& damage() const { return damage_; }
  // Bytes from the start of the file; -1 where there is no such thing, as in a pipe.
  int64_t offset() const;
  // Of the file in bytes; -1 if unknown.
  int64_t size() const { return size_; }

 private:
  struct Close {
    void operator()(pcap* p) const;
    void operator()(FILE* f) const { std::fclose(f); }
  };
  std::string offset_of_damage() const;

  std::string name_;
  std::unique_ptr<pcap, Close> pcap_;
  LinkType link_type_ = LinkType::kEthernet;
  int64_t size_ = -1;
  uint64_t frames_ = 0, wrong_times_ = 0;
  std::string damage_;
};

// Writes pcap with nanoseconds, of the link type and snapshot length of the capture that was read.
class CaptureWriter {
 public:
  // Throws CaptureError.
  CaptureWriter(const std::string& path, const CaptureReader& like);
  void write(Time time, std::span<const uint8_t> bytes, uint32_t length);
  // Throws CaptureError when not every byte could be written.
  void finish();

 private:
  struct Close {
    void operator()(pcap* p) const;
    void operator()(pcap_dumper* d) const;
  };
  std::string path_;
  std::unique_ptr<pcap, Close> pcap_;
  std::unique_ptr<pcap_dumper, Close> dumper_;
};

}  // namespace sojourn
