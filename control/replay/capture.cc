#include "control/replay/capture.h"

#include <pcap/pcap.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sojourn {
namespace {

constexpr size_t kFileBufferBytes = size_t{1} << 18;
constexpr int kMostFrameBytes = 262'144;  // libpcap's own MAXIMUM_SNAPLEN

std::string name_of(int link_type) {
  const char* name = pcap_datalink_val_to_name(link_type);
  return name == nullptr ? "number " + std::to_string(link_type) : name;
}

// libpcap gives the nanoseconds in tv_usec. Seconds of pcap have 32 bits without a sign: until 2106.
bool has_whole_fraction(const pcap_pkthdr& h) {
  return h.ts.tv_usec >= 0 && h.ts.tv_usec < 1'000'000'000;
}

Time time_of(const pcap_pkthdr& h) {
  const uint64_t seconds = h.ts.tv_sec < 0 ? static_cast<uint32_t>(h.ts.tv_sec) : static_cast<uint64_t>(h.ts.tv_sec);
  return {seconds * 1'000'000'000 + (has_whole_fraction(h) ? static_cast<uint64_t>(h.ts.tv_usec) : 0)};
}

FILE* open_file(const std::string& path) {
  FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw CaptureError(path + ": " + std::strerror(errno), false);
  std::setvbuf(file, nullptr, _IOFBF, kFileBufferBytes);
  return file;
}

}  // namespace

void CaptureReader::Close::operator()(pcap* p) const {
  pcap_close(p);
}

CaptureReader::CaptureReader(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  std::unique_ptr<FILE, Close> file(open_file(path));
  struct stat facts {};
  if (fstat(fileno(file.get()), &facts) == 0) {
    if (S_ISDIR(facts.st_mode)) throw CaptureError(name_ + ": is a directory", false);
    if (S_ISREG(facts.st_mode)) size_ = facts.st_size;
  }
  char reason[PCAP_ERRBUF_SIZE];
  pcap_.reset(pcap_fopen_offline_with_tstamp_precision(file.get(), PCAP_TSTAMP_PRECISION_NANO, reason));
  if (!pcap_) throw CaptureError(name_ + ": not a capture that can be read (offset 0): " + reason, true);
  file.release();  // libpcap's now
  switch (pcap_datalink(pcap_.get())) {
    case DLT_EN10MB:
      break;
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
      link_type_ = LinkType::kIp;
      break;
    default:
      throw CaptureError(
          name_ + ": link type " + link_type_name() + "; a replay takes EN10MB (Ethernet), RAW, IPV4, IPV6", false);
  }
}

std::string CaptureReader::link_type_name() const {
  return name_of(pcap_datalink(pcap_.get()));
}

int64_t CaptureReader::offset() const {
  return ftello(pcap_file(pcap_.get()));
}

bool CaptureReader::next(CapturedFrame& frame) {
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  const int result = pcap_next_ex(pcap_.get(), &header, &data);
  if (result == 1) {
    frame.time = time_of(*header);
    wrong_times_ += !has_whole_fraction(*header);
    frame.bytes = {data, header->caplen};
    frame.length = std::max(header->len, header->caplen);
    ++frames_;
    return true;
  }
  if (result == PCAP_ERROR) {
    damage_ = name_ + ": damaged" + offset_of_damage() + ", after frame " + std::to_string(frames_) + ": " +
              pcap_geterr(pcap_.get());
  }
  return false;
}

// Where the record begins that could not be read. Asking for the offset is a system call, too slow for every frame; so
// the sound part is read once more.
std::string CaptureReader::offset_of_damage() const {
  if (size_ < 0) return "";
  char reason[PCAP_ERRBUF_SIZE];
  const std::unique_ptr<pcap, Close> again(pcap_open_offline(name_.c_str(), reason));
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  for (uint64_t i = 0; again && i < frames_ && pcap_next_ex(again.get(), &header, &data) == 1; ++i) {
  }
  return again ? " at offset " + std::to_string(ftello(pcap_file(again.get()))) : "";
}

void CaptureWriter::Close::operator()(pcap* p) const {
  pcap_close(p);
}
void CaptureWriter::Close::operator()(pcap_dumper* d) const {
  pcap_dump_close(d);
}

CaptureWriter::CaptureWriter(const std::string& path, const CaptureReader& like) : path_(path) {
  const int link_type = like.link_type() == LinkType::kEthernet ? DLT_EN10MB : DLT_RAW;
  pcap_.reset(pcap_open_dead_with_tstamp_precision(link_type, kMostFrameBytes, PCAP_TSTAMP_PRECISION_NANO));
  dumper_.reset(pcap_dump_open(pcap_.get(), path.c_str()));
  if (!dumper_) throw CaptureError(pcap_geterr(pcap_.get()), false);
  std::setvbuf(pcap_dump_file(dumper_.get()), nullptr, _IOFBF, kFileBufferBytes);
}

void CaptureWriter::write(Time time, std::span<const uint8_t> bytes, uint32_t length) {
  pcap_pkthdr header{};
  header.ts.tv_sec = static_cast<time_t>(time.ns / 1'000'000'000);
  header.ts.tv_usec = static_cast<suseconds_t>(time.ns % 1'000'000'000);
  header.caplen = static_cast<bpf_u_int32>(bytes.size());
  header.len = length;
  pcap_dump(reinterpret_cast<u_char*>(dumper_.get()), &header, bytes.data());
}

void CaptureWriter::finish() {
  const bool is_written = pcap_dump_flush(dumper_.get()) == 0 && std::ferror(pcap_dump_file(dumper_.get())) == 0;
  if (!is_written) throw CaptureError(path_ + ": cannot be written: " + std::strerror(errno), false);
  dumper_.reset();
}

}  // namespace sojourn
