// SPDX-License-Identifier: Apache-2.0
#include "hw/riscv/gdb_link.h"

#include <utility>  // Boost 1.74's asio uses std::exchange and does not include it

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <deque>

#include "hw/input_error.h"

namespace polycast::hw::riscv {
namespace {

using boost::asio::ip::tcp;

constexpr char interrupt = '\x03';
/// No packet of gdb is longer: the server tells it so.
constexpr std::size_t longest_packet = 1u << 16;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

unsigned checksum(const std::string& packet) {
    unsigned sum = 0;
    for (const char c : packet) sum += static_cast<unsigned char>(c);
    return sum & 0xffu;
}

}  // namespace

class gdb_link::implementation {
public:
    implementation(const std::string& address, std::uint16_t port) : acceptor(context), socket(context) {
        boost::system::error_code error;
        const auto where = boost::asio::ip::make_address(address, error);
        if (error)
            throw input_error("the address '" + address + "' for gdb is not an IP address",
                              "give one such as 127.0.0.1");
        const tcp::endpoint endpoint(where, port);
        acceptor.open(endpoint.protocol(), error);
        if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (!error) acceptor.bind(endpoint, error);
        if (!error) acceptor.listen(1, error);
        if (!error) acceptor.non_blocking(true, error);
        if (error)
            throw input_error(
                "cannot listen for gdb on " + address + " port " + std::to_string(port) + ": " + error.message(),
                "give another port, or 0 for any free one");
    }

    /// Reads what there is; `wait`: at least one byte. \returns false when the connection has ended
    bool fill(bool wait) {
        boost::system::error_code error;
        std::array<char, 4096> bytes;
        if (!wait && socket.available(error) == 0 && !error && !ended()) return true;
        const std::size_t count = error ? 0 : socket.read_some(boost::asio::buffer(bytes), error);
        if (error || count == 0) {
            close();
            return false;
        }
        for (std::size_t i = 0; i < count; ++i) take(bytes[i]);
        return true;
    }

    /// Whether the other end has closed: readable, and nothing there.
    bool ended() {
        boost::system::error_code error;
        char byte = 0;
        socket.non_blocking(true, error);
        const std::size_t count = socket.receive(boost::asio::buffer(&byte, 1), tcp::socket::message_peek, error);
        const bool result = count == 0 && error && error != boost::asio::error::would_block;
        boost::system::error_code ignored;
        socket.non_blocking(false, ignored);
        return result;
    }

    void take(char c) {
        switch (state) {
            case expecting::packet:
                if (c == interrupt) packets.push_back(std::string(1, interrupt));
                if (c == '-' && !last_sent.empty()) write(last_sent);
                if (c == '$') {
                    current.clear();
                    state = expecting::content;
                }
                break;
            case expecting::content:
                if (c == '#') {
                    state = expecting::first_digit;
                } else if (current.size() < longest_packet) {
                    current += c;
                }
                break;
            case expecting::first_digit:
                digit = c;
                state = expecting::second_digit;
                break;
            case expecting::second_digit:
                state = expecting::packet;
                const bool good = hex_digit(digit) * 16 + hex_digit(c) == static_cast<int>(checksum(current));
                if (acknowledge) write(good ? "+" : "-");
                if (good) packets.push_back(current);
                break;
        }
    }

    void write(const std::string& bytes) {
        boost::system::error_code error;
        boost::asio::write(socket, boost::asio::buffer(bytes), error);
        if (error) close();
    }

    void close() {
        boost::system::error_code ignored;
        socket.close(ignored);
        packets.clear();
        current.clear();
        last_sent.clear();
        state = expecting::packet;
        acknowledge = true;
    }

    enum class expecting { packet, content, first_digit, second_digit };

    boost::asio::io_context context;
    tcp::acceptor acceptor;
    tcp::socket socket;
    expecting state = expecting::packet;
    std::string current;
    char digit = 0;
    std::deque<std::string> packets;
    std::string last_sent;
    bool acknowledge = true;
};

gdb_link::gdb_link(const std::string& address, std::uint16_t port)
    : implementation_(std::make_unique<implementation>(address, port)) {}

gdb_link::~gdb_link() = default;

std::uint16_t gdb_link::port() const {
    return implementation_->acceptor.local_endpoint().port();
}

bool gdb_link::connected() const {
    return implementation_->socket.is_open();
}

bool gdb_link::accept(bool wait) {
    if (connected()) return false;
    boost::system::error_code error;
    if (wait) implementation_->acceptor.wait(tcp::acceptor::wait_read, error);
    implementation_->acceptor.accept(implementation_->socket, error);
    if (error) return false;
    implementation_->socket.set_option(tcp::no_delay(true), error);
    return true;
}

bool gdb_link::pending() {
    if (!connected()) return false;
    return implementation_->fill(false) && !implementation_->packets.empty();
}

std::optional<std::string> gdb_link::receive() {
    while (connected()) {
        if (!implementation_->packets.empty()) {
            std::string packet = implementation_->packets.front();
            implementation_->packets.pop_front();
            return packet;
        }
        if (!implementation_->fill(true)) break;
    }
    return std::nullopt;
}

void gdb_link::send(const std::string& packet) {
    if (!connected()) return;
    constexpr const char* digits = "0123456789abcdef";
    const unsigned sum = checksum(packet);
    implementation_->last_sent = "$" + packet + "#" + digits[sum >> 4] + digits[sum & 15u];
    implementation_->write(implementation_->last_sent);
}

void gdb_link::close() {
    implementation_->close();
}

void gdb_link::stop_acknowledging() {
    implementation_->acknowledge = false;
}

}  // namespace polycast::hw::riscv
