#include "dataplane/eal.h"

#include <rte_alarm.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>

namespace sojourn {
namespace {

// DPDK writes its log to a stream; ours hands on whole lines and remembers the first one since it was asked to.
struct LogStream {
  std::mutex mutex;  // lcores and DPDK's own threads may log at once; none is on the packet path
  std::string partial, first;
  std::function<void(const std::string&)> line;
};
LogStream& log_stream() {
  static LogStream stream;
  return stream;
}

ssize_t write_log(void*, const char* text, size_t length) {
  LogStream& stream = log_stream();
  const std::lock_guard lock(stream.mutex);
  for (size_t i = 0; i < length; ++i) {
    if (text[i] != '\n') {
      stream.partial += text[i];
      continue;
    }
    if (!stream.partial.empty()) {
      if (stream.first.empty()) stream.first = stream.partial;
      if (stream.line) stream.line(stream.partial);
    }
    stream.partial.clear();
  }
  return static_cast<ssize_t>(length);
}

void take_over_log(const EalOptions& options) {
  log_stream().line = options.log_line;
  cookie_io_functions_t functions{};
  functions.write = write_log;
  FILE* stream = fopencookie(nullptr, "w", functions);
  if (stream == nullptr) return;
  setvbuf(stream, nullptr, _IONBF, 0);
  rte_openlog_stream(stream);
}

std::string lcore_map(const EalOptions& options) {
  std::string map = "0@(";
  for (size_t i = 0; i < options.control_cpus.size(); ++i) {
    map += (i ? "," : "") + std::to_string(options.control_cpus[i]);
  }
  map += ")";
  for (size_t i = 0; i < options.worker_cpus.size(); ++i) {
    map += "," + std::to_string(Eal::worker_lcore(static_cast<unsigned>(i))) + "@" +
           std::to_string(options.worker_cpus[i]);
  }
  return map;
}

std::vector<std::string> arguments(const EalOptions& options, bool with_huge_pages) {
  std::vector<std::string> a{"sojournd", "--lcores=" + lcore_map(options), "--main-lcore=0",
                             "--file-prefix=" + options.file_prefix, "--no-telemetry"};
  if (with_huge_pages) {
    a.push_back("--in-memory");
  } else {
    // --in-memory is refused together with --no-huge on 22.11.
    a.insert(a.end(), {"--no-huge", "--no-shconf", "-m", std::to_string((options.memory_bytes >> 20) + 1)});
  }
  if (options.pci_devices.empty()) a.push_back("--no-pci");
  for (const std::string& device : options.pci_devices) a.insert(a.end(), {"-a", device});
  return a;
}

bool decide_huge_pages(const EalOptions& options) {
  if (options.huge_pages == HugePages::kOff) return false;
  const uint64_t free = free_huge_page_bytes();
  if (free >= options.memory_bytes) return true;
  if (options.huge_pages == HugePages::kAuto) return false;
  throw SetupError("hugepages = \"on\", but only " + std::to_string(free >> 20) + " MB of huge pages are free and " +
                   std::to_string((options.memory_bytes >> 20) + 1) + " MB are needed");
}

}  // namespace

namespace {

// DPDK makes a directory for each process and leaves it there.
void remove_run_directory() {
  const char* directory = rte_eal_get_runtime_dir();
  std::error_code error;
  if (directory != nullptr && *directory != '\0') std::filesystem::remove_all(directory, error);
}

}  // namespace

Eal::Eal(const EalOptions& options) : uses_huge_pages_(decide_huge_pages(options)) {
  take_over_log(options);
  // libxdp would share an interface between programs; ours are ours alone. Its dispatcher, and what that pins in bpffs,
  // could not be taken away without CAP_SYS_ADMIN, which we no longer have at the end.
  setenv("LIBXDP_SKIP_DISPATCHER", "1", 0);
  std::vector<std::string> text = arguments(options, uses_huge_pages_);
  std::vector<char*> argv;
  for (std::string& t : text) argv.push_back(t.data());
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    const char* reason = rte_strerror(rte_errno);
    remove_run_directory();
    throw SetupError("DPDK did not start: " + std::string(reason) +
                     (first_words().empty() ? "" : " (" + first_words() + ")"));
  }
}

Eal::~Eal() {
  rte_eal_cleanup();
  remove_run_directory();
}

std::string Eal::in_interrupt_thread(std::string (*work)()) {
  struct Errand {
    std::string (*work)();
    std::promise<std::string> done;
  };
  const auto errand = std::make_shared<Errand>(Errand{work, {}});
  auto* held = new std::shared_ptr<Errand>(errand);  // until it has run, whoever still waits
  const auto run = [](void* argument) {
    const std::unique_ptr<std::shared_ptr<Errand>> owned(static_cast<std::shared_ptr<Errand>*>(argument));
    (*owned)->done.set_value((*owned)->work());
  };
  if (rte_eal_alarm_set(1, run, held) != 0) {
    delete held;
    return "DPDK's thread takes no errand";
  }
  std::future<std::string> answer = errand->done.get_future();
  const bool is_done = answer.wait_for(std::chrono::seconds(1)) == std::future_status::ready;
  return is_done ? answer.get() : "DPDK's thread has not answered for 1 s";
}

void Eal::listen() {
  const std::lock_guard lock(log_stream().mutex);
  log_stream().first.clear();
}

std::string Eal::first_words() {
  const std::lock_guard lock(log_stream().mutex);
  return log_stream().first;
}

uint64_t free_huge_page_bytes() {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/kernel/mm/hugepages", error)) {
    unsigned long size_kb = 0;
    if (std::sscanf(entry.path().filename().c_str(), "hugepages-%lukB", &size_kb) != 1) continue;
    uint64_t free = 0;
    std::ifstream(entry.path() / "free_hugepages") >> free;
    bytes += free * size_kb * 1024;
  }
  return bytes;
}

std::vector<unsigned> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<unsigned> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace sojourn
