// The control socket: a Unix stream socket; a request is one line of JSON, and so is its answer.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "control/access.h"

namespace sojourn {

struct Handler {
  // {"command": "..."} in; the answer, or {"error": "..."}, out.
  std::function<nlohmann::json(const nlohmann::json& request, const Peer& peer)> answer;
  // Why whoever this is gets nothing but that sentence, before a word of theirs is read; "": they are heard.
  std::function<std::string(const Peer& peer)> refusal;
};

class Server {
 public:
  // Listens on `path`, where everybody may knock; makes its directory, and takes the place of a socket that nobody
  // serves any more. `patience`: with a client that says nothing, or does not read. Throws std::runtime_error with one
  // sentence.
  Server(boost::asio::io_context& io, const std::string& path, Handler handler,
         std::chrono::milliseconds patience = std::chrono::seconds(5));
  ~Server();  // removes the socket
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void close();

 private:
  void accept();
  void welcome(boost::asio::local::stream_protocol::socket socket);
  void accept_later();

  boost::asio::io_context& io_;
  std::string path_;
  Handler handler_;
  std::chrono::milliseconds patience_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  bool is_ours_ = false;
};

}  // namespace sojourn
