// Captures made by hand, byte by byte, so that a reader is tested against the formats and not against its own writer.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sojourn::test {

struct FileFrame {
  uint64_t time_ns = 0;
  std::vector<uint8_t> bytes;
  uint32_t length = 0;  // on the wire; 0: as many as there are bytes
  uint32_t wire() const { return length == 0 ? static_cast<uint32_t>(bytes.size()) : length; }
  bool operator==(const FileFrame&) const = default;
};

inline void append_words(std::string& text, const std::vector<uint32_t>& words) {
  for (const uint32_t w : words) text.append(reinterpret_cast<const char*>(&w), sizeof w);
}
inline void append_bytes(std::string& text, const std::vector<uint8_t>& bytes) {
  text.append(bytes.begin(), bytes.end());
}

inline constexpr uint32_t kMicroseconds = 0xa1b2c3d4, kNanoseconds = 0xa1b23c4d;

// pcap: draft-ietf-opsawg-pcap.
inline std::string pcap_text(const std::vector<FileFrame>& frames, uint32_t magic = kNanoseconds,
                             uint32_t link_type = 1) {
  const uint64_t unit = magic == kNanoseconds ? 1 : 1000;
  std::string text;
  append_words(text, {magic, 0x00040002u, 0, 0, 262'144, link_type});
  for (const FileFrame& f : frames) {
    append_words(text, {static_cast<uint32_t>(f.time_ns / 1'000'000'000),
                        static_cast<uint32_t>(f.time_ns % 1'000'000'000 / unit), static_cast<uint32_t>(f.bytes.size()),
                        f.wire()});
    append_bytes(text, f.bytes);
  }
  return text;
}

// pcapng: draft-ietf-opsawg-pcapng. One section, one interface whose clock counts nanoseconds.
inline std::string pcapng_text(const std::vector<FileFrame>& frames) {
  std::string text;
  append_words(text, {0x0a0d0d0a, 28, 0x1a2b3c4d, 0x00000001, 0xffffffff, 0xffffffff, 28});
  append_words(text, {1, 32, 1, 262'144, 0x00010009, 9, 0, 32});  // if_tsresol 9
  for (const FileFrame& f : frames) {
    const auto captured = static_cast<uint32_t>(f.bytes.size()), padded = (captured + 3) / 4 * 4;
    append_words(text, {6, 32 + padded, 0, static_cast<uint32_t>(f.time_ns >> 32), static_cast<uint32_t>(f.time_ns),
                        captured, f.wire()});
    append_bytes(text, f.bytes);
    text.append(padded - captured, '\0');
    append_words(text, {32 + padded});
  }
  return text;
}

// Of a pcap with nanoseconds, as a replay writes it.
inline std::vector<FileFrame> frames_of(const std::string& text) {
  const auto word = [&](size_t at) {
    uint32_t w = 0;
    std::memcpy(&w, text.data() + at, sizeof w);
    return w;
  };
  std::vector<FileFrame> frames;
  for (size_t at = 24; at + 16 <= text.size();) {
    FileFrame f{word(at) * uint64_t{1'000'000'000} + word(at + 4), {}, word(at + 12)};
    const auto* first = reinterpret_cast<const uint8_t*>(text.data()) + at + 16;
    f.bytes.assign(first, first + word(at + 8));
    at += 16 + f.bytes.size();
    frames.push_back(f);
  }
  return frames;
}

// A directory of this test's own, gone with it.
class Files {
 public:
  Files() {
    char name[] = "/tmp/sojourn-test-XXXXXX";
    root_ = mkdtemp(name);
  }
  ~Files() { std::filesystem::remove_all(root_); }
  std::string path(const std::string& name) const { return root_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path root_;
};

}  // namespace sojourn::test
