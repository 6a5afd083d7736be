#include "control/server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <istream>
#include <memory>
#include <stdexcept>

#include "config/config.h"

namespace sojourn {
namespace {

using boost::asio::local::stream_protocol;

constexpr std::chrono::milliseconds kRetry{100};
// A configuration as a JSON text, in which line ends and quotes take two bytes, and what is around it.
constexpr size_t kMostRequestBytes = 2 * kMostConfigBytes + 65'536;

// One client: a line in, a line out, as often as it likes.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(stream_protocol::socket socket, Peer peer, const Handler& handler, std::chrono::milliseconds patience)
      : socket_(std::move(socket)),
        peer_(std::move(peer)),
        timer_(socket_.get_executor()),
        handler_(handler),
        patience_(patience),
        input_(kMostRequestBytes) {}

  void read() {
    limit_time();
    boost::asio::async_read_until(socket_, input_, '\n', [self = shared_from_this()](auto error, size_t) {
      self->timer_.cancel();
      if (!error) self->answer();
    });
  }

 private:
  void answer() {
    std::istream in(&input_);
    std::string line;
    std::getline(in, line);
    output_ = reply(line).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    limit_time();
    boost::asio::async_write(socket_, boost::asio::buffer(output_), [self = shared_from_this()](auto error, size_t) {
      self->timer_.cancel();
      if (!error) self->read();
    });
  }

  // Whatever a client asks, the process lives on.
  nlohmann::json reply(const std::string& line) const {
    const auto request = nlohmann::json::parse(line, nullptr, false);
    if (!request.is_object() || !request.contains("command") || !request["command"].is_string()) {
      return {{"error", "a request is one line of JSON with a \"command\""}};
    }
    try {
      return handler_.answer(request, peer_);
    } catch (const std::exception& e) {
      return {{"error", e.what()}};
    }
  }

  void limit_time() {
    timer_.expires_after(patience_);
    timer_.async_wait([self = shared_from_this()](auto error) {
      if (!error) self->socket_.close();
    });
  }

  stream_protocol::socket socket_;
  Peer peer_;
  boost::asio::steady_timer timer_;
  const Handler& handler_;
  std::chrono::milliseconds patience_;
  boost::asio::streambuf input_;
  std::string output_;
};

// Of a stream socket whose owner has gone, and of no other, the kernel says that it refuses.
bool is_served(boost::asio::io_context& io, const std::string& path) {
  stream_protocol::socket probe(io);
  boost::system::error_code error;
  probe.connect(stream_protocol::endpoint(path), error);
  return error != boost::asio::error::connection_refused;
}

}  // namespace

Server::Server(boost::asio::io_context& io, const std::string& path, Handler handler,
               std::chrono::milliseconds patience)
    : io_(io), path_(path), handler_(std::move(handler)), patience_(patience), acceptor_(io), retry_(io) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  if (std::filesystem::is_socket(path, ignored)) {
    if (is_served(io, path)) throw std::runtime_error("control socket " + path + ": another sojournd is serving it");
    ::unlink(path.c_str());
  }
  try {
    const stream_protocol::endpoint endpoint(path);
    acceptor_.open(endpoint.protocol());
    acceptor_.bind(endpoint);
    is_ours_ = true;
    ::chmod(path.c_str(), 0666);  // who may is asked of the kernel: see Access
    acceptor_.listen();
  } catch (const boost::system::system_error& e) {
    throw std::runtime_error("control socket " + path + ": " + e.code().message());
  }
  accept();
}

Server::~Server() {
  close();
}

void Server::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  if (is_ours_) ::unlink(path_.c_str());
  is_ours_ = false;
}

void Server::accept() {
  acceptor_.async_accept([this](auto error, stream_protocol::socket socket) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error) return accept_later();
    welcome(std::move(socket));
    accept();
  });
}

// A stranger holds nothing here: no memory, no descriptor, no time.
void Server::welcome(stream_protocol::socket socket) {
  const Peer peer = peer_of(socket.native_handle());
  const std::string refusal = handler_.refusal(peer);
  if (refusal.empty()) return std::make_shared<Session>(std::move(socket), peer, handler_, patience_)->read();
  boost::system::error_code ignored;
  socket.non_blocking(true, ignored);
  socket.send(boost::asio::buffer(nlohmann::json{{"error", refusal}}.dump() + "\n"), 0, ignored);
}

// No descriptor is free: whoever asks again at once would do nothing else until one is.
void Server::accept_later() {
  retry_.expires_after(kRetry);
  retry_.async_wait([this](auto error) {
    if (!error) accept();
  });
}

}  // namespace sojourn
