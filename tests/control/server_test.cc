// The control socket from both its ends, over a real one.
#include "control/server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/local/datagram_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "config/config.h"
#include "control/client.h"
#include "control/file.h"

namespace sojourn {
namespace {

using boost::asio::local::stream_protocol;
using nlohmann::json;
using std::chrono::milliseconds;

struct Directory {
  std::filesystem::path path;
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "sojourn-server-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory");
    path = name;
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

json handle(const json& request, const Peer&) {
  const std::string command = request["command"];
  if (command == "echo") return request;
  if (command == "throw") throw std::runtime_error("no such luck");
  if (command == "raw") return {{"text", "caf\xe9"}};
  return {{"error", "unknown command \"" + command + "\""}};
}

// A server with a thread of its own.
struct Served {
  boost::asio::io_context io;
  std::optional<Server> server;
  std::thread thread;

  explicit Served(const std::string& path, milliseconds patience = milliseconds(60'000), const char* refusal = "") {
    server.emplace(io, path, Handler{handle, [=](const Peer&) { return std::string(refusal); }}, patience);
    thread = std::thread([this] { io.run(); });
  }
  ~Served() {
    io.stop();
    thread.join();
    server.reset();
  }
};

std::vector<gid_t> groups_of_this_process() {
  std::vector<gid_t> groups(static_cast<size_t>(getgroups(0, nullptr)));
  groups.resize(static_cast<size_t>(getgroups(static_cast<int>(groups.size()), groups.data())));
  return groups;
}

std::string error_of(const std::string& path, const json& request, milliseconds patience = milliseconds(60'000)) {
  try {
    return "answered: " + ask(path, request, patience).dump();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

// Sends bytes as they are and reads until the server closes.
std::string raw(const std::string& path, const std::string& bytes, bool is_last = true) {
  boost::asio::io_context io;
  stream_protocol::socket socket(io);
  socket.connect(stream_protocol::endpoint(path));
  boost::system::error_code error;
  boost::asio::write(socket, boost::asio::buffer(bytes), error);
  if (is_last) socket.shutdown(stream_protocol::socket::shutdown_send, error);
  std::string answer;
  boost::asio::read(socket, boost::asio::dynamic_buffer(answer), error);
  return answer;
}

bool is_well(const std::string& path) {
  const json request{{"command", "echo"}, {"n", 1}};
  return ask(path, request) == request;
}

TEST(Server, Answers) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  const json request{{"command", "echo"}, {"text", "h\u00e9"}};
  EXPECT_EQ(ask(path, request), request);
}

TEST(Server, AnswersAsOftenAsAClientAsks) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  EXPECT_EQ(raw(path, "{\"command\":\"echo\"}\n{\"command\":\"echo\",\"n\":2}\n"),
            "{\"command\":\"echo\"}\n{\"command\":\"echo\",\"n\":2}\n");
}

TEST(Server, SaysThatACommandIsUnknown) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  EXPECT_EQ(error_of(path, {{"command", "nonesuch"}}), "sojournd: unknown command \"nonesuch\"");
  EXPECT_TRUE(is_well(path));
}

// Nothing of what a stranger says is read, however much it is, and the sentence still arrives.
TEST(Server, SaysAtTheDoorWhyAStrangerIsNotHeard) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path, milliseconds(60'000), "not permitted: strangers");
  for (const size_t bytes : {0, 1'000'000}) {
    const json request{{"command", "echo"}, {"text", std::string(bytes, 'x')}};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(error_of(path, request), "sojournd: not permitted: strangers");
  }
}

TEST(Server, KnowsWhoAsks) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  boost::asio::io_context io;
  std::optional<Peer> seen;
  const auto refusal = [&](const Peer& peer) {
    seen = peer;
    return std::string("no");
  };
  Server server(io, path, Handler{handle, refusal});
  stream_protocol::socket socket(io);
  socket.connect(stream_protocol::endpoint(path));
  while (!seen) io.run_one();
  EXPECT_EQ(seen->uid, geteuid());
  EXPECT_NE(std::ranges::find(seen->groups, getegid()), seen->groups.end());
  for (const gid_t group : groups_of_this_process())
    EXPECT_NE(std::ranges::find(seen->groups, group), seen->groups.end()) << group;
}

TEST(Server, SaysWhatARequestIsToWhoeverSendsSomethingElse) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  for (const std::string garbage : {"", "stats", "{", "[]", "null", "{}", "{\"command\":1}", "{\"Command\":\"echo\"}",
                                    "\xff\xfe", "{\"command\":\"\xff\"}"}) {
    EXPECT_EQ(raw(path, garbage + "\n"), "{\"error\":\"a request is one line of JSON with a \\\"command\\\"\"}\n")
        << garbage;
  }
  EXPECT_EQ(raw(path, std::string(60'000, '[') + "\n").substr(0, 9), "{\"error\":");
  EXPECT_EQ(raw(path, "{\"command\":\"echo\"}"), "");  // the line never ends
  EXPECT_TRUE(is_well(path));
}

TEST(Server, ClosesOnALineWithoutEnd) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  EXPECT_EQ(raw(path, std::string(9 << 20, 'x'), false), "");
  EXPECT_NE(error_of(path, {{"command", std::string(9 << 20, 'x')}}).find("control socket " + path), std::string::npos);
  EXPECT_TRUE(is_well(path));
}

// The patience is short here, and the read below would never end if nobody closed.
TEST(Server, ClosesOnAClientThatSaysNothing) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path, milliseconds(30));
  EXPECT_EQ(raw(path, "", false), "");
  EXPECT_EQ(raw(path, "{\"command\":", false), "");
  EXPECT_TRUE(is_well(path));
}

TEST(Server, ClosesOnAClientThatDoesNotRead) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path, milliseconds(100));
  boost::asio::io_context io;
  stream_protocol::socket socket(io);
  socket.connect(stream_protocol::endpoint(path));
  const std::string request = json{{"command", "echo"}, {"text", std::string(50'000, 'x')}}.dump() + "\n";
  boost::system::error_code error;
  for (int i = 0; i < 1000 && !error; ++i) boost::asio::write(socket, boost::asio::buffer(request), error);
  EXPECT_TRUE(error);
  EXPECT_TRUE(is_well(path));
}

TEST(Server, SurvivesAHandlerThatThrows) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  EXPECT_EQ(error_of(path, {{"command", "throw"}}), "sojournd: no such luck");
  EXPECT_TRUE(is_well(path));
}

// What an operator has written need not be UTF-8.
TEST(Server, AnswersWithTextThatIsNotUtf8) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  EXPECT_EQ(ask(path, {{"command", "raw"}}), (json{{"text", "caf\ufffd"}}));
}

TEST(Server, ThereIsOneOnAPath) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  try {
    const Served second(path);
    ADD_FAILURE() << "two on one path";
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(e.what(), "control socket " + path + ": another sojournd is serving it");
  }
  EXPECT_TRUE(is_well(path));
}

TEST(Server, TakesThePlaceOfASocketThatNobodyServes) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  {
    boost::asio::io_context io;
    const stream_protocol::acceptor stale(io, stream_protocol::endpoint(path));
  }
  ASSERT_TRUE(std::filesystem::is_socket(path));
  EXPECT_EQ(error_of(path, {}), "control socket " + path + ": Connection refused; is sojournd running?");
  const Served served(path);
  EXPECT_TRUE(is_well(path));
}

TEST(Server, LeavesAFileThatIsNoSocket) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  std::ofstream(path) << "precious";
  EXPECT_THROW(Served{path}, std::runtime_error);
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "precious");
}

TEST(Server, LeavesASocketOfAnotherKind) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  boost::asio::io_context io;
  boost::asio::local::datagram_protocol::socket other(io, boost::asio::local::datagram_protocol::endpoint(path));
  EXPECT_THROW(Served{path}, std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_socket(path));
}

TEST(Server, SaysInOneSentenceWhyItCannotListen) {
  const Directory directory;
  const std::string path = directory.file(std::string(200, 'x'));
  try {
    const Served served(path);
    ADD_FAILURE() << "listens";
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(e.what(), "control socket " + path + ": File name too long");
  }
}

TEST(Server, MakesItsDirectoryAndRemovesItsSocket) {
  const Directory directory;
  const std::string path = directory.file("run/sojourn/control.sock");
  {
    const Served served(path);
    struct stat s {};
    ASSERT_EQ(stat(path.c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 0777, 0666u);
    EXPECT_TRUE(is_well(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(error_of(path, {}), "control socket " + path + ": No such file or directory; is sojournd running?");
}

TEST(Client, DoesNotWaitForeverForAnAnswer) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  boost::asio::io_context io;
  const stream_protocol::acceptor silent(io, stream_protocol::endpoint(path));  // listens, and never accepts
  EXPECT_EQ(error_of(path, {{"command", "echo"}}, milliseconds(30)),
            "control socket " + path + ": no answer within 0.03 s; what was asked may still happen");
}

// As long as a configuration may be, and not UTF-8 either.
TEST(Client, AsksWithTheLongestAndOddestText) {
  const Directory directory;
  const std::string path = directory.file("control.sock");
  const Served served(path);
  const json answer = ask(path, {{"command", "echo"}, {"text", "caf\xe9" + std::string(kMostConfigBytes - 4, '\n')}});
  EXPECT_EQ(answer.at("text").get<std::string>().substr(0, 8), "caf\ufffd\n\n");
  EXPECT_EQ(answer.at("text").get<std::string>().size(), kMostConfigBytes + 2);
}

TEST(File, IsReadAsFarAsAConfigurationGoes) {
  EXPECT_EQ(read_file("/dev/null"), "");
  try {
    read_file("/dev/zero");
    ADD_FAILURE() << "read to its end";
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(std::string(e.what()), "/dev/zero: is larger than the 4mb of a configuration");
  }
}

}  // namespace
}  // namespace sojourn
