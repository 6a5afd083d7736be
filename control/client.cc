#include "control/client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <istream>
#include <stdexcept>

namespace sojourn {
namespace {

using boost::asio::local::stream_protocol;

std::string send_and_receive(const std::string& path, const std::string& line, std::chrono::milliseconds patience) {
  boost::asio::io_context io;
  stream_protocol::socket socket(io);
  boost::asio::streambuf input;
  boost::system::error_code result = boost::asio::error::timed_out;
  const std::string output = line + "\n";
  socket.connect(stream_protocol::endpoint(path));
  // Whoever is refused at the door has an answer, although the question could not be put.
  boost::asio::async_write(socket, boost::asio::buffer(output), [&](auto write_error, size_t) {
    boost::asio::async_read_until(socket, input, '\n', [&, write_error](auto read_error, size_t) {
      result = read_error && write_error ? write_error : read_error;
    });
  });
  io.run_for(patience);
  if (result) throw boost::system::system_error(result);
  std::istream in(&input);
  std::string answer;
  std::getline(in, answer);
  return answer;
}

}  // namespace

nlohmann::json ask(const std::string& socket_path, const nlohmann::json& request, std::chrono::milliseconds patience) {
  nlohmann::json answer;
  try {
    // A file may bear bytes that are no UTF-8, in a comment for instance.
    const std::string line = request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    answer = nlohmann::json::parse(send_and_receive(socket_path, line, patience));
  } catch (const boost::system::system_error& e) {
    if (e.code() == boost::asio::error::timed_out) {
      throw std::runtime_error("control socket " + socket_path + ": no answer within " +
                               nlohmann::json(static_cast<double>(patience.count()) / 1000).dump() +
                               " s; what was asked may still happen");
    }
    throw std::runtime_error("control socket " + socket_path + ": " + e.code().message() +
                             (e.code() == boost::system::errc::no_such_file_or_directory ||
                                      e.code() == boost::system::errc::connection_refused
                                  ? "; is sojournd running?"
                                  : ""));
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error("control socket " + socket_path + ": the answer is not JSON; is that sojournd?");
  }
  if (answer.contains("error")) throw std::runtime_error("sojournd: " + answer["error"].get<std::string>());
  return answer;
}

}  // namespace sojourn
