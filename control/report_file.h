// The file for the final account. Opened while sojournd still has all its privileges, written when it has few.
#pragma once

#include <string>

namespace sojourn {

class ReportFile {
 public:
  // "": none. Throws std::runtime_error with one sentence.
  explicit ReportFile(const std::string& path);
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  // What was there is gone. Throws likewise.
  void write(const std::string& text);

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace sojourn
